/** Reports the result of a rule: its row, what was found, and the fix that fits the answer. */
import { type AttemptOutcome, blockedDetail, outcomeWords } from '../../../inside/platform.js'
import { keysOf } from '../../../inside/values.js'
import type { Finding } from '../receiver/check-context.js'
import type { Attempt } from '../receiver/event-sender.js'
import type { Evidence, RuleReport } from './evidence.js'
import type { ExampleName, RuleRow } from './rules.js'

interface ObservedRow {
  /** The outcome of an attempt without an answer, or a pattern of the status. */
  found: AttemptOutcome | RegExp
  /** The row is only about a receiver that accepted an event earlier, or about an address that the sandbox may not call. */
  case?: RefusalCase
  fix: string
  example?: ExampleName
}

type RefusalCase = 'stopped' | 'blocked'

/** Says in an observation that the receiver has stopped. */
const asStopped = (observed: string): string =>
  observed.replace(outcomeWords.refused, `${outcomeWords.refused} any more`)

const ownLog = "Read the receiver's own log at the time of this call"

// biome-ignore format: a table, a field a line
const observedRows: readonly ObservedRow[] = [
  {
    found: 'refused', case: 'stopped',
    fix: `The receiver has stopped. ${ownLog} to see why its process ended.`,
  },
  {
    found: 'refused', case: 'blocked',
    fix: 'This sandbox is shared, so it calls public addresses only. Use a public address, or certify the receiver from a sandbox on your own machine.',
  },
  {
    found: 'refused',
    fix: 'Start the receiver, and check the host and the port. A receiver in a container must publish the port.',
  },
  {
    found: 'dns',
    fix: 'Check the spelling of the name, and check that this machine can resolve the name.',
  },
  {
    found: 'connect_timeout',
    fix: 'Check the host and the port, and whether a firewall drops the packets.',
  },
  {
    found: 'timeout', example: 'answer',
    fix: `${ownLog} to see what the handler waits for, and check that the handler ends the response in every case.`,
  },
  {
    found: 'reset',
    fix: `The handler or the process crashed. ${ownLog}: the log has the error. Also check that the port speaks HTTP and not HTTPS.`,
  },
  {
    found: 'tls',
    fix: 'Use a certificate of a public authority for this host name; or set NODE_EXTRA_CA_CERTS of the sandbox to the certificate of your own authority.',
  },
  {
    found: /^3/,
    fix: 'Redirects are not followed. Use the address that the redirect names; common causes are http instead of https, and a missing or extra slash at the end of the path.',
  },
  {
    found: /^40[13]$/, example: 'verify',
    fix: 'The receiver rejects the signature. Check that the receiver has the webhook_secret of the sandbox (payments-sandbox env prints the secret), and that it computes the lower-case hex of HMAC-SHA256 over the raw body only. Also check that no login or CSRF check runs before the handler.',
  },
  {
    found: /^4(04|10)$/,
    fix: 'The server has no handler at this path. Check the path, its prefix and whether it ends with a slash.',
  },
  {
    found: /^405$/,
    fix: 'The path exists but does not accept POST. Register the handler for POST.',
  },
  {
    found: /^429$/,
    fix: 'The receiver limits the number of calls. Disable the limit for this run: about two hundred events arrive within seconds.',
  },
  {
    found: /^4/, example: 'verify',
    fix: `The receiver rejects the call. ${ownLog} for the reason. Accept POST with Content-Type application/json, and check the signature before anything else.`,
  },
  {
    found: /^50[234]$/,
    fix: `A proxy reports that the receiver is not available, or the receiver is overloaded. Check that the receiver runs behind the proxy. ${ownLog}.`,
  },
  {
    found: /^5/,
    fix: `The receiver crashed while it handled the event. ${ownLog}: the log has the error.`,
  },
]

type Answer = Pick<Evidence['answer'], 'outcome' | 'status'> & { case?: RefusalCase | undefined }

const rowFor = ({ outcome, status, case: refusal }: Answer): ObservedRow | undefined =>
  observedRows.find((row) =>
    row.found instanceof RegExp
      ? row.found.test(String(status))
      : status === null && row.found === outcome && (row.case === undefined || row.case === refusal),
  )

/** Returns the fix for a failed rule, chosen by the receiver's answer if that determines it. */
function fixFor({ fix, byAnswer }: RuleRow, answer: Answer | undefined): string {
  const row = answer === undefined ? undefined : rowFor(answer)
  if (answer === undefined || row === undefined) return fix
  if (byAnswer === true) return row.fix
  // Without a decision of the receiver, the fault comes first, whatever rule failed.
  return answer.status === null || answer.status >= 500 ? `${row.fix} ${fix}` : fix
}

/** Returns the name of the example code for a failed rule, if there is any. */
export function exampleFor({ example, byAnswer }: RuleRow, answer: Answer | undefined): ExampleName | undefined {
  const row = answer === undefined ? undefined : rowFor(answer)
  return byAnswer === true && row !== undefined ? row.example : example
}

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
    ...{ evidence, reason, blocked_by: by },
  }
}

function caseOf({ result: { detail } }: Attempt, hasAccepted: boolean): RefusalCase | undefined {
  if (detail?.endsWith(blockedDetail) === true) return 'blocked'
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
