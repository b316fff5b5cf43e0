/** What all certifications share: rules, what their checks find, and the report with the verdict and the fix that fits the answer. */
import { type AttemptOutcome, blockedDetail, outcomeWords } from '../../../inside/platform.js'
import { capitalized, keysOf } from '../../../inside/values.js'
import type { Evidence, NotTested, Result, RuleReport, Verdict, WarnedCalls } from './evidence.js'

export const missingOptions = {
  stateUrl: 'requires the state URL (--state-url or --state-command)',
  restart: 'requires a URL or command that restarts the receiver (--restart or --restart-command)',
  findLimit: 'requires a search for the limit (--find-limit)',
  productionMode: 'tested only with --mode production',
  faults: 'requires injected faults: run payments-sandbox certify client without --observe, or set chaos',
  simulation: 'tested only by payments-sandbox certify client without --observe',
  booksCommand: 'requires a ledger (--books-command)',
  productionUrl: 'requires the production URL (--production-url)',
} as const

/** The flags in texts of reports, and what each page has instead: a field, or the command that has the flag. */
export const pageWords = {
  receiver: [
    ['--state-url or --state-command', 'the field State URL'],
    ['--find-limit', 'check Find the limit'],
    ['--restart or --restart-command', 'payments-sandbox certify receiver --restart URL'],
    ['--mode production', 'payments-sandbox certify receiver --mode production'],
    ['--production-url', 'payments-sandbox certify receiver --production-url URL'],
  ],
  client: [
    ['--state-url or --state-command', 'payments-sandbox certify client --state-url URL'],
    ['certify client without --observe', 'certify client -- COMMAND'],
    ['--books-command', 'payments-sandbox certify client --chaos rough --books-command LINE'],
  ],
  books: [
    ['with --column', 'in the option Columns:'],
    ['--column', 'the option Columns'],
    ['with --time-zone ZONE', 'in the option Time zone'],
  ],
} as const
export type CertifyPage = keyof typeof pageWords

/** Subjects of rules, by the first part of their ids; any other part is its own word. */
const subjects: Readonly<Record<string, string>> = {
  accept: 'Accepted events',
  answer: 'Response times',
  answers: 'Responses',
  different: 'Similar events',
  duplicate: 'Duplicate events',
  durable: 'Restarts',
  effect: 'What the app did',
  missed: 'Missed events',
  order: 'Order of arrival',
  production: 'Production mode',
  refund: 'Refunds',
  refuse: 'Rejected events',
  repeat: 'Repeated calls',
  retry: 'Retries',
  sign: 'Signatures',
  timestamp: 'Timestamps',
  token: 'Tokens',
  wait: 'Rate limits',
}

/** The subject of a rule, by its id or the first part of it. */
export const groupOf = (rule: string): string => {
  const [subject = rule] = rule.split('.')
  return subjects[subject] ?? capitalized(subject)
}

/** Returns a text of a report for a page, which has no flags. `say`: in its language, where the flags are as in English. */
export const onPage = (text: string, page: CertifyPage, say: (text: string) => string = String): string =>
  pageWords[page].reduce((all, [flags, words]) => all.replace(flags, () => say(words)), say(text))

/** `warning`: worth fixing, but it does not fail the certification. */
type Severity = 'error' | 'warning'

/** The sections of the files in `examples/snippets`. */
export const exampleNames = [
  ...['verify', 'timestamp', 'dedupe', 'answer', 'tolerate', 'amounts', 'order', 'durable', 'production'],
  ...['token', 'sign', 'repeat', 'sent', 'wait', 'read', 'withdrawal', 'reconcile'],
] as const
export type ExampleName = (typeof exampleNames)[number]

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
  /** Rules without which this rule can fail, but not pass. */
  passesAfter?: readonly string[]
  /** The option without which the rule is skipped, unless its check decides without it. */
  needs?: keyof typeof missingOptions
  /** No other check runs at the same time. */
  alone?: true
}

/** A call to the certified side and its result, as a page knows them too. */
interface Attempt {
  request: Evidence['request']
  result: Pick<Evidence['answer'], 'outcome' | 'status'> & {
    detail: string | null
    responseBody: string | null
    durationMs: number
  }
}

