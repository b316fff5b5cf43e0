/** The rules for a client of the API, and those under chaos, one row each. Reports, documentation, the dashboard and the command line use these tables. */
import { disputeWindowMs, formatDays, requestHeaders, webhookHeaders } from '../../../inside/platform.js'
import { keysOf, minuteMs } from '../../../inside/values.js'
import type { RuleRow } from '../report/rules.js'

/**
 * Limits of a simulated outage. A client that makes `calls` attempts does not stop. After `fewestCalls` attempts and `ms` the
 * outage ends undecided.
 */
export const outageLimits = { calls: 40, fewestCalls: 12, ms: 2 * minuteMs } as const

// biome-ignore format: a table, a field a line
export const clientRules = {
  'token.reused': {
    requirement: 'The client reuses a token for many calls.',
    source: '§5.1', severity: 'error', example: 'token',
    check: 'Compares the number of token requests with the number of other calls.',
    fix: 'Keep the token and request a new one only when it expires.',
  },
  'token.renewed': {
    requirement: 'After TOKEN_EXPIRED the client requests a new token and repeats the call once.',
    source: '§5.1', severity: 'error', example: 'token', needs: 'faults',
    check: 'Advances the clock by an hour, so that the token expires.',
    fix: 'On 401 TOKEN_EXPIRED, request a new token and repeat the call once.',
  },
  'sign.body': {
    requirement: 'The client signs financial calls over the raw body.',
    source: '§5.2', severity: 'error', example: 'sign',
    check: 'Verifies the signature of every call that requires one.',
    fix: 'Serialize the body once, sign that string, and send that string.',
  },
  'sign.nonce': {
    requirement: 'Every signed call has a new nonce.',
    source: '§5.2', severity: 'error', example: 'sign',
    check: 'Records every nonce, including those of repeated calls.',
    fix: 'Generate a new UUID v4 and a new signature for every attempt.',
  },
  'sign.time': {
    requirement: 'Signed calls have the current time in seconds.',
    source: '§5.2', severity: 'error', example: 'sign',
    check: `Compares ${requestHeaders.timestamp} with real time.`,
    fix: 'Use Unix time in seconds at the moment of the call. Do not use milliseconds or the time when the call was queued.',
  },
  'repeat.named': {
    requirement: 'Every charge and every withdrawal has an external_id of its own.',
    source: '§4.2', severity: 'error', example: 'repeat',
    check: 'Reads the body of every call that creates something. Another payment must not have the external_id of one that succeeded.',
    fix: 'Create an id for each payment, store it before the first attempt, and send it as external_id.',
  },
  'repeat.done': {
    requirement: 'The client repeats a call after a temporary failure or an unknown result.',
    source: '§7', severity: 'error', example: 'repeat', needs: 'faults',
    check: 'Looks for a repetition after a dropped response or connection, 502 and 503. Chaos injects these faults, or certify client -- COMMAND.',
    fix: 'Repeat the call after a broken connection, a timeout, and every error with retryable: true.',
  },
  'repeat.same': {
    requirement: 'The client repeats the call with the same external_id and the same body.',
    source: '§4.2', severity: 'error', example: 'repeat', needs: 'faults', after: ['repeat.named'], passesAfter: ['repeat.done'],
    check: 'Compares the repeated call with the first one.',
    fix: 'Create the id and the body once, outside the retry loop. A new id creates a second transaction.',
  },
  'repeat.pauses': {
    requirement: 'The client pauses between attempts.',
    source: '§7', severity: 'error', example: 'repeat', needs: 'faults', after: ['repeat.done'],
    check: 'Answers one call with 503 repeatedly and measures the pauses. The median of the later half must be at least 100 ms.',
    fix: 'Double the pause after each attempt, and add some jitter.',
  },
  'repeat.ends': {
    requirement: 'The client stops repeating after a limited number of attempts.',
    source: '§7', severity: 'error', example: 'repeat', needs: 'faults', after: ['repeat.done'],
    check: `Answers one call with 503. The requirement fails at ${outageLimits.calls} attempts. After ${outageLimits.ms / minuteMs} minutes and at least ${outageLimits.fewestCalls} attempts the fault ends, and the result is inconclusive.`,
    fix: 'Stop after a few attempts, keep the external_id, and look up the result later.',
  },
  'repeat.not': {
    requirement: 'The client does not repeat a call after an error that is not retryable.',
    source: '§7', severity: 'error', example: 'repeat', needs: 'faults',
    check: 'Looks for a repetition of each call that was rejected with retryable: false. certify client -- COMMAND rejects one with 409 LIMIT_EXCEEDED.',
    fix: 'Repeat a call only if error.retryable is true.',
  },
  'wait.rate': {
    requirement: 'After 429 the client waits for the time in Retry-After.',
    source: '§5.1, §8', severity: 'error', example: 'wait', needs: 'faults', after: ['repeat.done'],
    check: 'Answers a call with 429 and Retry-After: 1. The client must repeat it, but not earlier. This takes one second.',
    fix: 'Read Retry-After, in seconds, and do not repeat the call before that time.',
  },
  'wait.lockout': {
    requirement: 'After a lockout the client waits for the time in Retry-After.',
    source: '§5.1', severity: 'error', example: 'wait', needs: 'faults', after: ['repeat.done'],
    check: 'Answers a token request with 403 IP_BLOCKED_TEMPORARILY and Retry-After: 1. This takes one second.',
    fix: 'Do not request a token before the time in Retry-After has passed.',
  },
  'amounts.decimal': {
    requirement: 'The client sends amounts as JSON numbers greater than zero, with the right number of decimals.',
    source: '§4.2', severity: 'error', example: 'sent',
    check: 'Reads the amounts of all calls digit by digit.',
    fix: 'Keep amounts in whole cents, and format the decimal number from them.',
  },
  'answers.more-fields': {
    requirement: 'The client ignores unknown fields in responses.',
    source: '§2.1', severity: 'error', example: 'read', needs: 'simulation',
    check: 'Adds unknown fields to every response. Then compares the calls of two more runs without faults, of which one has these fields. With --watch, there are no such runs.',
    fix: 'Read the fields that you need and ignore all other fields.',
  },
  'withdrawal.pending': {
    requirement: 'The client does not treat a 202 for a withdrawal as success.',
    source: '§4.3', severity: 'error', example: 'withdrawal', needs: 'stateUrl',
    check: 'Reads your state URL while the withdrawal is pending.',
    fix: 'Store the withdrawal as pending until cashout.confirmed or the transaction list reports its result.',
  },
  'withdrawal.failed': {
    requirement: 'When a withdrawal fails, the client records it as failed.',
    source: '§4.3', severity: 'error', example: 'withdrawal', needs: 'stateUrl', after: ['token.renewed', 'answers.more-fields'],
    check: 'Fails the first withdrawal with an error_code of its rail (PIX_KEY_NOT_FOUND, else INVALID_ADDRESS) and reads its state at the end.',
    fix: 'Handle cashout.failed, and use the transaction list to look up withdrawals that stay pending.',
  },
  'withdrawal.refunded': {
    requirement: 'When a confirmed withdrawal is refunded, the client records it as refunded.',
    source: '§4.3', severity: 'error', example: 'withdrawal', needs: 'stateUrl', after: ['token.renewed', 'answers.more-fields'],
    check: 'Confirms and refunds the second withdrawal, and reads its state at the end.',
    fix: 'Handle cashout.refunded, which names the withdrawal in original_transaction_id.',
  },
  'missed.found': {
    requirement: 'The client finds missed payments in the transaction list.',
    source: '§6.1, rule 7', severity: 'warning', example: 'reconcile', needs: 'simulation', after: ['token.renewed', 'answers.more-fields'],
    check: 'Pays charges without sending webhooks, and checks whether the client reads the list afterwards.',
    fix: 'Call POST /v2/account/transactions/list regularly and compare the list with your data.',
  },
  'dispute.answered': {
    requirement: 'The client replies to a dispute before its deadline.',
    source: '§8', severity: 'warning', example: 'reconcile', needs: 'simulation',
    check: `Opens a dispute for a charge, and checks for a reply within ${formatDays(disputeWindowMs)}.`,
    fix: 'Watch for chargeback.opened or call GET /v2/account/infractions, and reply before deadline_at.',
  },
} as const satisfies Record<string, RuleRow>

