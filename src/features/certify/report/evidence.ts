/** Fields that reports share: the verdict, the result of a requirement, the call that showed it, and why the state could not be read. */
import * as z from 'zod'
import { attemptOutcomes } from '../../../inside/platform.js'
import { results, verdicts } from './rules.js'

/** What every report has: the rules, and those that were not tested, grouped by the one that prevented their test. */
export const reportFields = <Rule extends z.ZodType, Id extends z.ZodType>(rule: Rule, id: Id) => ({
  verdict: z
    .enum(verdicts)
    .describe('`failed`: a required requirement failed; `incomplete`: none failed, but one could not be decided'),
  rules: z.array(rule),
  not_tested: z
    .array(z.strictObject({ blocked_by: id, reason: z.string(), rules: z.array(id) }))
    .describe('Requirements that were not tested, grouped by the one that prevented their test'),
})

/** What every rule of a report has besides its evidence. */
export const ruleFields = <Id extends z.ZodType>(id: Id) => ({
  id,
  requirement: z.string().describe('What the tested side must do'),
  source: z.string().describe('The section of the interface, and its sentence'),
  severity: z.enum(['error', 'warning']).describe('A warning does not change the verdict'),
  result: z
    .enum(results)
    .describe(
      '`inconclusive`: tried, but not decided; `observed` says why. `skipped`: not tried, because an option is missing',
    ),
  observed: z.string(),
  reason: z.string().optional().describe('Only with `skipped`: the missing option'),
  check: z.string(),
  fix: z.string().describe('How to fix the problem that was observed'),
  blocked_by: id.optional().describe('The requirement that prevented this check'),
})

export const evidence = () =>
  z.strictObject({
    request: z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()), body: z.string() }),
    answer: z.strictObject({
      outcome: z.enum(attemptOutcomes),
      status: z.int().nullable(),
      body: z.string().nullable(),
      duration_ms: z.int(),
    }),
  })

export const stateError = () =>
  z.string().optional().describe('Why the state of the application could not be read, if it could not')
