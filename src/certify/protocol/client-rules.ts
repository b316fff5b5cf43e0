/** The requirements of a client of the API, one row a rule: report, documentation and command line all come from here. */
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
    requirement: 'A token is used for many calls, not fetched for each.',
    source: rate, severity: 'error', example: 'token',
    check: 'The calls of the token endpoint are counted against the others.',
    fix: 'Keep the token, and fetch another only when it expires.',
  },
  'token.renewed': {
    requirement: 'After TOKEN_EXPIRED one new token is fetched, and the call is repeated once.',
    source: bearer, severity: 'error', example: 'token',
    check: 'The clock of the sandbox moves on by an hour, so that the token expires.',
    fix: 'On 401 TOKEN_EXPIRED fetch a new token and make the same call again, once.',
  },
  'sign.body': {
    requirement: 'Financial calls are signed over the raw body.',
    source: signed, severity: 'error', example: 'sign',
    check: 'The signature of every call that needs one is verified.',
    fix: 'Sign the very text that is sent: serialise the body once, sign that string, send that string.',
  },
  'sign.nonce': {
    requirement: 'Every signed call bears a nonce of its own.',
    source: replays, severity: 'error', example: 'sign',
    check: 'Nonces are remembered, repeated calls included.',
    fix: 'Make a new UUID v4, and with it a new signature, for every attempt.',
  },
  'sign.time': {
    requirement: 'Signed calls bear the time of now, in seconds.',
    source: clock, severity: 'error', example: 'sign',
    check: 'X-Timestamp is held against real time.',
    fix: 'Take Unix time in seconds when the call is made, not when it was queued, and not in milliseconds.',
  },
  'repeat.named': {
    requirement: 'Every charge and every withdrawal has an external_id.',
    source: idempotency, severity: 'error', example: 'repeat',
    check: 'The bodies of all calls that create something.',
    fix: 'Store an id of your own before the first attempt, and send it as external_id.',
  },
  'repeat.done': {
    requirement: 'A call whose fate is unknown, or that failed for the moment, is made again.',
    source: errors, severity: 'error', example: 'repeat',
    check: 'An answer is lost, a connection is dropped, and calls are answered 502 and 503.',
    fix: 'Make the call again after a broken connection, a timeout, and every error with retryable: true.',
  },
  'repeat.same': {
    requirement: 'It is made again with the same external_id and the same body.',
    source: idempotency, severity: 'error', example: 'repeat', after: ['repeat.named', 'repeat.done'],
    check: 'The repeated call is compared with the first.',
    fix: 'Make the id and the body once, outside the loop that repeats: another id is another payment.',
  },
  'repeat.pauses': {
    requirement: 'The pauses between attempts grow.',
    source: errors, severity: 'error', example: 'repeat', after: ['repeat.done'],
    check: 'One call is answered 503 again and again; the pauses are measured.',
    fix: 'Double the pause after each attempt, with a little chance in it.',
  },
  'repeat.ends': {
    requirement: 'It is given up in the end.',
    source: errors, severity: 'error', example: 'repeat', after: ['repeat.done'],
    check: 'One call is answered 503 up to twelve times.',
    fix: 'Give up after a few attempts, keep the external_id, and look up later what became of it.',
  },
  'repeat.not': {
    requirement: 'Errors that are not retryable are not repeated.',
    source: errors, severity: 'error', example: 'repeat',
    check: 'A call is answered with 409 LIMIT_EXCEEDED; other refusals are looked at too.',
    fix: 'Repeat only where error.retryable is true.',
  },
  'wait.rate': {
    requirement: 'After 429 it waits for as long as Retry-After says.',
    source: '§5.1, §8: rates', severity: 'error', example: 'wait', after: ['repeat.done'],
    check: 'A call is answered 429 with Retry-After: 1. This second passes in earnest.',
    fix: 'Read Retry-After, in seconds, and make no call of that kind before.',
  },
  'wait.lockout': {
    requirement: 'After a lockout it waits for as long as Retry-After says.',
    source: '§5.1: "After 5 consecutive wrong attempts the client IP is blocked for 5 minutes"', severity: 'error', example: 'wait', after: ['repeat.done'],
    check: 'A token request is answered 403 IP_BLOCKED_TEMPORARILY with Retry-After: 1. This second passes in earnest.',
    fix: 'Ask for no token before that time: every attempt shows that nobody listens.',
  },
  'amounts.decimal': {
    requirement: 'Amounts are sent as JSON numbers with the right decimals.',
    source: amounts, severity: 'error', example: 'sent',
    check: 'The amounts of all calls, to the last digit.',
    fix: 'Keep amounts in whole cents, and write the decimal number out of them.',
  },
  'answers.more-fields': {
    requirement: 'Unknown fields in answers do not break it.',
    source: '§2.1: the envelope', severity: 'error', example: 'read',
    check: 'Every answer of the sandbox has fields that nobody has heard of.',
    fix: 'Read the fields that you need and leave the others alone.',
  },
  'withdrawal.pending': {
    requirement: 'A 202 for a withdrawal is not taken for success.',
    source: cashout, severity: 'error', example: 'withdrawal',
    check: 'The effects are asked for while the withdrawal is pending.',
    fix: 'Store it as pending until cashout.confirmed, or the transaction list, says otherwise.',
  },
  'withdrawal.failed': {
    requirement: 'A withdrawal that fails later is observed as failed.',
    source: cashout, severity: 'error', example: 'withdrawal', after: ['token.renewed', 'answers.more-fields'],
    check: 'The first withdrawal fails with PIX_KEY_NOT_FOUND; the effects are asked for at the end.',
    fix: 'Handle cashout.failed, and look at the transaction list for what is pending for long.',
  },
  'withdrawal.refunded': {
    requirement: 'A withdrawal that comes back after it was confirmed is observed as refunded.',
    source: cashout, severity: 'error', example: 'withdrawal', after: ['token.renewed', 'answers.more-fields'],
    check: 'The second withdrawal is confirmed and then refunded; the effects are asked for at the end.',
    fix: 'Handle cashout.refunded, which names the withdrawal in original_transaction_id.',
  },
  'missed.found': {
    requirement: 'What no webhook told is found in the transaction list.',
    source: reconcile, severity: 'warning', example: 'reconcile', after: ['token.renewed', 'answers.more-fields'],
    check: 'Charges are paid while nobody is told; is the list asked for afterwards?',
    fix: 'Ask POST /v2/account/transactions/list now and then, and compare it with what you have.',
  },
  'dispute.answered': {
    requirement: 'A dispute is answered before its deadline.',
    source: dispute, severity: 'warning', example: 'reconcile',
    check: 'The payer of a charge disputes it; is there a reply within the seven days?',
    fix: 'Watch chargeback.opened or GET /v2/account/infractions, and reply before deadline_at.',
  },
} as const satisfies Record<string, RuleRow>

export type ClientRule = keyof typeof clientRules
export const clientRuleIds = keysOf(clientRules)

/** What a client has to go through, one after the other. */
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
