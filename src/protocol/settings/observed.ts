/** What recordings of the platform showed about an assumption, as a profile holds it. */
import * as z from 'zod'
import { assumptionIds } from '../platform/assumptions.js'

const observedVerdicts = ['assumption_confirmed', 'assumption_wrong'] as const

export interface Observed {
  verdict: (typeof observedVerdicts)[number]
  /** How many recordings showed it. */
  recordings: number
  /** `2026-11-21`. */
  last_seen?: string | undefined
}

const observed = z.strictObject({
  verdict: z.enum(observedVerdicts, `must be ${observedVerdicts.join(' or ')}`),
  recordings: z.int('must be a whole number').min(1, 'must be at least 1').max(1_000_000, 'must be at most 1000000'),
  last_seen: z.iso.date('must be a day such as 2026-11-21').optional(),
})

/** By the key of the assumption. */
export const observations = z.partialRecord(z.enum(assumptionIds), observed, {
  error: ({ code }) =>
    code === 'invalid_key'
      ? 'is not the key of an assumption; docs/assumptions.md lists them'
      : 'must be a table of assumptions',
})

/** `confirmed by 2 recordings, last on 2026-11-21`; `assumed` if no recording shows it. */
export function describeObserved(seen: Observed | undefined): string {
  if (seen === undefined) return 'assumed'
  const count = seen.recordings === 1 ? '1 recording' : `${seen.recordings} recordings`
  const word = seen.verdict === 'assumption_confirmed' ? 'confirmed by' : 'wrong in'
  return `${word} ${count}${seen.last_seen === undefined ? '' : `, last on ${seen.last_seen}`}`
}
