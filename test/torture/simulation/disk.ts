/** A disk that fails on request: every write of every database in this process passes through here and is counted. */
import Database from 'better-sqlite3'

export class Killed extends Error {
  override name = 'Killed'
}

interface Plan {
  /** Counted down by each write; at zero it happens. */
  inWrites: number
  what: 'fail' | 'kill'
  /** How many writes fail from there on. */
  lasting: number
}

type Handle = InstanceType<typeof Database>

let plan: Plan | null = null
let isOff = false
let hasKilled = false
let writes = 0

/** How often something was begun, written or committed. */
export const writesSoFar = (): number => writes
let tellKill = () => {}

/** Who is to hear of the next kill: the one process that runs. */
export const onKill = (listener: () => void): void => {
  tellKill = listener
}

/** Whether the process has been killed; what it still answers has reached nobody. */
export const isKilledNow = (): boolean => hasKilled
/** Another process is about to start. */
export const forgetKill = (): void => {
  hasKilled = false
}

/** The n-th write from now fails, and so many after it; `kill` ends the process, as far as its database can tell. */
export function planFault(what: 'fail' | 'kill', inWrites: number, lasting = 1): void {
  plan = { what, inWrites, lasting }
}

/** Whether something may yet go wrong. */
export const hasPlan = (): boolean => plan !== null

/** There is room again. Tells whether anything has happened. */
export function heal(): boolean {
  const happened = plan !== null && plan.inWrites < 0
  plan = null
  return happened
}

/** What only looks at the database, and rolls back what a kill has left open, must not be counted. */
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
    tellKill()
    throw new Killed('killed between two writes')
  }
  if (-plan.inWrites <= plan.lasting) throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
}

/** Undoing needs no room. */
const isFree = (text: string) => /^\s*(rollback|release|select|pragma)/i.test(text)

interface Statement {
  readonly: boolean
  source: string
}
type Method = (this: Statement, ...params: unknown[]) => unknown

/** Whether it counts as a write; found out once for each statement. */
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