export type ClientRule = keyof typeof clientRules
export const clientRuleIds = keysOf(clientRules)

/** The faults that are injected into the calls of a client, in this order. */
export const faults = [
  'dropped_response',
  'unavailable',
  'reset',
  'provider_error',
  'rate_limited',
  'rejected',
  'expired',
  'locked_out',
  'outage',
] as const
/** `dropped_withdrawal`: the response to the first withdrawal is dropped whenever it comes, because paying twice costs most. */
export type Fault = (typeof faults)[number] | 'dropped_withdrawal'

// biome-ignore format: a table, a field a line
const ownRules = {
  'chaos.without': {
    requirement: 'The command succeeds without faults.',
    source: '§7', severity: 'error',
    check: 'Runs the command once without faults. The other runs are compared with this one.',
    fix: 'Run the command with `payments-sandbox exec` to see why it fails. The command must start from the same state each time, and exit with 0. If it waits for payments, use --payers.',
  },
  'chaos.once': {
    requirement: 'No payment is made twice.',
    source: '§4.2', severity: 'error', example: 'repeat', after: ['chaos.without'],
    check: 'Counts the transactions of each call that a fault affected, and of equal calls, and compares the number with the run without faults.',
    fix: 'Store the external_id before the first attempt, and send the same one in every attempt.',
  },
  'chaos.books': {
    requirement: 'The ledger agrees with the statement.',
    source: '§6.1, rule 7', severity: 'error', example: 'dedupe', after: ['chaos.without'],
    check: 'Compares the ledger that --books-command prints with the statement of the account after each run.',
    fix: `Apply each webhook once, by its ${webhookHeaders.id}, and read the transaction list to find changes that no webhook reported.`,
  },
  'chaos.passes': {
    requirement: 'The command succeeds with faults.',
    source: '§7', severity: 'error', example: 'repeat', after: ['chaos.without'],
    check: 'Reads the exit code of every run.',
    fix: 'Repeat the failed run and read its output. Calls must be repeated after every retryable error, dropped connection and timeout.',
  },
} as const satisfies Record<string, RuleRow>

/** The rules that apply whichever faults happen. */
export const callRuleIds = [
  'sign.body',
  'sign.nonce',
  'sign.time',
  'repeat.named',
  'repeat.not',
  'amounts.decimal',
] as const

export type ChaosRule = keyof typeof ownRules | (typeof callRuleIds)[number]

const callRules = Object.fromEntries<RuleRow>(
  callRuleIds.map((id) => [id, { ...clientRules[id], after: ['chaos.without'] }]),
)

export const chaosRules: Readonly<Record<ChaosRule, RuleRow>> = {
  ...ownRules,
  // One row for each of `callRuleIds`.
  ...(callRules as Record<(typeof callRuleIds)[number], RuleRow>),
}

export const chaosRuleIds = keysOf(chaosRules)
