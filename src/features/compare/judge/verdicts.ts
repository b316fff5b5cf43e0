/** The verdicts of a comparison, and the shape of a finding and of a report. */
import { capitalized, keysOf } from '../../../inside/values.js'

interface VerdictRow {
  /** Heading of the findings with this verdict. */
  title: string
  meaning: string
  /** A finding with this verdict does not fail the run. */
  passes?: true
}

/** In report order. */
export const verdicts = {
  documentation_wrong: {
    title: 'Documentation errors',
    meaning: 'The sandbox follows the documentation; the platform does not.',
  },
  sandbox_wrong: {
    title: 'Sandbox errors',
    meaning: 'The platform follows the documentation; the sandbox does not.',
  },
  assumption_wrong: {
    title: 'Wrong assumptions',
    meaning: 'The sandbox assumes something that the documentation leaves open; the platform differs.',
  },
  unknown_field: {
    title: 'Unknown fields',
    meaning: 'The platform sends something that is neither documented nor sent by the sandbox.',
  },
  unexplained: {
    title: 'Unexplained differences',
    meaning: 'The call cannot be repeated, or the difference cannot be explained; the finding says why.',
  },
  assumption_confirmed: {
    title: 'Confirmed assumptions',
    meaning: 'The sandbox assumes something, and the platform agrees.',
    passes: true,
  },
} as const satisfies Record<string, VerdictRow>

export type Verdict = keyof typeof verdicts
export const verdictNames = keysOf(verdicts)
export const passes = (verdict: Verdict): boolean => 'passes' in verdicts[verdict]

/** A finding is one cause, with all its places. */
export interface Finding {
  verdict: Verdict
  /** Number of the first entry that shows it, from 1. */
  exchange: number
  /** `POST /v2/transactions/cashin`, or the name of an event. */
  call: string
  /** `data.payment_info.expiration`, `status`, `headers.Retry-After`, `delay`. */
  path: string
  /** What the platform sent; null if it sent nothing. */
  platform: unknown
  sandbox: unknown
  /** What the documentation says; null if it says nothing. */
  documented: string | null
  /** Key of the assumption, as in docs/assumptions.md. */
  assumption: string | null
  /** The setting that changes the assumption. */
  setting: string | null
  /** The value of that setting with which the sandbox agrees; null if unknown. */
  value: unknown
  /** Describes the difference in one sentence. */
  about: string
  /** Number of occurrences. */
  places: number
  /** Whether the accept file lists it. */
  accepted: boolean
}

export interface LeftOut {
  reason: string
  entries: number
}

/** Without entries, the reason is a note. */
export const leftOutText = ({ reason, entries }: LeftOut): string =>
  entries === 0
    ? `${capitalized(reason)}.`
    : `Left out: ${reason} (${entries === 1 ? '1 entry' : `${entries} entries`}).`

export interface Comparison {
  recordings: number
  /** Day of the newest exchange. */
  last_seen: string | null
  exchanges: number
  webhooks: number
  /** Number of compared fields. */
  fields: number
  summary: Partial<Record<Verdict, number>>
  findings: Finding[]
  left_out: LeftOut[]
}

/** A known difference that is accepted. */
export interface Accepted {
  verdict: Verdict
  call: string
  path: string
  reason: string
  /** `2026-11-21`. */
  date: string
}

export const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`

export const headline = ({
  exchanges,
  webhooks,
  fields,
  recordings,
}: Pick<Comparison, 'exchanges' | 'webhooks' | 'fields' | 'recordings'>): string =>
  `${count(exchanges, 'call')}, ${count(webhooks, 'webhook')} and ${count(fields, 'field')} of ${count(recordings, 'recording')} compared`
