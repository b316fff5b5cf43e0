/** A disk that fails on request. It intercepts and counts every write of every database in this process. */
import Database from 'better-sqlite3'

export class Killed extends Error {
  override name = 'Killed'
}

interface Plan {
  /** Writes that are left before the fault. */
  inWrites: number
  what: 'fail' | 'kill'
  /** The number of writes that fail from then on. */
  lasting: number
}

type Handle = InstanceType<typeof Database>

let plan: Plan | null = null
let isOff = false
let hasKilled = false
let writes = 0

/** The number of begins, writes and commits so far. */
export const writesSoFar = (): number => writes
let killListener = () => {}

/** Sets the listener of the next kill. Only one simulated process runs at a time. */
export const onKill = (listener: () => void): void => {
  killListener = listener
}

/** Whether the simulated process has been killed; its later responses do not count. */
export const isKilledNow = (): boolean => hasKilled
/** Clears the kill before another process starts. */
export const forgetKill = (): void => {
  hasKilled = false
}

/** Lets the n-th write from now fail, and `lasting` - 1 more. `kill` makes the database unusable, as if the process had died. */
export function planFault(what: 'fail' | 'kill', inWrites: number, lasting = 1): void {
  plan = { what, inWrites, lasting }
}

/** Whether a fault is planned. */
export const hasPlan = (): boolean => plan !== null

/** Cancels the planned fault. Returns whether it has already happened. */
export function heal(): boolean {
  const happened = plan !== null && plan.inWrites < 0
  plan = null
  return happened
}

/** Runs work without faults and without counting writes: reads by the checks, and rollbacks after a kill. */
export function unhindered<T>(work: () => T): T {
  isOff = true
  try {
    return work()
  } finally {
    isOff = false
  }
}

function beforeWrite(): void {
  if (isOff) return
  writes++
  if (hasKilled) throw new Killed('this process is dead')
  if (plan === null) return
  if (plan.inWrites-- > 0) return
  if (plan.what === 'kill') {
    hasKilled = true
    killListener()
    throw new Killed('killed between two writes')
  }
  if (-plan.inWrites <= plan.lasting) throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
}

/** Statements that a full disk does not stop. */
const isFree = (text: string) => /^\s*(rollback|release|select|pragma)/i.test(text)

interface Statement {
  readonly: boolean
  source: string
}
type Method = (this: Statement, ...params: unknown[]) => unknown

/** Whether a statement counts as a write, cached for each statement. */
const writing = new WeakMap<Statement, boolean>()
function isWriting(statement: Statement): boolean {
  const known = writing.get(statement)
  if (known !== undefined) return known
  const { source, readonly } = statement
  const is = (!readonly || /^\s*(begin|commit|savepoint)/i.test(source)) && !isFree(source)
  writing.set(statement, is)
  return is
}

function watch(prototype: Record<string, unknown>, name: string): void {
  const real = prototype[name] as Method
  prototype[name] = function (this: Statement, ...params: unknown[]) {
    if (isWriting(this)) beforeWrite()
    else if (hasKilled && !isOff) throw new Killed('this process is dead')
    return real.apply(this, params)
  }
}

const probe = new Database(':memory:')
const statements = Object.getPrototypeOf(probe.prepare('select 1')) as Record<string, unknown>
for (const name of ['run', 'get', 'all']) watch(statements, name)
const databases = Object.getPrototypeOf(probe) as { exec: (this: Handle, text: string) => unknown }
const exec = databases.exec
databases.exec = function (this: Handle, text: string) {
  if (!isFree(text)) beforeWrite()
  return exec.call(this, text)
}
probe.close()
