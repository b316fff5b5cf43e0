/** The log of API calls: bounded, for people who look for what went wrong. New calls lie in memory and are written behind, many at a time. */
import type { Db } from '../../store/db.js'
import type { MemorySlot } from '../unit/memory.js'
import {
  forgetRequestsBefore,
  keepRequest,
  keptRequests,
  type NumberedRecord,
  type RequestRecord,
  storedRecord,
} from './rows.js'

/** Between two writings. */
export const shortestPauseMs = 250

export const requestLogLimits = { calls: 1000, bytes: 16 * 1024 * 1024 } as const

export const requestLog: MemorySlot<RequestLog> = {
  begin: ({ db }) => new RequestLog(db),
  end: (log) => log.rest(),
}

export class RequestLog {
  readonly #db: Db
  readonly #records = new Map<string, NumberedRecord>()
  /** Those that are in no row yet. */
  readonly #unsaved = new Map<string, NumberedRecord>()
  #lastSeq = 0
  #bytes = 0
  /** There are rows of calls that have left the log. */
  #hasOldRows = false
  /** Calls off the next writing; null: none is planned. */
  planned: (() => void) | null = null
  /** Grows with what the last writing took. */
  pauseMs: number = shortestPauseMs

  constructor(db: Db) {
    this.#db = db
    for (const record of keptRequests(db)) this.#put(record)
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Whether all calls up to that one are in rows, and no others are. */
  isSaved(upToSeq: number): boolean {
    const oldest = this.#unsaved.values().next().value
    return (oldest === undefined || oldest.seq > upToSeq) && !this.#hasOldRows
  }

  /** The oldest calls go when there are too many, or they take too much room. */
  add(record: RequestRecord): void {
    const numbered = Object.assign(record, { seq: this.#lastSeq + 1 })
    this.#put(numbered)
    this.#unsaved.set(record.id, numbered)
    while (this.#records.size > requestLogLimits.calls || this.#bytes > requestLogLimits.bytes) this.#dropOldest()
  }

  /** Newest first. */
  list(): NumberedRecord[] {
    return [...this.#records.values()].reverse()
  }

  find(id: string): NumberedRecord | undefined {
    return this.#records.get(id)
  }

  /** Writes down so many of those that are in no row yet, inside an open transaction; what it returns is to be called once that is committed. */
  save(most: number): () => void {
    const db = this.#db
    const saved = [...this.#unsaved.values()].slice(0, most)
    for (const record of saved) keepRequest(db, record)
    if (this.#hasOldRows) forgetRequestsBefore(db, this.#records.values().next().value?.seq ?? this.#lastSeq + 1)
    return () => {
      this.#hasOldRows = false
      for (const record of saved) {
        this.#unsaved.delete(record.id)
        this.#records.set(record.id, storedRecord(db, record))
      }
    }
  }

  /** Calls off what is planned; the next call plans it again. */
  rest(): void {
    this.planned?.()
    this.planned = null
  }

  #put(record: NumberedRecord): void {
    this.#records.set(record.id, record)
    this.#lastSeq = record.seq
    this.#bytes += record.bytes
  }

  #dropOldest(): void {
    const oldest = this.#records.values().next().value
    if (oldest === undefined) return
    this.#records.delete(oldest.id)
    this.#bytes -= oldest.bytes
    if (!this.#unsaved.delete(oldest.id)) this.#hasOldRows = true
  }
}
