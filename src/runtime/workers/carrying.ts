/** What a workspace carries over while its object sleeps, kept beside its tables and in the same transactions. */
import { authState, rateSpanMs } from '../../core/auth/auth-state.js'
import { saveLog } from '../../core/request-log/log.js'
import type { Memory } from '../../core/unit/memory.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { type Carried, openingOf } from '../../core/workspace/carried.js'
import type { ObjectStorage } from './runtime.js'

const mainKey = 'carried'
const guardKey = 'guard '

type Main = Omit<Carried, 'guards'>

export class Carrying {
  /** Of which all but what has changed since is kept. */
  #memory: Memory | undefined
  #opened = ''
  #main = ''

  constructor(readonly storage: ObjectStorage) {}

  /** null where nothing was kept. */
  load(): Carried | null {
    // Nobody else writes it.
    const main = this.storage.kv.get(mainKey) as Main | undefined
    return main === undefined ? null : { ...main, guards: this.#guards() }
  }

  /** Once it is open: what does not belong to it any more, goes. */
  begin(ws: Workspace, carried: Carried | null): void {
    const isOld = ([, guard]: Carried['guards'][number]) =>
      'moments' in guard && guard.moments.every(([atMs]) => atMs <= ws.clock.now() - rateSpanMs)
    this.#opened = openingOf(ws)
    if (carried?.opened === this.#opened) {
      this.#memory = ws.memory
      this.#main = JSON.stringify({ opened: carried.opened, ids: carried.ids } satisfies Main)
    }
    const gone = this.#memory === undefined ? [] : (carried?.guards.filter(isOld) ?? [])
    for (const [name] of gone) this.storage.kv.delete(guardKey + name)
    this.keep(ws)
  }

  /** Before anybody can hear of what has been done: what the runtime lets out, it lets out when this is durable. */
  keep(ws: Workspace): void {
    const { kv } = this.storage
    const { ids } = ws.memory
    const access = ws.memory.of(authState)
    if (ws.memory !== this.#memory) {
      for (const [name] of this.#guards()) kv.delete(guardKey + name)
      this.#memory = ws.memory
      this.#opened = openingOf(ws)
    }
    for (const [name, guard] of access.changes()) {
      if (guard === null) kv.delete(guardKey + name)
      else kv.put(guardKey + name, guard)
    }
    const main: Main = { opened: this.#opened, ids: ids.progress() }
    const text = JSON.stringify(main)
    if (text !== this.#main) kv.put(mainKey, main)
    this.#main = text
  }

  /** The log of calls as well, which is written behind elsewhere. */
  keepAll(ws: Workspace): void {
    this.storage.transactionSync(() => {
      saveLog(ws)
      this.keep(ws)
    })
  }

  /** What was kept last has been rolled back. */
  undone(): void {
    this.#main = ''
  }

  #guards(): Carried['guards'] {
    // Nobody else writes them.
    const entries = [...this.storage.kv.list({ prefix: guardKey })] as [string, Carried['guards'][number][1]][]
    return entries.map(([key, guard]) => [key.slice(guardKey.length), guard])
  }
}
