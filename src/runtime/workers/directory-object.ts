/** The directory of all workspaces, in a Durable Object of its own. */

import { DurableObject } from 'cloudflare:workers'
import { setBounded } from '../../base/keys.js'
import type { Bindings, WorkspaceDirectoryMethods } from './bindings.js'
import type { ObjectState } from './runtime.js'

export const maxWorkspaces = 1_000_000
const countKey = 'count'
const maxRemembered = 10_000

export class DirectoryObject extends DurableObject<Bindings> implements WorkspaceDirectoryMethods {
  /** Recently requested names, and whether they exist; only this object changes that. */
  readonly #remembered = new Map<string, boolean>()

  constructor(state: ObjectState, bindings: Bindings) {
    super(state, bindings)
    this.#run('create table if not exists names (name text primary key) without rowid')
  }

  async names(after: string, most: number): Promise<string[]> {
    const rows = this.#run('select name from names where name > ? order by name limit ?', after, most)
    return rows.map(({ name }) => String(name))
  }

  async has(name: string): Promise<boolean> {
    const has = this.#remembered.get(name) ?? this.#run('select 1 from names where name = ?', name).length > 0
    this.#remember(name, has)
    return has
  }

  async add(name: string): Promise<'added' | 'taken' | 'full'> {
    const count = this.#count()
    if (count >= maxWorkspaces) return 'full'
    const added = this.#run('insert into names values (?) on conflict do nothing returning name', name)
    if (added.length === 0) return 'taken'
    this.ctx.storage.kv.put(countKey, count + 1)
    this.#remember(name, true)
    return 'added'
  }

  async remove(name: string): Promise<boolean> {
    const count = this.#count()
    this.#remember(name, false)
    if (this.#run('delete from names where name = ? returning name', name).length === 0) return false
    this.ctx.storage.kv.put(countKey, count - 1)
    return true
  }

  #remember(name: string, has: boolean): void {
    setBounded(this.#remembered, name, has, maxRemembered)
  }

  /** The count is stored separately: counting a million names reads a million rows. */
  #count(): number {
    return Number(this.ctx.storage.kv.get(countKey) ?? this.#run('select count(*) as count from names')[0]?.count)
  }

  #run(sqlText: string, ...params: unknown[]): Record<string, unknown>[] {
    return this.ctx.storage.sql.exec(sqlText, ...params).toArray()
  }
}
