/** The journal of API calls: bounded, in memory, for people who look for what went wrong. Not part of the state. */

export interface SignatureReport {
  verdict: string
  string_to_sign: string
  expected: string
  received: string
  hint: string | null
}

/** As `GET /_sandbox/requests` shows it; bodies arrive here masked and cut. */
export interface JournalEntry {
  request_id: string
  at: string
  method: string
  path: string
  status: number
  error_code: string | null
  duration_ms: number
  credential: string | null
  account: string | null
  request_body: string | null
  response_body: string | null
  signature?: SignatureReport
  /** Scenarios that took this call, and what they did to it. */
  scenario?: string
  faults?: string[]
}

export const journalSize = 1000

export interface Journal {
  /** `entry` is called only when somebody reads it: most entries never are. */
  add(id: string, entry: () => JournalEntry): void
  /** Newest first. */
  list(): JournalEntry[]
  find(id: string): JournalEntry | undefined
  clear(): void
}

export function createJournal(): Journal {
  const entries = new Map<string, () => JournalEntry>()
  return {
    add(id, entry) {
      entries.set(id, entry)
      if (entries.size > journalSize) {
        const oldest = entries.keys().next()
        if (!oldest.done) entries.delete(oldest.value)
      }
    },
    list: () => [...entries.values()].reverse().map((entry) => entry()),
    find: (id) => entries.get(id)?.(),
    clear: () => entries.clear(),
  }
}
