/** Reports as schemas: the verdict, the result of a requirement, the call that showed it, and why the state could not be read. */
import * as z from 'zod'
import { model } from '../../../inside/control.js'
import { attemptOutcomes, warningCodes } from '../../../inside/platform.js'

/**
 * `inconclusive`: the check was tried and could not decide; `observed` gives the reason. `skipped`: the check was not tried,
 * because an option is missing; `reason` names the option.
 */
const results = ['passed', 'failed', 'inconclusive', 'skipped'] as const
export type Result = (typeof results)[number]

/** `incomplete`: no required rule failed, but one of them could not be decided. */
const verdicts = ['passed', 'failed', 'incomplete'] as const
export type Verdict = (typeof verdicts)[number]

const evidence = () =>
  z.strictObject({
    request: z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()), body: z.string() }),
    answer: z.strictObject({
      outcome: z.enum(attemptOutcomes),
      status: z.int().nullable(),
      body: z.string().nullable(),
      duration_ms: z.int(),
    }),
  })
export type Evidence = z.output<ReturnType<typeof evidence>>

const rule = <Id extends z.ZodType>(id: Id) =>
  z.strictObject({
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
    evidence: evidence().nullable().describe('The call that showed the result of a receiver; null if there is none'),
  })
export type RuleReport<Id extends string = string> = z.output<ReturnType<typeof rule<z.ZodType<Id>>>>

/** What is left of a certification after a result. */
export interface Remaining {
  /** Requirements without a result. */
  left: number
  /** Longest time until the end; undefined for a load. */
  left_ms?: number
}

/** A result on the stream, shown until the report arrives: a rule without what was sent and answered. */
export interface LiveResult extends Omit<RuleReport, 'id' | 'result' | 'evidence'>, Remaining {
  rule: string
  status: Result
}

/** The rules of one kind of report, named in the OpenAPI document. */
export const ruleModel = <Id extends z.ZodType>(name: string, id: () => Id) => model(name, () => rule(id()))

const notTested = <Id extends z.ZodType>(id: Id) =>
  z.strictObject({ blocked_by: id, reason: z.string(), rules: z.array(id) })
export type NotTested<Id extends string = string> = z.output<ReturnType<typeof notTested<z.ZodType<Id>>>>

/** What every report has: the rules, and those that were not tested, grouped by the one that prevented their test. */
export const reportFields = <Rule extends z.ZodType, Id extends z.ZodType>(rule: Rule, id: Id) => ({
  verdict: z
    .enum(verdicts)
    .describe('`failed`: a required requirement failed; `incomplete`: none failed, but one could not be decided'),
  rules: z.array(rule),
  not_tested: z
    .array(notTested(id))
    .describe('Requirements that were not tested, grouped by the one that prevented their test'),
})

/** A warning of the request log that several calls of one endpoint share. */
export const warnedCalls = () =>
  z.strictObject({
    code: z.enum(warningCodes),
    message: z.string(),
    field: z.string().optional(),
    method: z.string(),
    path: z.string(),
    calls: z.int(),
    request_id: z.string().describe('The first of these calls'),
  })
export type WarnedCalls = z.output<ReturnType<typeof warnedCalls>>

export const stateError = () =>
  z.string().optional().describe('Why the state of the application could not be read, if it could not')
