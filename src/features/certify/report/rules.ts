/** Types that both certifications share: rules, results, evidence and the verdict. */

import type { AttemptOutcome, CallWarning } from '../../../inside/platform.js'
import type { ExampleName } from '../examples.js'
import type { missingOptions } from './missing-options.js'

/** `warning`: worth fixing, but it does not fail the certification. */
type Severity = 'error' | 'warning'

/**
 * `inconclusive`: the check was tried and could not decide; `observed` gives the reason. `skipped`: the check was not tried,
 * because an option is missing; `reason` names the option.
 */
export const results = ['passed', 'failed', 'inconclusive', 'skipped'] as const
export type Result = (typeof results)[number]

/** A rule; its id is its key in the table. */
export interface RuleRow {
  /** One sentence: what the certified receiver or client must do. */
  requirement: string
  /** Section of the interface, with the sentence that the rule follows from. */
  source: string
  severity: Severity
  /** How the rule is checked. */
  check: string
  /** How to fix a failure. */
  fix: string
  /** The fix depends on the receiver's answer, if that was not 2xx. */
  byAnswer?: true
  /** Example code to start from. */
  example?: ExampleName
  /** Rules that this rule depends on. If one of them failed, this rule is inconclusive. */
  after?: readonly string[]
  /** The option without which the rule is skipped, unless its check decides without it. */
  needs?: keyof typeof missingOptions
  /** No other check runs at the same time. */
  alone?: true
}

/** The request and the response, if they explain a result. */
export interface Evidence {
  request: { url: string; headers: Record<string, string>; body: string }
  answer: { outcome: AttemptOutcome; status: number | null; body: string | null; duration_ms: number }
}

export interface RuleReport<Id extends string = string>
  extends Pick<RuleRow, 'requirement' | 'source' | 'severity' | 'check' | 'fix'> {
  id: Id
  result: Result
  /** What was observed, or why the rule is inconclusive. */
  observed: string
  /** Why the rule was skipped. */
  reason?: string | undefined
  evidence: Evidence | null
  /** The rule that prevented this check. */
  blocked_by?: Id | undefined
}

/** Rules that were not tested because of one other rule. */
export interface NotTested<Id extends string = string> {
  blocked_by: Id
  reason: string
  rules: Id[]
}

/** A warning that several calls of one endpoint share. */
export interface WarnedCalls extends CallWarning {
  method: string
  path: string
  calls: number
  /** The first of these calls. */
  request_id: string
}

/** `incomplete`: no required rule failed, but one of them could not be decided. */
export const verdicts = ['passed', 'failed', 'incomplete'] as const
export type Verdict = (typeof verdicts)[number]

export interface Report<Id extends string = string> {
  verdict: Verdict
  rules: RuleReport<Id>[]
  not_tested: NotTested<Id>[]
  /** Why the state of the application could not be read, if it could not. */
  state_error?: string | undefined
  /** Clients only: number of calls that were judged. */
  calls?: number
  /** Clients only: warnings from the request log. */
  warnings?: WarnedCalls[]
}

/** Only required rules count: neither a warning nor a skipped rule changes the verdict. */
export function verdictOf(rules: readonly Pick<RuleReport, 'result' | 'severity'>[]): Verdict {
  const has = (wanted: Result) => rules.some(({ result, severity }) => result === wanted && severity === 'error')
  if (has('failed')) return 'failed'
  return has('inconclusive') ? 'incomplete' : 'passed'
}
