/** The used parts of the Durable Objects runtime. */

/** Returns the real time in epoch milliseconds. */
export const wallClock = () => Date.now()

export interface Cursor {
  toArray(): Record<string, unknown>[]
  raw(): { toArray(): unknown[][] }
}

export interface ObjectStorage {
  readonly sql: { exec(sqlText: string, ...params: unknown[]): Cursor; readonly databaseSize: number }
  /** Key-value storage that takes part in the transactions of the tables. */
  readonly kv: {
    get(key: string): unknown
    put(key: string, value: unknown): void
    delete(key: string): boolean
    list(options: { prefix: string }): Iterable<[key: string, value: unknown]>
  }
  transactionSync<T>(work: () => T): T
  /** There is only one alarm; the last call wins. */
  setAlarm(atMs: number): Promise<void>
  getAlarm(): Promise<number | null>
  deleteAlarm(): Promise<void>
  deleteAll(): Promise<void>
}

export interface ObjectState {
  readonly storage: ObjectStorage
  /** The object receives no calls until `work` has finished. */
  blockConcurrencyWhile(work: () => Promise<void>): Promise<void>
}

export interface ObjectsByName<Methods> {
  getByName(name: string): ObjectStub & Methods
}

interface ObjectStub {
  fetch(request: Request): Promise<Response>
}

/** A workspace, and the address of its deployment. */
export interface Home {
  origin: string
  workspace: string
}
