/** The log of API calls: bounded, for people who look for what went wrong. New calls lie in memory and are written behind, many at a time. */

import { tokenLifeMs } from '../../protocol/platform/limits.js'
import { tokensForOneCall } from '../../protocol/platform/warnings.js'
import type { Db } from '../../store/db.js'
import type { MemorySlot } from '../unit/memory.js'
import type { Workspace } from '../unit/workspace.js'
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

const longestPauseMs = 10_000
/** Writing takes at most this part of the time: under load it happens seldom, and most calls have left the log by then. */
const share = 1 / 100
/** In one transaction, so that calls get their turn in between. */
const batch = 50

/** Logs a call; where the database lasts, it is written down in a moment. */
export function logCall(ws: Workspace, record: RequestRecord): void {
  const log = ws.memory.of(requestLog)
  log.add(record)
  if (ws.db.lasts) log.planned ??= ws.alarm(log.pauseMs, () => void writeBehind(ws, log))
}

async function writeBehind(ws: Workspace, log: RequestLog): Promise<void> {
  let spentMs = 0
  // Those that come meanwhile wait for the next time, when most of them have left the log again.
  const { lastSeq } = log
  try {
    while (!log.isSaved(lastSeq) && !ws.closed && ws.memory.of(requestLog) === log) {
      await ws.unit((unit) => {
        const startedMs = ws.clock.wall()
        unit.after(log.save(batch))
        spentMs += ws.clock.wall() - startedMs
      })
    }
  } catch {
    // The store refuses: the next call plans it again.
  }
  log.pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, spentMs / share))
  log.planned = null
}

/** All at once: before the database is copied or closed. */
export function saveLog(ws: Workspace): void {
  const log = ws.memory.of(requestLog)
  if (!log.isSaved(log.lastSeq)) ws.db.transaction(() => log.save(Number.POSITIVE_INFINITY))()
}

export const tokenUse: MemorySlot<TokenUse> = { begin: () => new TokenUse() }

interface Use {
  issuedAtMs: number
  callsSince: number
  /** Tokens in a row that were used for one call. */
  inARow: number
}

/** Upper bound on tracked clients. When it is reached, all are forgotten: memory stays bounded at the price of a missed warning. */
const mostClients = 1000

export class TokenUse {
  readonly #byClient = new Map<string, Use>()

  /** A call was made with a token of this client. */
  used(clientId: string): void {
    const use = this.#byClient.get(clientId)
    if (use !== undefined) use.callsSince++
  }

  /** Returns whether this client has requested a token for each of its last calls. */
  issued(clientId: string, atMs: number): boolean {
    const last = this.#byClient.get(clientId)
    if (last === undefined && this.#byClient.size >= mostClients) this.#byClient.clear()
    const inARow = last === undefined ? 0 : inARowAfter(last, atMs)
    this.#byClient.set(clientId, { issuedAtMs: atMs, callsSince: 0, inARow })
    return inARow >= tokensForOneCall
  }
}

/** A token that is not used yet says nothing: several parts of a program may start at once. */
function inARowAfter({ issuedAtMs, callsSince, inARow }: Use, atMs: number): number {
  if (atMs - issuedAtMs >= tokenLifeMs || callsSince > 1) return 0
  return callsSince === 1 ? inARow + 1 : inARow
}
