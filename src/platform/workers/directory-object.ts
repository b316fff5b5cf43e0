/** The directory: which workspaces there are, in a Durable Object of its own. */
import { DurableObject } from 'cloudflare:workers'
import type { Bindings, DirectoryMethods } from './bindings.js'
import type { ObjectState } from './runtime.js'

const maxWorkspaces = 100_000

export class DirectoryObject extends DurableObject<Bindings> implements DirectoryMethods {
  constructor(state: ObjectState, bindings: Bindings) {
    super(state, bindings)
    this.#run('create table if not exists names (name text primary key) without rowid')
  }

  async names(): Promise<string[]> {
    return this.#run('select name from names order by name').map(({ name }) => String(name))
  }

  async add(name: string): Promise<'added' | 'taken' | 'full'> {
    const [row] = this.#run('select count(*) as count from names')
    if (Number(row?.count) >= maxWorkspaces) return 'full'
    return this.#run('insert into names values (?) on conflict do nothing returning name', name).length > 0
      ? 'added'
      : 'taken'
  }

  async remove(name: string): Promise<boolean> {
    return this.#run('delete from names where name = ? returning name', name).length > 0
  }

  #run(sqlText: string, ...params: unknown[]): Record<string, unknown>[] {
    return this.ctx.storage.sql.exec(sqlText, ...params).toArray()
  }
}
