/** The rules for a client of the API, one row each. Reports, documentation, the dashboard and the command line use this table. */
import { keysOf } from '../../base/keys.js'
import type { RuleRow } from './rules.js'

const bearer = '§5.1: "Request a new token with the same credentials" and "Validity 3600 seconds"'
const rate = '§5.1: "30 requests per minute per IP"'
const signed =
  '§5.2: "Lowercase hex of HMAC-SHA256 over the string <timestamp>.<nonce>.<raw_body> keyed with signing_key"'
const replays = '§5.2: "X-Nonce unused (anti-replay) last 5 minutes"'
const clock = '§5.2: "X-Timestamp close to current time within 5 minutes either way"'
const idempotency = '§4.2: "Idempotency key: resending the same value returns the same transaction."'
const errors = '§7: "error.retryable boolean"'
const amounts = '§4.2: "amount number, at most 2 decimals"'
const cashout = '§4.3: "Operation is asynchronous. The result arrives by webhook."'
const reconcile =
  '§6.1, rule 7: "A periodic reconciliation through the transaction list endpoint is advised, since webhooks are not the only source of truth."'
const dispute = '§8: "Dispute response window 7 days"'

// biome-ignore format: a table, a field a line
export const clientRules = {
  'token.reused': {
    requirement: 'The client reuses a token for many calls.',
    source: rate, severity: 'error', example: 'token',
    check: 'Compares the number of token requests with the number of other calls.',
    fix: 'Keep the token and request a new one only when it expires.',
  },
  'token.renewed': {
    requirement: 'After TOKEN_EXPIRED the client requests a new token and repeats the call once.',
    source: bearer, severity: 'error', example: 'token',
    check: 'Advances the clock by an hour, so that the token expires.',
    fix: 'On 401 TOKEN_EXPIRED, request a new token and repeat the call once.',
  },
  'sign.body': {
    requirement: 'The client signs financial calls over the raw body.',
    source: signed, severity: 'error', example: 'sign',
    check: 'Verifies the signature of every call that requires one.',
    fix: 'Serialize the body once, sign that string, and send that string.',
  },
  'sign.nonce': {
    requirement: 'Every signed call has a new nonce.',
    source: replays, severity: 'error', example: 'sign',
    check: 'Records every nonce, including those of repeated calls.',
    fix: 'Generate a new UUID v4 and a new signature for every attempt.',
  },
  'sign.time': {
    requirement: 'Signed calls have the current time in seconds.',
    source: clock, severity: 'error', example: 'sign',
    check: 'Compares X-Timestamp with real time.',
    fix: 'Use Unix time in seconds at the moment of the call. Do not use milliseconds or the time when the call was queued.',
  },
  'repeat.named': {
    requirement: 'Every charge and every withdrawal has an external_id.',
    source: idempotency, severity: 'error', example: 'repeat',
    check: 'Reads the body of every call that creates something.',
    fix: 'Store your own id before the first attempt, and send it as external_id.',
  },
  'repeat.done': {
    requirement: 'The client repeats a call after a temporary failure or an unknown result.',
    source: errors, severity: 'error', example: 'repeat',
    check: 'Drops a response and a connection, and answers calls with 502 and 503.',
    fix: 'Repeat the call after a broken connection, a timeout, and every error with retryable: true.',
  },
  'repeat.same': {
    requirement: 'The client repeats the call with the same external_id and the same body.',
    source: idempotency, severity: 'error', example: 'repeat', after: ['repeat.named', 'repeat.done'],
    check: 'Compares the repeated call with the first one.',
    fix: 'Create the id and the body once, outside the retry loop. A new id creates a second payment.',
  },
  'repeat.pauses': {
    requirement: 'The pauses between attempts grow.',
    source: errors, severity: 'error', example: 'repeat', after: ['repeat.done'],
    check: 'Answers one call with 503 repeatedly and measures the pauses.',
    fix: 'Double the pause after each attempt, and add some jitter.',
  },
  'repeat.ends': {
    requirement: 'The client stops repeating after a limited number of attempts.',
    source: errors, severity: 'error', example: 'repeat', after: ['repeat.done'],
    check: 'Answers one call with 503 up to 12 times.',
    fix: 'Stop after a few attempts, keep the external_id, and look up the result later.',
  },
  'repeat.not': {
    requirement: 'The client does not repeat errors that are not retryable.',
    source: errors, severity: 'error', example: 'repeat',
    check: 'Answers a call with 409 LIMIT_EXCEEDED and reads the calls after every other rejection.',
    fix: 'Repeat a call only if error.retryable is true.',
  },
  'wait.rate': {
    requirement: 'After 429 the client waits for the time in Retry-After.',
    source: '§5.1, §8: rates', severity: 'error', example: 'wait', after: ['repeat.done'],
    check: 'Answers a call with 429 and Retry-After: 1. This takes one second of real time.',
    fix: 'Read Retry-After, in seconds, and make no such call before that time.',
  },
  'wait.lockout': {
    requirement: 'After a lockout the client waits for the time in Retry-After.',
    source: '§5.1: "After 5 consecutive wrong attempts the client IP is blocked for 5 minutes"', severity: 'error', example: 'wait', after: ['repeat.done'],
    check: 'Answers a token request with 403 IP_BLOCKED_TEMPORARILY and Retry-After: 1. This takes one second of real time.',
    fix: 'Do not request a token before the time in Retry-After has passed.',
  },
  'amounts.decimal': {
    requirement: 'The client sends amounts as JSON numbers with the right number of decimals.',
    source: amounts, severity: 'error', example: 'sent',
    check: 'Reads the amounts of all calls digit by digit.',
    fix: 'Keep amounts in whole cents, and write the decimal number from them.',
  },
  'answers.more-fields': {
    requirement: 'The client ignores unknown fields in answers.',
    source: '§2.1: the envelope', severity: 'error', example: 'read',
    check: 'Adds unknown fields to every answer of the sandbox.',
    fix: 'Read the fields that you need and ignore the others.',
  },
  'withdrawal.pending': {
    requirement: 'The client does not treat a 202 for a withdrawal as success.',
    source: cashout, severity: 'error', example: 'withdrawal',
    check: 'Reads the state while the withdrawal is pending.',
    fix: 'Store the withdrawal as pending until cashout.confirmed or the transaction list reports its result.',
  },
  'withdrawal.failed': {
    requirement: 'The client records a withdrawal that fails later as failed.',
    source: cashout, severity: 'error', example: 'withdrawal', after: ['token.renewed', 'answers.more-fields'],
    check: 'Fails the first withdrawal with PIX_KEY_NOT_FOUND and reads its state at the end.',
    fix: 'Handle cashout.failed, and look up withdrawals in the transaction list that stay pending for long.',
  },
  'withdrawal.refunded': {
    requirement: 'The client records a withdrawal that is refunded after its confirmation as refunded.',
    source: cashout, severity: 'error', example: 'withdrawal', after: ['token.renewed', 'answers.more-fields'],
    check: 'Confirms and refunds the second withdrawal, and reads its state at the end.',
    fix: 'Handle cashout.refunded, which names the withdrawal in original_transaction_id.',
  },
  'missed.found': {
    requirement: 'The client finds missed payments in the transaction list.',
    source: reconcile, severity: 'warning', example: 'reconcile', after: ['token.renewed', 'answers.more-fields'],
    check: 'Pays charges without sending webhooks, and checks whether the client reads the list afterwards.',
    fix: 'Call POST /v2/account/transactions/list regularly and compare it with your data.',
  },
  'dispute.answered': {
    requirement: 'The client replies to a dispute before its deadline.',
    source: dispute, severity: 'warning', example: 'reconcile',
    check: 'Opens a dispute for a charge, and checks for a reply within seven days.',
    fix: 'Watch for chargeback.opened or call GET /v2/account/infractions, and reply before deadline_at.',
  },
} as const satisfies Record<string, RuleRow>

export type ClientRule = keyof typeof clientRules
export const clientRuleIds = keysOf(clientRules)

/** The faults that a client meets, in this order. */
export const faults = [
  'lost_answer',
  'unavailable',
  'dropped',
  'provider_error',
  'rate_limited',
  'refused',
  'expired',
  'locked_out',
  'outage',
] as const
export type Fault = (typeof faults)[number]
