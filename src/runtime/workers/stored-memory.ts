/** Saves the part of a workspace's memory that must survive eviction, in the same transactions as its tables. */
import { authState, rateSpanMs } from '../../core/auth/authenticate.js'
import { saveLog } from '../../core/request-log/log.js'
import type { Memory, Workspace } from '../../core/unit/unit.js'
import { currentOpeningHash, type SleepState } from '../../core/workspace/workspace.js'
import type { ObjectStorage } from './runtime.js'

const mainKey = 'memory'
const guardKey = 'guard '

type Main = Omit<SleepState, 'guards'>

export class StoredMemory {
  /** The memory whose state is stored, so that only changes have to be written. */
  #memory: Memory | undefined
  #opened = ''
  #main = ''

  constructor(readonly storage: ObjectStorage) {}

  /** Returns null if nothing was stored. */
  load(): SleepState | null {
    // Only this class writes it, so the cast is safe.
    const main = this.storage.kv.get(mainKey) as Main | undefined
    return main === undefined ? null : { ...main, guards: this.#guards() }
  }

  /** Deletes stored state that no longer belongs to the workspace. Must be called once the workspace is open. */
  begin(ws: Workspace, sleepState: SleepState | null): void {
    const isOld = ([, guard]: SleepState['guards'][number]) =>
      'moments' in guard && guard.moments.every(([atMs]) => atMs <= ws.clock.now() - rateSpanMs)
    this.#opened = currentOpeningHash(ws)
    if (sleepState?.opened === this.#opened) {
      this.#memory = ws.memory
      this.#main = JSON.stringify({ opened: sleepState.opened, ids: sleepState.ids } satisfies Main)
    }
    const oldGuards = this.#memory === undefined ? [] : (sleepState?.guards.filter(isOld) ?? [])
    for (const [name] of oldGuards) this.storage.kv.delete(guardKey + name)
    this.save(ws)
  }

  /** Runs before a response leaves the object: the runtime delays responses until the writes are durable. */
  save(ws: Workspace): void {
    const { kv } = this.storage
    const { ids } = ws.memory
    const auth = ws.memory.of(authState)
    if (ws.memory !== this.#memory) {
      for (const [name] of this.#guards()) kv.delete(guardKey + name)
      this.#memory = ws.memory
      this.#opened = currentOpeningHash(ws)
    }
    for (const [name, guard] of auth.changes()) {
      if (guard === null) kv.delete(guardKey + name)
      else kv.put(guardKey + name, guard)
    }
    const main: Main = { opened: this.#opened, ids: ids.progress() }
    const text = JSON.stringify(main)
    if (text !== this.#main) kv.put(mainKey, main)
    this.#main = text
  }

  /** Saves the memory together with the request log, which is otherwise written later. */
  saveWithLog(ws: Workspace): void {
    this.storage.transactionSync(() => {
      saveLog(ws)
      this.save(ws)
    })
  }

  /** Must be called after a rollback, so that the next save writes the memory again. */
  noteRollback(): void {
    this.#main = ''
  }

  #guards(): SleepState['guards'] {
    // Only this class writes them, so the cast is safe.
    const entries = [...this.storage.kv.list({ prefix: guardKey })] as [string, SleepState['guards'][number][1]][]
    return entries.map(([key, guard]) => [key.slice(guardKey.length), guard])
  }
}
