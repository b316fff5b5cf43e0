/** A store that fails on request: makes the driver's statements throw like SQLite. */
import Database from 'better-sqlite3'

export type Refusal = 'SQLITE_FULL' | 'SQLITE_CONSTRAINT_CHECK'

let writes = 0
let room = Number.POSITIVE_INFINITY
let broken: string | null = null
let refused = 0
let refuseAt = Number.POSITIVE_INFINITY
let refuseWith: Refusal = 'SQLITE_FULL'

/** Starts counting writes and refuses the one with this number once. */
export function refuseWrite(number: number, code: Refusal): void {
  writes = 0
  refuseAt = number
  refuseWith = code
}

/** Refuses all writes, like a full disk, until it is set to `free`. */
export function setStore(state: 'full' | 'free'): void {
  fillStoreAfter(state === 'full' ? 0 : Number.POSITIVE_INFINITY)
}

/** Refuses all writes after this many more. */
export function fillStoreAfter(writes: number): void {
  room = writes
}

/** The number of writes that the full store has refused. */
export const refusals = () => refused

/** Lets every statement whose text contains `text` fail, like a bug of the sandbox, until null is set. */
export function breakStatement(text: string | null): void {
  broken = text
}

/** The number of writes since the last `refuseWrite`. */
export const writesSeen = () => writes

/** Intercepts every statement of this process; returns a function that stops it. */
export function watchWrites(): () => void {
  const prototype = Object.getPrototypeOf(new Database(':memory:').prepare('select 1')) as Database.Statement
  const { run, get, all } = prototype
  const watched = <Method extends typeof run | typeof get | typeof all>(method: Method): Method =>
    // Replaces a method of the driver's class, so `this` is the statement.
    function (this: Database.Statement, ...params: unknown[]) {
      if (broken !== null && this.source.includes(broken)) throw new Error('broken by the test')
      if (isWrite(this) && room-- <= 0) {
        refused++
        throw new Database.SqliteError('refused by the test', 'SQLITE_FULL')
      }
      if (isWrite(this) && ++writes === refuseAt) throw new Database.SqliteError('refused by the test', refuseWith)
      return Reflect.apply(method, this, params)
    } as Method
  Object.assign(prototype, { run: watched(run), get: watched(get), all: watched(all) })
  return () => void Object.assign(prototype, { run, get, all })
}

/** Savepoints do not count, because their number depends on how the group of units runs. */
const isWrite = (statement: Database.Statement) =>
  statement.source === 'commit' ||
  (!statement.readonly && !/^(begin|rollback|savepoint|release)/.test(statement.source))
