/** The log of API calls: bounded, in memory, for people who look for what went wrong. Not part of the state. */
import type { LoggedCallInFull, SignatureReport } from '../../protocol/control/requests.js'

/** As `GET /_sandbox/requests/{id}` shows it; bodies arrive here masked and cut. */
export type RequestEntry = Omit<LoggedCallInFull, 'signature'>

/** Everything is worked out only when somebody reads it: most calls are never looked at. */
export interface RequestRecord {
  id: string
  /** About how much memory it holds on to. */
  bytes: number
  entry(): RequestEntry
  /** Of a signed route; dear, so only for whoever asks for this one call. */
  signature?(): SignatureReport
}

export interface NumberedRecord extends RequestRecord {
  seq: number
}

export const requestLogLimits = { calls: 1000, bytes: 16 * 1024 * 1024 } as const

export interface RequestLog {
  /** The oldest calls go when there are too many, or they take too much room. */
  add(record: RequestRecord): void
  /** Newest first. */
  list(): NumberedRecord[]
  find(id: string): RequestRecord | undefined
  clear(): void
}

export function createRequestLog(): RequestLog {
  const records = new Map<string, NumberedRecord>()
  let lastSeq = 0
  let bytes = 0
  return {
    add(record) {
      records.set(record.id, Object.assign(record, { seq: ++lastSeq }))
      bytes += record.bytes
      while (records.size > requestLogLimits.calls || bytes > requestLogLimits.bytes) {
        const oldest = records.values().next().value
        if (oldest === undefined) break
        records.delete(oldest.id)
        bytes -= oldest.bytes
      }
    },
    list: () => [...records.values()].reverse(),
    find: (id) => records.get(id),
    clear() {
      records.clear()
      bytes = 0
    },
  }
}
