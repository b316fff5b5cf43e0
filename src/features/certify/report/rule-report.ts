/** Reports the result of a rule: its row, what was found, and the fix that fits the answer. */

import { blockedWords } from '../../../inside/platform.js'
import { keysOf } from '../../../inside/values.js'
import type { Finding } from '../receiver/check-context.js'
import type { Attempt } from '../receiver/event-sender.js'
import { asStopped, fixFor, type RefusalCase } from '../receiver/observed.js'
import type { Evidence, RuleReport, RuleRow } from './rules.js'

/** `hasAccepted`: the receiver has accepted an event at the URL of this attempt. */
export function ruleReport<Id extends string>(
  rules: Readonly<Record<Id, RuleRow>>,
  id: Id,
  { result, observed, attempt, blockedBy, fix, reason }: Finding,
  hasAccepted = false,
): RuleReport<Id> {
  const row = rules[id]
  const { requirement, source, severity, check } = row
  const evidence = attempt === undefined ? null : evidenceOf(attempt)
  const by = keysOf(rules).find((one) => one === blockedBy)
  const refusal = attempt === undefined ? undefined : caseOf(attempt, hasAccepted)
  return {
    ...{ id, requirement, source, severity, result, check },
    observed: refusal === 'stopped' ? asStopped(observed) : observed,
    fix: fix ?? fixFor(row, evidence === null ? undefined : { ...evidence.answer, case: refusal }),
    evidence,
    ...(by === undefined ? {} : { blocked_by: by }),
    ...(reason === undefined ? {} : { reason }),
  }
}

function caseOf({ result: { detail } }: Attempt, hasAccepted: boolean): RefusalCase | undefined {
  if (detail?.endsWith(blockedWords) === true) return 'blocked'
  return hasAccepted ? 'stopped' : undefined
}

const evidenceOf = ({ request: { url, headers, body }, result }: Attempt): Evidence => ({
  request: { url, headers, body },
  answer: {
    outcome: result.outcome,
    status: result.status,
    body: result.responseBody,
    duration_ms: Math.round(result.durationMs),
  },
})