/** What a check found. */
export interface Finding {
  result: Result
  observed: string
  attempt?: Attempt | undefined
  /** The rule that prevented this check. */
  blockedBy?: string
  /** The missing option, if the check was skipped. */
  reason?: string
  /** Prevents the checks of the rules after this one, as a failure does. */
  blocks?: true
  /** The receiver accepts events and applies none any more, so no further check can tell anything. */
  appliesNothing?: true
  /** Replaces the fix of the rule, if the finding shows the cause. */
  fix?: string | undefined
}

export const pass = (observed: string): Finding => ({ result: 'passed', observed })
export const fail = (observed: string, attempt?: Attempt, fix?: string): Finding => ({
  ...{ result: 'failed', observed, attempt, fix },
})
/** Another rule prevented this check. */
export const notTested = (by: string, why: string): Finding => ({
  result: 'inconclusive',
  observed: `not tested because ${why}`,
  blockedBy: by,
})
export const inconclusive = (observed: string): Finding => ({ result: 'inconclusive', observed })
/** An option is missing; `observed` says what was tried without it. */
export const skipped = (reason: string, observed = reason): Finding => ({ result: 'skipped', observed, reason })

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
function verdictOf(rules: readonly Pick<RuleReport, 'result' | 'severity'>[]): Verdict {
  const has = (wanted: Result) => rules.some(({ result, severity }) => result === wanted && severity === 'error')
  if (has('failed')) return 'failed'
  return has('inconclusive') ? 'incomplete' : 'passed'
}

export function reportOf<Id extends string>(rules: RuleReport<Id>[]): Report<Id> {
  return { verdict: verdictOf(rules), rules, not_tested: groupsOf(rules) }
}

function groupsOf<Id extends string>(rules: readonly RuleReport<Id>[]): NotTested<Id>[] {
  const groups = new Map<string, NotTested<Id>>()
  for (const { id, blocked_by: by, observed } of rules) {
    if (by === undefined) continue
    const group = groups.get(observed) ?? { blocked_by: by, reason: observed, rules: [] }
    group.rules.push(id)
    groups.set(observed, group)
  }
  return [...groups.values()]
}

/** `35 requirements were not tested because accept.signed failed`. */
export const groupLine = ({ reason, rules }: Pick<NotTested, 'reason'> & { rules: readonly string[] }): string =>
  `${rules.length === 1 ? '1 requirement was' : `${rules.length} requirements were`} ${reason}`

/** `payments-sandbox docs/interface.md §6.1, rule 1`. */
export const sourceText = (source: string): string => `payments-sandbox docs/interface.md ${source}`

/** The result for people: a failed warning is a warning. */
export const resultWord = ({ result, severity }: Pick<RuleReport, 'result' | 'severity'>): Result | 'warning' =>
  result === 'failed' && severity === 'warning' ? 'warning' : result

/** Returns the rules that are listed one by one: all but those that another rule prevented. */
export const testedRules = <Rule extends Pick<RuleReport, 'blocked_by'>>({
  rules,
}: {
  rules: readonly Rule[]
}): Rule[] => rules.filter((rule) => rule.blocked_by === undefined)

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

/** `{log}` stands for `ownLog`: templates would keep the table in the script of the dashboard, which does not use it. */
// biome-ignore format: a table, a field a line
const observedRows: readonly ObservedRow[] = [
  {
    found: 'refused', case: 'stopped',
    fix: 'The receiver has stopped. {log} to see why its process ended.',
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
    fix: '{log} to see what the handler waits for, and check that the handler ends the response in every case.',
  },
  {
    found: 'reset',
    fix: 'The connection ended before a response, as it does when a handler or its process ends. {log}. Also check that the port speaks HTTP and not HTTPS.',
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
    fix: 'The receiver rejects the call. {log} for the reason. Accept POST with Content-Type application/json, and check the signature before anything else.',
  },
  {
    found: /^50[234]$/,
    fix: 'A proxy answers so if it does not reach the receiver, and a receiver that takes no more events for the moment. Check that the receiver runs behind the proxy. {log}.',
  },
  {
    found: /^5/,
    fix: 'The receiver reports an error of its own. {log}, where the error usually stands.',
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
  const own = row.fix.replace('{log}', ownLog)
  if (byAnswer === true) return own
  // Without a decision of the receiver, the fault comes first, whatever rule failed.
  return answer.status === null || answer.status >= 500 ? `${own} ${fix}` : fix
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
