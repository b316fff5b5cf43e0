/** What certification speaks of, whichever side is certified: rules, what was observed of each, and the verdict. */

import type { AttemptOutcome } from '../../protocol/platform/outcomes.js'
import type { CallWarning } from '../../protocol/platform/warnings.js'
import type { ExampleName } from './examples.js'

/** `warning`: worth fixing, and no reason to fail. */
export type Severity = 'error' | 'warning'

/** `unseen`: nothing could be told either way, and `observed` says why. */
export const results = ['passed', 'failed', 'inconclusive'] as const
export type Result = (typeof results)[number]

/** A rule; its id is its key in the table. */
export interface RuleRow {
  /** One sentence: what the certified side has to do. */
  requirement: string
  /** The part of the interface, and its sentence. */
  source: string
  severity: Severity
  /** What is done to find out. */
  check: string
  /** What to do where it is broken. */
  fix: string
  /** What to do depends on what the receiver answered, where it did not answer 2xx. */
  byAnswer?: true
  /** Lines to start from. */
  example?: ExampleName
  /** Rules without which nothing can be told about this one: where one of them is broken, this one is unseen. */
  after?: readonly string[]
  /** Nothing else goes on meanwhile. */
  alone?: true
}

/** What went over the wire, where that explains a result. */
export interface Evidence {
  request: { url: string; headers: Record<string, string>; body: string }
  answer: { outcome: AttemptOutcome; status: number | null; body: string | null; duration_ms: number }
}

export interface RuleReport<Id extends string = string>
  extends Pick<RuleRow, 'requirement' | 'source' | 'severity' | 'check' | 'fix'> {
  id: Id
  result: Result
  /** What was observed, or why nothing could be. */
  observed: string
  evidence: Evidence | null
  /** The broken rule that kept this one from being tested. */
  blocked_by?: Id | undefined
}

/** Rules that one broken rule kept from being tested. */
export interface NotTested<Id extends string = string> {
  blocked_by: Id
  reason: string
  rules: Id[]
}

/** The same warning about calls of one endpoint. */
export interface WarnedCalls extends CallWarning {
  method: string
  path: string
  calls: number
  /** The first of them. */
  request_id: string
}

export const verdicts = ['passed', 'failed'] as const
export type Verdict = (typeof verdicts)[number]

export interface Report<Id extends string = string> {
  verdict: Verdict
  rules: RuleReport<Id>[]
  not_tested: NotTested<Id>[]
  /** Of a client: what the request log warns about. */
  warnings?: WarnedCalls[]
}

/** A warning is no reason to fail, and neither is what nobody could see. */
export function verdictOf(rules: readonly RuleReport[]): Verdict {
  return rules.some(({ result, severity }) => result === 'failed' && severity === 'error') ? 'failed' : 'passed'
}
