/**
 * The request log: recent API calls, bounded in number and size. New calls stay in memory and are saved later in
 * batches. Secrets are masked; signing keys are not stored here but read from the credential.
 */

import { base64Of } from '../../base/bytes.js'
import { isKeyOf } from '../../base/keys.js'
import { errorCatalogue } from '../../protocol/platform/errors.js'
import { tokenLifeMs } from '../../protocol/platform/limits.js'
import { tokensForOneCall } from '../../protocol/platform/warnings.js'
import { storedBytes, storedJson } from '../../store/columns.js'
import { type Db, reader, runner } from '../../store/db.js'
import type { RequestEntry, StoredSignature } from '../../store/schema.js'
import { findCredential } from '../auth/authenticate.js'
import type { SignedCall } from '../auth/explain-signature.js'
import type { MemorySlot, Workspace, WorkspaceSlot } from '../unit/unit.js'

const shortestPauseMs = 250

export const requestLogLimits = { calls: 1000, bytes: 16 * 1024 * 1024 } as const

export const requestLog: MemorySlot<RequestLog> = {
  begin: ({ db }) => new RequestLog(db),
  end: (log) => log.cancelSave(),
}

class RequestLog {
  /** In order of arrival; entries before `#head` have left the log. A map by id took 2 % of a charge. */
  readonly #records: (NumberedRecord | undefined)[] = []
  #head = 0
  #lastSeq = 0
  /** Calls up to this number were saved. */
  #savedSeq = 0
  #bytes = 0
  /** Rows exist of calls that have left the log. */
  #hasOldRows = false
  /** Cancels the next save; null if none is scheduled. */
  cancelPlannedSave: (() => void) | null = null
  /** Grows with the duration of the last save. */
  pauseMs: number = shortestPauseMs

  constructor(private readonly db: Db) {
    for (const record of savedRequests(db)) this.#put(record)
    this.#savedSeq = this.#lastSeq
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  get #oldestSeq(): number {
    return this.#records[this.#head]?.seq ?? this.#lastSeq + 1
  }

