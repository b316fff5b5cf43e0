/** Reports the result of a rule: its row, what was found, and the fix that fits the answer. */
import { type AttemptOutcome, blockedDetail, outcomeWords } from '../../../inside/platform.js'
import { keysOf } from '../../../inside/values.js'
import type { Finding } from '../receiver/check-context.js'
import type { Attempt } from '../receiver/event-sender.js'
import type { Evidence, RuleReport } from './evidence.js'
import type { ExampleName, RuleRow } from './rules.js'

type ObservedRow = (NoResponse | Response) & {
  fix: string
  example?: ExampleName
  /** The fix applies whatever rule failed: the receiver had a fault and made no decision. */
  appliesToAnyRule?: true
}

interface NoResponse {
  outcome: AttemptOutcome
  /** The row is only about a receiver that accepted an event earlier, or about an address that the sandbox may not call. */
  case?: RefusalCase
}

type RefusalCase = 'stopped' | 'blocked'

/** Says in an observation that the receiver has stopped. */
const asStopped = (observed: string): string =>
  observed.replace(outcomeWords.refused, `${outcomeWords.refused} any more`)

interface Response {
  status: RegExp
}

const ownLog = "Read the receiver's own log at the time of this call"

// biome-ignore format: a table, a field a line
const observedRows: readonly ObservedRow[] = [
  {
    outcome: 'refused', case: 'stopped', appliesToAnyRule: true,
    fix: `The receiver has stopped. ${ownLog} to see why its process ended.`,
  },
  {
    outcome: 'refused', case: 'blocked', appliesToAnyRule: true,
    fix: 'This sandbox is shared, so it calls public addresses only. Use a public address, or certify the receiver from a sandbox on your own machine.',
  },
  {
    outcome: 'refused', appliesToAnyRule: true,
    fix: 'Start the receiver, and check the host and the port. A receiver in a container must publish the port.',
  },
  {
    outcome: 'dns', appliesToAnyRule: true,
    fix: 'Check the spelling of the name, and check that this machine can resolve the name.',
  },
  {
    outcome: 'connect_timeout', appliesToAnyRule: true,
    fix: 'Check the host and the port, and whether a firewall drops the packets.',
  },
  {
    outcome: 'timeout', example: 'answer', appliesToAnyRule: true,
    fix: `${ownLog} to see what the handler waits for, and check that the handler ends the response in every case.`,
  },
  {
    outcome: 'reset', appliesToAnyRule: true,
    fix: `The handler or the process crashed. ${ownLog}: the log has the error. Also check that the port speaks HTTP and not HTTPS.`,
  },
  {
    outcome: 'tls', appliesToAnyRule: true,
    fix: 'Use a certificate of a public authority for this host name; or set NODE_EXTRA_CA_CERTS of the sandbox to the certificate of your own authority.',
  },
  {
    status: /^3/,
    fix: 'Redirects are not followed. Use the address that the redirect names; common causes are http instead of https, and a missing or extra slash at the end of the path.',
  },
  {
    status: /^40[13]$/, example: 'verify',
    fix: 'The receiver rejects the signature. Check that the receiver has the webhook_secret of the sandbox (payments-sandbox env prints the secret), and that it computes the lower-case hex of HMAC-SHA256 over the raw body only. Also check that no login or CSRF check runs before the handler.',
  },
  {
    status: /^4(04|10)$/,
    fix: 'The server has no handler at this path. Check the path, its prefix and whether it ends with a slash.',
  },
  {
    status: /^405$/,
    fix: 'The path exists but does not accept POST. Register the handler for POST.',
  },
  {
    status: /^429$/,
    fix: 'The receiver limits the number of calls. Disable the limit for this run: about two hundred events arrive within seconds.',
  },
  {
    status: /^4/, example: 'verify',
    fix: `The receiver rejects the call. ${ownLog} for the reason. Accept POST with Content-Type application/json, and check the signature before anything else.`,
  },
  {
    status: /^50[234]$/, appliesToAnyRule: true,
    fix: `A proxy reports that the receiver is not available, or the receiver is overloaded. Check that the receiver runs behind the proxy. ${ownLog}.`,
  },
  {
    status: /^5/, appliesToAnyRule: true,
    fix: `The receiver crashed while it handled the event. ${ownLog}: the log has the error.`,
  },
]

type Answer = Pick<Evidence['answer'], 'outcome' | 'status'> & { case?: RefusalCase | undefined }

const rowFor = ({ outcome, status, case: refusal }: Answer): ObservedRow | undefined =>
  observedRows.find((row) =>
    'outcome' in row
      ? status === null && row.outcome === outcome && (row.case === undefined || row.case === refusal)
      : status !== null && row.status.test(String(status)),
  )

/** Returns the fix for a failed rule, chosen by the receiver's answer if that determines it. */
function fixFor({ fix, byAnswer }: RuleRow, answer: Answer | undefined): string {
  const row = answer === undefined ? undefined : rowFor(answer)
  if (row === undefined) return fix
  if (byAnswer === true) return row.fix
  return row.appliesToAnyRule === true ? `${row.fix} ${fix}` : fix
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
