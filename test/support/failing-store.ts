/** A store that refuses one write: the driver's own statements, made to throw as SQLite does. */
import Database from 'better-sqlite3'

export type Refusal = 'SQLITE_FULL' | 'SQLITE_CONSTRAINT_CHECK'

let writes = 0
let room = Number.POSITIVE_INFINITY
let broken: string | null = null
let refused = 0
let refuseAt = Number.POSITIVE_INFINITY
let refuseWith: Refusal = 'SQLITE_FULL'

/** Counts from here on, and refuses the write of that number, once. */
export function refuseWrite(number: number, code: Refusal): void {
  writes = 0
  refuseAt = number
  refuseWith = code
}

/** Refuses all of them, as a full disk does, until there is room again. */
export function setStore(state: 'full' | 'free'): void {
  fillStoreAfter(state === 'full' ? 0 : Number.POSITIVE_INFINITY)
}

/** The same, but lets so many more go in before. */
export function fillStoreAfter(writes: number): void {
  room = writes
}

/** How many writes a full store has refused. */
export const refusals = () => refused

/** Refuses every statement with that in its text, as a fault of the sandbox would, until null is set. */
export function breakStatement(text: string | null): void {
  broken = text
}

/** How many writes there have been since the last `refuseWrite`. */
export const writesSeen = () => writes

/** Every statement of this process from here on; returns the function that ends it. */
export function watchWrites(): () => void {
  const prototype = Object.getPrototypeOf(new Database(':memory:').prepare('select 1')) as Database.Statement
  const { run, get, all } = prototype
  const watched = <Method extends typeof run | typeof get | typeof all>(method: Method): Method =>
    // A method of the driver's class: it must keep the statement that it is called on.
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

/** Savepoints come and go with how the group is run, and must not count. */
const isWrite = (statement: Database.Statement) =>
  statement.source === 'commit' ||
  (!statement.readonly && !/^(begin|rollback|savepoint|release)/.test(statement.source))