  /** Returns whether all calls up to that number are saved, and no outdated rows are left. */
  isSaved(upToSeq: number): boolean {
    return upToSeq <= Math.max(this.#savedSeq, this.#oldestSeq - 1) && !this.#hasOldRows
  }

  /** Adds a call. Deletes the oldest calls if there are too many or they are too large. */
  add(record: RequestRecord): void {
    this.#put(Object.assign(record, { seq: this.#lastSeq + 1 }))
    while (this.#records.length - this.#head > requestLogLimits.calls || this.#bytes > requestLogLimits.bytes)
      this.#dropOldest()
  }

  /** Newest first. */
  list(): NumberedRecord[] {
    return this.#records.filter((record) => record !== undefined).reverse()
  }

  find(id: string): NumberedRecord | undefined {
    return this.#records.findLast((record) => record?.id === id)
  }

  /** Saves at most `most` unsaved calls inside an open transaction. Call the returned function once that is committed. */
  save(most: number): () => void {
    const db = this.db
    const saved = this.#records
      .filter((record) => record !== undefined)
      .filter(({ seq }) => seq > this.#savedSeq)
      .slice(0, most)
    for (const record of saved) saveRequest(db, record)
    if (this.#hasOldRows) deleteRequestsBefore(db, this.#oldestSeq)
    return () => {
      this.#hasOldRows = false
      for (const record of saved) {
        this.#savedSeq = record.seq
        const at = this.#records.indexOf(record)
        if (at >= 0) this.#records[at] = storedRecord(db, record)
      }
    }
  }

  /** Cancels the scheduled save; the next call schedules it again. */
  cancelSave(): void {
    this.cancelPlannedSave?.()
    this.cancelPlannedSave = null
  }

  #put(record: NumberedRecord): void {
    this.#records.push(record)
    this.#lastSeq = record.seq
    this.#bytes += record.bytes
  }

  #dropOldest(): void {
    const oldest = this.#records[this.#head]
    if (oldest === undefined) return
    this.#records[this.#head++] = undefined
    this.#bytes -= oldest.bytes
    if (oldest.seq <= this.#savedSeq) this.#hasOldRows = true
    if (this.#head < requestLogLimits.calls) return
    this.#records.splice(0, this.#head)
    this.#head = 0
  }
}

const longestPauseMs = 10_000
/**
 * Upper bound on the share of time spent on saving. Under load saves are rare, and most calls have left the log before
 * they are due.
 */
const maxSaveShare = 1 / 100
/** Calls saved in one transaction: few enough to let others run in between. */
const callsPerSave = 50

/** Logs a call; if the database is persistent, schedules a save. */
export function logCall(ws: Workspace, record: RequestRecord): void {
  const log = ws.memory.of(requestLog)
  log.add(record)
  if (ws.db.isPersistent) log.cancelPlannedSave ??= ws.callAfter(log.pauseMs, () => void saveInBackground(ws, log))
}

async function saveInBackground(ws: Workspace, log: RequestLog): Promise<void> {
  let spentMs = 0
  // Calls that arrive during this save wait for the next one. By then, most of them have left the log.
  const { lastSeq } = log
  try {
    while (!log.isSaved(lastSeq) && !ws.closed && ws.memory.of(requestLog) === log) {
      await ws.unit((unit) => {
        const startedMs = ws.clock.wall()
        unit.after(log.save(callsPerSave))
        spentMs += ws.clock.wall() - startedMs
      })
    }
  } catch {
    // The database failed: the next call schedules a save again.
  }
  log.pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, spentMs / maxSaveShare))
  log.cancelPlannedSave = null
}

/** Saves everything at once, before the database is copied or closed. */
export function saveLog(ws: Workspace): void {
  const log = ws.memory.of(requestLog)
  if (!log.isSaved(log.lastSeq)) ws.db.transaction(() => log.save(Number.POSITIVE_INFINITY))()
}

export const tokenUse: MemorySlot<TokenUse> = { begin: () => new TokenUse() }

interface Use {
  issuedAtMs: number
  callsSince: number
  /** Consecutive tokens that were used for a single call. */
  inARow: number
}

/** Upper bound on tracked clients. When it is reached, all are forgotten: memory stays bounded at the price of a missed warning. */
const mostClients = 1000

class TokenUse {
  readonly #byClient = new Map<string, Use>()

  countUse(clientId: string): void {
    const use = this.#byClient.get(clientId)
    if (use !== undefined) use.callsSince++
  }

  /** Returns whether this client has requested a token for each of its last calls. */
  countToken(clientId: string, atMs: number): boolean {
    const last = this.#byClient.get(clientId)
    if (last === undefined && this.#byClient.size >= mostClients) this.#byClient.clear()
    const inARow = last === undefined ? 0 : inARowAfter(last, atMs)
    this.#byClient.set(clientId, { issuedAtMs: atMs, callsSince: 0, inARow })
    return inARow >= tokensForOneCall
  }
}

/** An unused token does not count: several parts of a program may request one at start. */
function inARowAfter({ issuedAtMs, callsSince, inARow }: Use, atMs: number): number {
  if (atMs - issuedAtMs >= tokenLifeMs || callsSince > 1) return 0
  return callsSince === 1 ? inARow + 1 : inARow
}

/** Upper bounds of the buckets in which durations are counted, in milliseconds. */
export const durationBucketsMs = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

/** A scenario can answer any text as a code: all but the documented ones count as `other`, so their number is bounded. */
const countedCode = (code: string | null): string =>
  code === null ? '' : isKeyOf(errorCatalogue, code) ? code : 'other'

export interface RouteCalls {
  /** Calls by result: the key is the status and the error code (empty: none). */
  readonly results: Map<string, { status: number; code: string; calls: number }>
  /** Calls for each duration bucket; the last entry counts longer ones. */
  readonly buckets: number[]
  durationMs: number
}

const noCalls = (): RouteCalls => ({
  results: new Map(),
  buckets: new Array<number>(durationBucketsMs.length + 1).fill(0),
  durationMs: 0,
})

/** Counts all calls since the workspace was opened, for metrics. */
class CallCounts {
  /** By the name of the endpoint. */
  readonly routes = new Map<string, RouteCalls>()

  count(route: string, status: number, errorCode: string | null, durationMs: number): void {
    const calls = this.routes.get(route) ?? noCalls()
    this.routes.set(route, calls)
    calls.durationMs += durationMs
    const bucket = durationBucketsMs.findIndex((bound) => durationMs <= bound)
    const index = bucket === -1 ? durationBucketsMs.length : bucket
    calls.buckets[index] = (calls.buckets[index] ?? 0) + 1
    const code = countedCode(errorCode)
    const key = `${status} ${code}`
    const result = calls.results.get(key)
    if (result === undefined) calls.results.set(key, { status, code, calls: 1 })
    else result.calls++
  }
}

/** Outlives a reset, so that counters only grow while the process runs. */
export const callCounts: WorkspaceSlot<CallCounts> = { begin: () => new CallCounts() }

/** Everything is computed only when it is read or saved: most calls are never looked at. */
export interface RequestRecord {
  id: string
  /** Approximate memory of the record. */
  bytes: number
  entry(): RequestEntry
  /** The inputs from which the signature of the call can be checked again; null if the route requires no signature. */
  signed(): SignedCall | null
}

export interface NumberedRecord extends RequestRecord {
  seq: number
}

type RecordKey = Pick<NumberedRecord, 'seq' | 'id' | 'bytes'>

const insert = runner('insert into requests (seq, id, bytes, entry, signed) values (?, ?, ?, ?, ?)')
const all = reader<RecordKey>('select seq, id, bytes from requests order by seq')
const one = reader<{ entry: string; signed: string | null }>('select entry, signed from requests where seq = ?')
const deleteRequestsBefore = runner('delete from requests where seq < ?')

function saveRequest(db: Db, record: NumberedRecord): void {
  const signed = record.signed()
  const signedJson = signed === null ? null : JSON.stringify(withoutKeys(signed))
  insert(db, record.seq, record.id, record.bytes, JSON.stringify(record.entry()), signedJson)
}

/** Returns all saved calls, in order of arrival. */
const savedRequests = (db: Db): NumberedRecord[] => all(db).map((key) => storedRecord(db, key))

/** Returns a record that is read from the database on demand. */
function storedRecord(db: Db, { seq, id, bytes }: RecordKey): NumberedRecord {
  const read = () => {
    const [found] = one(db, seq)
    if (found === undefined) throw new Error(`the call ${id} is no longer in the log`)
    return found
  }
  return {
    seq,
    id,
    bytes,
    entry: () => storedJson<RequestEntry>(read().entry),
    signed() {
      const { signed } = read()
      return signed === null ? null : withKeys(db, storedJson(signed))
    },
  }
}

const withoutKeys = ({ keys, body, ...call }: SignedCall): StoredSignature => ({
  ...call,
  clientId: keys.client_id,
  bodyBase64: base64Of(body),
})

function withKeys(db: Db, { clientId, bodyBase64, ...call }: StoredSignature): SignedCall {
  const credential = findCredential(db, clientId)
  return { ...call, body: storedBytes(bodyBase64), keys: keysOf(credential ?? noKeys(clientId)) }
}

type CredentialSecrets = Parameters<typeof keysOf>[0]

const noKeys = (clientId: string): CredentialSecrets => ({
  clientId,
  clientSecret: '',
  signingKey: '',
  webhookSecret: '',
})

/** Returns all secrets of a credential that a caller may have signed with, including those that are not meant for signing. */
export const keysOf = (credential: {
  clientId: string
  clientSecret: string
  signingKey: string
  webhookSecret: string
}): SignedCall['keys'] => ({
  signing_key: credential.signingKey,
  client_secret: credential.clientSecret,
  webhook_secret: credential.webhookSecret,
  client_id: credential.clientId,
})
