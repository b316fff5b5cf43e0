/** The verdicts of a comparison, and what reports say about it. */
import { capitalized, keysOf } from '../../../inside/values.js'

interface VerdictRow {
  /** Heading of the findings with this verdict. */
  title: string
  /** A finding with this verdict, in a word or two. */
  kind: string
  meaning: string
  /** `failed` and `warning` fail the run. */
  outcome: 'passed' | 'warning' | 'failed'
}

/** In report order. */
export const verdicts = {
  documentation_wrong: {
    ...{ title: 'Documentation errors', kind: 'contradiction', outcome: 'failed' },
    meaning: 'The sandbox follows the documentation; the platform does not.',
  },
  sandbox_wrong: {
    ...{ title: 'Sandbox errors', kind: 'sandbox error', outcome: 'failed' },
    meaning: 'The platform follows the documentation; the sandbox does not.',
  },
  assumption_wrong: {
    ...{ title: 'Wrong assumptions', kind: 'assumption', outcome: 'warning' },
    meaning: 'The sandbox assumes something that the documentation leaves open; the platform differs.',
  },
  unknown_field: {
    ...{ title: 'Unknown fields', kind: 'undocumented', outcome: 'failed' },
    meaning: 'The platform sends something that is neither documented nor sent by the sandbox.',
  },
  unexplained: {
    ...{ title: 'Unexplained differences', kind: 'unexplained', outcome: 'warning' },
    meaning: 'The call cannot be repeated, or the difference cannot be explained; the finding says why.',
  },
  assumption_confirmed: {
    ...{ title: 'Confirmed assumptions', kind: 'confirmed', outcome: 'passed' },
    meaning: 'The sandbox assumes something, and the platform agrees.',
  },
} as const satisfies Record<string, VerdictRow>

export type Verdict = keyof typeof verdicts
export const verdictNames = keysOf(verdicts)
export const passes = (verdict: Verdict): boolean => verdicts[verdict].outcome === 'passed'

/** The values of a finding as JSON, so that `"5"` is not 5; `absent` if the side sends none. */
export const valueText = (
  finding: Readonly<{ platform?: unknown; sandbox?: unknown; absent: string | null }>,
  side: 'platform' | 'sandbox',
): string => (finding.absent === side ? 'absent' : JSON.stringify(finding[side]))

/** Without entries, the reason is a note. `say` translates. */
export const leftOutText = ({ reason, entries }: { reason: string; entries: number }, say = (text: string) => text) =>
  entries === 0
    ? `${capitalized(say(reason))}.`
    : say(entries === 1 ? `Left out: ${reason} (1 entry).` : `Left out: ${reason} (${entries} entries).`)

export const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`

export const listed = (names: readonly string[], most: number): string =>
  names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`

export const headline = ({ exchanges, webhooks, fields, recordings }: Readonly<Record<Counted, number>>): string =>
  `${count(exchanges, 'call')}, ${count(webhooks, 'webhook')} and ${count(fields, 'field')} of ${count(recordings, 'recording')} compared`

type Counted = 'exchanges' | 'webhooks' | 'fields' | 'recordings'
