/** What to do about an answer that a receiver gave, or did not give: a row per kind of answer, the first that fits counts. */
import type { AttemptOutcome } from '../../protocol/platform/outcomes.js'
import type { ExampleName } from './examples.js'
import type { Evidence, RuleRow } from './rules.js'

interface ObservedRow {
  /** As documentation names it. */
  observed: string
  /** Without an HTTP status. */
  outcome?: AttemptOutcome
  status?: RegExp
  fix: string
  example?: ExampleName
  /** The fix helps whatever was tested: the receiver failed, and did not decide. */
  always?: true
}

const ownLog = "Read the receiver's own log at the time of this call"

// biome-ignore format: a table, a field a line
export const observedRows: readonly ObservedRow[] = [
  {
    observed: 'connection refused', outcome: 'refused', always: true,
    fix: 'Nothing listens at this address. Start the receiver, and check the host and the port; a receiver in a container must publish the port.',
  },
  {
    observed: 'host name not found', outcome: 'dns', always: true,
    fix: 'The host name has no address. Check how it is spelled, and that this machine can resolve it.',
  },
  {
    observed: 'no connection in 5 seconds', outcome: 'connect_timeout', always: true,
    fix: 'The machine does not take the connection. Check the host and the port, and whether a firewall drops the packets.',
  },
  {
    observed: 'no answer in 10 seconds', outcome: 'timeout', example: 'answer', always: true,
    fix: `The receiver takes the call and does not answer. ${ownLog} to see what the handler waits for, and check that it ends the response in every case.`,
  },
  {
    observed: 'connection closed without an answer', outcome: 'reset', always: true,
    fix: `The receiver closed the connection before it answered: the handler or the process crashed. ${ownLog}: it has the error. Check too that the port speaks HTTP and not HTTPS.`,
  },
  {
    observed: 'certificate not accepted', outcome: 'tls', always: true,
    fix: 'Use a certificate of a public authority for this host name; give the sandbox a private authority with NODE_EXTRA_CA_CERTS.',
  },
  {
    observed: '3xx', status: /^3/,
    fix: 'Redirects are not followed. Use the address that the redirect names; check http against https and a slash at the end of the path.',
  },
  {
    observed: '401, 403', status: /^40[13]$/, example: 'verify',
    fix: 'The receiver rejects the signature. Check that it knows the webhook_secret of the sandbox (payments-sandbox env prints it), and that it computes lower-case hex of HMAC-SHA256 over the raw body alone. Check too that no login or CSRF check stands before the handler.',
  },
  {
    observed: '404, 410', status: /^4(04|10)$/,
    fix: 'The server has no handler at this path. Check the path, its prefix and a slash at its end against the routes of the receiver.',
  },
  {
    observed: '405', status: /^405$/,
    fix: 'The path exists and does not accept POST. Register the handler for POST.',
  },
  {
    observed: '429', status: /^429$/,
    fix: 'The receiver limits the number of calls. Lift the limit for this run: about two hundred events arrive within seconds.',
  },
  {
    observed: 'other 4xx', status: /^4/, example: 'verify',
    fix: `The receiver rejects the call. ${ownLog} for the reason. Accept POST with Content-Type application/json, and check the signature before anything else.`,
  },
  {
    observed: '502, 503, 504', status: /^50[234]$/, always: true,
    fix: `A proxy reports that the receiver is not available, or the receiver is overloaded. Check that it runs behind the proxy. ${ownLog}.`,
  },
  {
    observed: 'other 5xx', status: /^5/, always: true,
    fix: `The receiver crashed while it handled the event. ${ownLog}: it has the error.`,
  },
]

type Answer = Pick<Evidence['answer'], 'outcome' | 'status'>

const observedIn = ({ outcome, status }: Answer): ObservedRow | undefined =>
  observedRows.find((row) => (status === null ? row.outcome === outcome : row.status?.test(String(status)) === true))

/** What to do where a rule is broken: by what was observed, where that decides it. */
export function fixFor({ fix, byAnswer }: RuleRow, answer: Answer | undefined): string {
  const row = answer === undefined ? undefined : observedIn(answer)
  if (row === undefined) return fix
  if (byAnswer === true) return row.fix
  return row.always === true ? `${row.fix} ${fix}` : fix
}

/** The lines to start from, where some help. */
export function exampleFor({ example, byAnswer }: RuleRow, answer: Answer | undefined): ExampleName | undefined {
  const row = answer === undefined ? undefined : observedIn(answer)
  return byAnswer === true && row !== undefined ? row.example : example
}
