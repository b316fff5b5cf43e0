/** The list of accepted differences: its format, and its effect on a report. */
import * as z from 'zod'
import { parseDay } from '../../../inside/values.js'
import type { Comparison, Finding } from './comparison.js'
import { passes, verdictNames } from './verdicts.js'

const text = () => z.string('must be a string').min(1, 'must not be empty').max(500, 'must be at most 500 characters')

const list = z
  .array(
    z.strictObject(
      {
        verdict: z.enum(verdictNames, `must be one of ${verdictNames.join(', ')}`),
        call: text(),
        path: text(),
        reason: text(),
        date: text().refine((day) => parseDay(day) !== null, 'must be a day such as 2026-11-21'),
      },
      'must be an object',
    ),
    'must be a list of accepted differences',
  )
  .max(1000, 'must have at most 1000 entries')

/** A known difference that is accepted. */
export type Accepted = z.infer<typeof list>[number]

/** Returns the list, or its mistakes, one line each. */
export function parseAccepted(value: unknown): { accepted: Accepted[] } | { mistakes: string[] } {
  const result = list.safeParse(value ?? [])
  if (result.success) return { accepted: result.data }
  return {
    mistakes: result.error.issues.map(({ path, message, code, ...more }) => {
      const [at, field] = path
      const place =
        at === undefined ? 'the file' : `entry ${Number(at) + 1}${field === undefined ? '' : `, ${String(field)}`}`
      return `${place} ${code === 'unrecognized_keys' && 'keys' in more ? `has no field ${String(more.keys)}` : message}`
    }),
  }
}

const keyOf = ({ verdict, call, path }: Pick<Accepted, 'verdict' | 'call' | 'path'>) => `${verdict} ${call} ${path}`

/** Marks the accepted findings. `stale` contains the entries that match no finding. */
export function accept(report: Comparison, accepted: readonly Accepted[]): { report: Comparison; stale: Accepted[] } {
  const keys = new Set(accepted.map(keyOf))
  const keysOf = (one: Finding) => one.calls.map((call) => keyOf({ ...one, call }))
  const findings = report.findings.map((one) => ({ ...one, accepted: keysOf(one).some((key) => keys.has(key)) }))
  const found = new Set(findings.flatMap(keysOf))
  return { report: { ...report, findings }, stale: accepted.filter((one) => !found.has(keyOf(one))) }
}

/** Whether every finding passes or is accepted, and no accepted difference is stale. */
export const isPassed = ({ findings }: Comparison, stale: readonly Accepted[]): boolean =>
  stale.length === 0 && findings.every((one) => passes(one.verdict) || one.accepted)
