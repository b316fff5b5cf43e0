/** Types that both certifications share: rules, results, evidence and the verdict. */

import type { AttemptOutcome } from '../../protocol/platform/outcomes.js'
import type { CallWarning } from '../../protocol/platform/warnings.js'
import type { ExampleName } from './examples.js'

/** `warning`: worth fixing, but it does not fail the certification. */
type Severity = 'error' | 'warning'

/** `inconclusive`: the rule could not be decided; `observed` gives the reason. */
export const results = ['passed', 'failed', 'inconclusive'] as const
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

export const verdicts = ['passed', 'failed'] as const
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

/** Failed warnings and inconclusive rules do not fail the certification. */
export function verdictOf(rules: readonly RuleReport[]): Verdict {
  return rules.some(({ result, severity }) => result === 'failed' && severity === 'error') ? 'failed' : 'passed'
}
