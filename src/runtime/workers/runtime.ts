/** As much of the runtime of Durable Objects as is used here. */

/** Epoch milliseconds of real time. */
export const wall = () => Date.now()

export interface Cursor {
  toArray(): Record<string, unknown>[]
  raw(): { toArray(): unknown[][] }
}

export interface ObjectStorage {
  readonly sql: { exec(sqlText: string, ...params: unknown[]): Cursor; readonly databaseSize: number }
  /** Keys and values beside the tables, in the same transaction. */
  readonly kv: {
    get(key: string): unknown
    put(key: string, value: unknown): void
    delete(key: string): boolean
    list(options: { prefix: string }): Iterable<[key: string, value: unknown]>
  }
  transactionSync<T>(work: () => T): T
  /** There is one alarm; the last call counts. */
  setAlarm(atMs: number): Promise<void>
  getAlarm(): Promise<number | null>
  deleteAlarm(): Promise<void>
  deleteAll(): Promise<void>
}

export interface ObjectState {
  readonly storage: ObjectStorage
  /** No call reaches the object before that has ended. */
  blockConcurrencyWhile(work: () => Promise<void>): Promise<void>
}

export interface ObjectsByName<Methods> {
  getByName(name: string): ObjectStub & Methods
}

export interface ObjectStub {
  fetch(request: Request): Promise<Response>
}
