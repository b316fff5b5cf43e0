/** What each rule of a client finds in the calls that it made: to the millisecond, the last attempt, and the word. */
import { expect, test } from 'vitest'
import type { ClientCall } from '../../src/features/certify/client/calls.js'
import { judge } from '../../src/features/certify/client/certify-client.js'
import type { ClientLog } from '../../src/features/certify/client/check-calls.js'
import { TimerDrift } from '../../src/features/certify/client/check-retries.js'
import { type ClientRule, clientRules, type Fault } from '../../src/features/certify/client/rules.js'
import type { EndpointName } from '../../src/inside/platform.js'
import { endpoints, tokenLifeMs } from '../../src/inside/platform.js'
import { JsonNumber } from '../../src/inside/values.js'

interface Made {
  atMs?: number
  tookMs?: number
  status?: number
  error?: string
  retryable?: boolean
  fields?: Record<string, unknown>
  scenario?: string
  chaos?: ClientCall['entry']['chaos']
  headers?: Record<string, string>
  path?: string
  rule?: string
  hint?: string | undefined
}

function made(endpoint: EndpointName | null, given: Made = {}): ClientCall {
  const { atMs = 1000, tookMs = 10, error = null, status = error === null ? 200 : 400, fields = {} } = given
  const { method, path } = endpoint === null ? { method: 'GET', path: '/v2/unknown' } : endpoints[endpoint]
  const text = JSON.stringify(fields)
  return {
    ...{ id: '', endpoint, arrivedMs: atMs, answeredMs: atMs + tookMs, status, errorCode: error, text, fields },
    retryable: given.retryable ?? null,
    externalId: typeof fields.external_id === 'string' ? fields.external_id : null,
    ...{ createdId: null, brokenRule: given.rule ?? null, signatureHint: () => given.hint ?? null },
    scenario: given.scenario ?? null,
    entry: {
      ...{ request_id: '', at: '', method, path: given.path ?? path, status, error_code: error, duration_ms: tookMs },
      ...{ credential: null, account: null, warnings: [], request_headers: given.headers ?? {}, request_body: text },
      ...{ response_headers: {}, response_body: null },
      ...(given.chaos === undefined ? {} : { chaos: given.chaos }),
    },
  }
}

const amount = new JsonNumber('5')
const token = (given: Made = {}) => made('token', given)
const balance = (given: Made = {}) => made('balance', given)
const charge = (id: string | null, { fields, ...given }: Made = {}) =>
  made('cashin', { ...given, fields: { amount, ...(id === null ? {} : { external_id: id }), ...fields } })
const payout = (id: string | null, { fields, ...given }: Made = {}) =>
  made('cashout', { ...given, fields: { amount, ...(id === null ? {} : { external_id: id }), ...fields } })
const list = (given: Made = {}) => made('transactionList', given)
const expired = { error: 'TOKEN_EXPIRED', status: 401 }
const failing = { error: 'SERVICE_UNAVAILABLE', status: 503, scenario: 'certify' }
const times = (count: number, one: (at: number) => ClientCall) => Array.from({ length: count }, (_, at) => one(at))

type Simulator = ClientLog['simulator']
interface Given extends Partial<Omit<ClientLog, 'injected' | 'simulator'>> {
  calls: ClientCall[]
  /** `call` is its place among the calls. */
  injected?: { fault: Fault; call: number; round?: number }[]
  simulator?: Partial<Simulator>
}

/** `#0` is the first call. */
function logOf({ calls, injected = [], simulator, ...given }: Given): ClientLog {
  const all = calls.map((one, at) => ({ ...one, id: `#${at}`, entry: { ...one.entry, request_id: `#${at}` } }))
  const called = (at: number) => all[at] ?? made(null)
  return {
    calls: all,
    injected: injected.map(({ fault, call, round = 0 }) => ({ fault, call: called(call), round })),
    expiredMs: [],
    simulator: {
      ...{ withdrawals: [], paidMs: [], dispute: null, stateError: null, statusOf: async () => null },
      ...simulator,
    },
    ...{ drift: { driftBetween: () => 0 }, hasStateUrl: true, observe: false, failed: false },
    ...given,
  }
}

const halfLifeMs = tokenLifeMs / 2
const outage = (...calls: number[]) => calls.map((call) => ({ fault: 'outage', call }) as const)
/** Attempts of one payment, with these pauses between an answer and the next call. */
function attempts(pausesMs: readonly number[], id: string | null = 'a'): ClientCall[] {
  let atMs = 1000
  const calls = [charge(id, { ...failing, atMs })]
  for (const pauseMs of pausesMs) {
    atMs += 10 + pauseMs
    calls.push(charge(id, { ...failing, atMs }))
  }
  return calls
}
const withOutage = (pausesMs: readonly number[], id: string | null = 'a'): Given => {
  const calls = attempts(pausesMs, id)
  return { calls, injected: outage(...calls.keys()) }
}
const rejected = { error: 'LIMIT_EXCEEDED', status: 409, retryable: false }
const withdrawal = { id: 'tx_1', statusWhilePending: 'pending', end: 'failed', refusal: null } as const
const refunded = { ...withdrawal, id: 'tx_2', end: 'refunded' } as const
const dispute = { id: 'inf_1', openedMs: 2000 }
const limited = { error: 'RATE_LIMIT_EXCEEDED', status: 429, scenario: 'certify' }

/** Without a fix it is not asked for. */
type Case = [rule: ClientRule, given: Given, found: string, fix?: string]

// biome-ignore format: a table, a row a line
const cases: Case[] = [
  ['token.reused', { calls: [token(), balance(), balance()] }, 'inconclusive: too few calls to decide'],
  ['token.reused', { calls: [token(), ...times(3, () => balance())] }, 'passed: 1 token for 3 calls'],
  ['token.reused', { calls: [token(), token(), ...times(3, () => balance())] }, 'passed: 2 tokens for 3 calls'],
  ['token.reused', { calls: [...times(3, () => token()), ...times(6, () => balance())] }, 'failed: 3 tokens for 6 calls'],
  ['token.reused', { calls: [...times(3, () => token()), ...times(7, () => balance())] }, 'passed: 3 tokens for 7 calls'],
  ['token.reused', { calls: [token({ status: 403 }), token({ chaos: ['dropped_response'] }), ...times(3, () => token()), ...times(6, () => balance())] }, 'failed: 3 tokens for 6 calls'],
  ['token.reused', { calls: [token(), token({ atMs: 1000 + halfLifeMs }), token({ atMs: 1000 + halfLifeMs }), ...times(6, () => balance())] }, 'failed: 3 tokens for 6 calls'],
  ['token.reused', { calls: [token(), token({ atMs: 1001 + halfLifeMs }), token({ atMs: 1001 + halfLifeMs }), ...times(6, () => balance())] }, 'passed: 3 tokens for 6 calls'],
  ['token.reused', { calls: [token(), balance(expired), token(), token(), ...times(5, () => balance())] }, 'passed: 3 tokens for 6 calls'],
  ['token.reused', { calls: [token(), token(), balance(expired), token(), token(), ...times(5, () => balance())] }, 'failed: 4 tokens for 6 calls'],
  ['token.reused', { calls: [balance(expired), token(), token(), token(), balance(expired), ...times(4, () => balance())] }, 'failed: 3 tokens for 6 calls'],
  ['token.reused', { calls: [token(), balance(expired), ...times(3, () => token()), ...times(5, () => balance())], expiredMs: [1] }, 'failed: 4 tokens for 6 calls'],
  ['token.reused', { calls: [...times(3, () => token()), ...times(6, () => balance())], expiredMs: [1] }, 'passed: 3 tokens for 6 calls'],

  ['token.renewed', { calls: [balance()] }, 'inconclusive: no token has expired'],
  ['token.renewed', { calls: [balance(), balance(expired), token({ atMs: 2500 })], expiredMs: [2000] }, 'inconclusive: no call was made after the token expired'],
  ['token.renewed', { calls: [balance({ atMs: 2000 })], expiredMs: [2000] }, 'passed: the token was renewed before it was rejected'],
  ['token.renewed', { calls: [token(), balance(expired)], expiredMs: [1000] }, 'failed: no token was fetched after GET /v2/account/balance (#1, 401 TOKEN_EXPIRED)'],
  ['token.renewed', { calls: [balance(), balance(expired), token()], expiredMs: [1000] }, 'failed: GET /v2/account/balance (#1, 401 TOKEN_EXPIRED) was not repeated with the new token'],
  ['token.renewed', { calls: [balance(expired), token(), balance(expired)], expiredMs: [1000] }, 'failed: GET /v2/account/balance (#0, 401 TOKEN_EXPIRED) was repeated with the old token'],
  ['token.renewed', { calls: [balance(expired), token(), balance()], expiredMs: [1000] }, 'passed: one new token was requested and the call repeated'],
  ['token.renewed', { calls: [charge('a', expired), token(), charge('a', { fields: { description: 'b' } })], expiredMs: [1000] }, 'passed: one new token was requested and the call repeated'],
  ['token.renewed', { calls: [charge('a', expired), token(), charge('b')], expiredMs: [1000] }, 'passed: one new token was requested and the call repeated'],
  ['token.renewed', { calls: [charge('a', expired), token(), charge('b', { fields: { description: 'b' } })], expiredMs: [1000] }, 'failed: POST /v2/transactions/cashin (#0, 401 TOKEN_EXPIRED) was not repeated with the new token'],
  ['token.renewed', { calls: [charge('a', expired), token(), payout('a')], expiredMs: [1000] }, 'failed: POST /v2/transactions/cashin (#0, 401 TOKEN_EXPIRED) was not repeated with the new token'],
  ['token.renewed', { calls: [charge('a', expired), token(), payout('b')], expiredMs: [1000] }, 'failed: POST /v2/transactions/cashin (#0, 401 TOKEN_EXPIRED) was not repeated with the new token'],
  ['token.renewed', { calls: [balance(expired), token(), balance({ path: '/v2/account/balance?page=2' })], expiredMs: [1000] }, 'failed: GET /v2/account/balance (#0, 401 TOKEN_EXPIRED) was not repeated with the new token'],

  ['sign.body', { calls: [charge('a', { error: 'INVALID_SIGNATURE' }), made(null)] }, 'skipped: the program made no call that requires a signature'],
  ['sign.body', { calls: [], failed: true }, 'inconclusive: no call that requires a signature; the program ended with an error before a fault was injected'],
  ['sign.body', { calls: [payout('a'), payout('b', { error: 'INVALID_TIMESTAMP' })] }, 'passed: 1 signed calls'],
  ['sign.body', { calls: [payout('a', { error: 'INVALID_TIMESTAMP' }), payout('b', { error: 'REPLAY_DETECTED' }), payout('c', { error: 'TOKEN_EXPIRED' })] }, 'inconclusive: each call was rejected before this was checked'],
  ['sign.body', { calls: [payout('a', { error: 'INSUFFICIENT_BALANCE' })] }, 'passed: 1 signed calls'],
  ['sign.time', { calls: [payout('a', { error: 'MISSING_SIGNATURE' })] }, 'inconclusive: each call was rejected before this was checked'],
  ['sign.time', { calls: [payout('a', { error: 'AMOUNT_TOO_SMALL' })] }, 'passed: 1 signed calls'],
  ['sign.body', { calls: [payout('a'), payout('b', { error: 'MISSING_SIGNATURE' }), payout('c', { error: 'INVALID_SIGNATURE' })] }, 'failed: rejected with MISSING_SIGNATURE: POST /v2/transactions/cashout (#1, 400 MISSING_SIGNATURE); rejected with INVALID_SIGNATURE: POST /v2/transactions/cashout (#2, 400 INVALID_SIGNATURE)'],
  ['sign.time', { calls: [payout('a', { error: 'INVALID_TIMESTAMP' })] }, 'failed: rejected with INVALID_TIMESTAMP: POST /v2/transactions/cashout (#0, 400 INVALID_TIMESTAMP)'],
  ['sign.nonce', { calls: [payout('a')] }, 'inconclusive: no call carried a nonce'],
  ['sign.nonce', { calls: [payout('a', { headers: { 'x-nonce': 'n' } }), charge('b', { headers: { 'X-Nonce': 'n' } }), payout('c')] }, 'passed: 1 nonces'],
  ['sign.nonce', { calls: [payout('a', { headers: { 'x-nonce': 'n' } }), payout('b'), payout('c', { headers: { 'X-Nonce': 'n' } })] }, 'failed: POST /v2/transactions/cashout (#2, 200) reuses the nonce of an earlier call'],

  ['repeat.named', { calls: [list(), made('transfer')] }, 'inconclusive: no charge and no withdrawal'],
  ['repeat.named', { calls: [charge(null)] }, 'failed: no external_id: POST /v2/transactions/cashin (#0, 200)'],
  ['repeat.named', { calls: [charge('a'), charge(null), payout(null), made('pixPayment')] }, 'failed: no external_id: 3 calls, first POST /v2/transactions/cashin (#1, 200)'],
  ['repeat.named', { calls: [charge('a', failing), charge('a', { fields: { description: 'b' } }), payout('b')] }, 'passed: 3 calls'],
  ['repeat.named', { calls: [charge('a'), charge('a'), payout('b')] }, 'passed: 3 calls'],
  ['repeat.named', { calls: [charge('a'), charge('a', { fields: { description: 'b' } })] }, 'failed: POST /v2/transactions/cashin (#1, 200) has external_id a, which another payment already has'],

  ['amounts.decimal', { calls: [list()] }, 'inconclusive: no call with an amount'],
  ['amounts.decimal', { calls: [list(), charge('a'), charge('b')] }, 'passed: 2 amounts'],
  ['amounts.decimal', { calls: [charge('a'), charge('b', { fields: { amount: '5.00' } })] }, 'failed: amount "5.00" is not a JSON number: POST /v2/transactions/cashin (#1, 200)'],
  ['amounts.decimal', { calls: [charge('a', { error: 'INVALID_AMOUNT' })] }, 'failed: amount 5 was rejected: INVALID_AMOUNT: POST /v2/transactions/cashin (#0, 400 INVALID_AMOUNT)'],

  ['sign.nonce', { calls: [payout('a', { headers: { 'x-nonce': 'n' } }), payout('b', { headers: { 'x-nonce': 'm' }, error: 'REPLAY_DETECTED' })] }, 'failed: POST /v2/transactions/cashout (#1, 400 REPLAY_DETECTED) reuses the nonce of an earlier call'],
  ['sign.body', { calls: ['one', 'two', undefined, 'one'].map((hint) => payout('a', { error: 'INVALID_SIGNATURE', hint })) }, 'failed: rejected with INVALID_SIGNATURE: 4 calls, first POST /v2/transactions/cashout (#0, 400 INVALID_SIGNATURE)', 'one'],
  ['sign.body', { calls: [payout('a', { error: 'MISSING_SIGNATURE', hint: 'one' }), payout('a', { error: 'INVALID_SIGNATURE', hint: 'two' })] }, 'failed: rejected with MISSING_SIGNATURE: POST /v2/transactions/cashout (#0, 400 MISSING_SIGNATURE); rejected with INVALID_SIGNATURE: POST /v2/transactions/cashout (#1, 400 INVALID_SIGNATURE)', 'one two'],
  ['repeat.named', { calls: [1, 1, 2, 3, 4, 5].map((id) => charge(null, { fields: { external_id: new JsonNumber(String(id)) } })) }, 'failed: external_id 1 is not a string: 2 calls, first POST /v2/transactions/cashin (#0, 200); external_id 2 is not a string: POST /v2/transactions/cashin (#2, 200); external_id 3 is not a string: POST /v2/transactions/cashin (#3, 200); 2 other mistakes'],
  ['repeat.named', { calls: [[], null].map((id) => charge(null, { fields: { external_id: id } })) }, 'failed: external_id [] is not a string: POST /v2/transactions/cashin (#0, 200); no external_id: POST /v2/transactions/cashin (#1, 200)', clientRules['repeat.named'].fix],
  ['amounts.decimal', { calls: [charge('a', { fields: { amount: null } }), charge('a', { fields: { amount: new JsonNumber('0') } })] }, 'passed: 1 amounts'],
  ['amounts.decimal', { calls: ['0', '0.010', '-1'].map((text) => charge('a', { error: 'INVALID_AMOUNT', fields: { amount: new JsonNumber(text) }, rule: 'at most 1 decimal' })) }, 'failed: amount 0 is not greater than zero: POST /v2/transactions/cashin (#0, 400 INVALID_AMOUNT); amount 0.010 was rejected: at most 1 decimal: POST /v2/transactions/cashin (#1, 400 INVALID_AMOUNT); amount -1 is not greater than zero: POST /v2/transactions/cashin (#2, 400 INVALID_AMOUNT)', `Send only amounts that are greater than zero. ${clientRules['amounts.decimal'].fix}`],

  ['answers.more-fields', { calls: [balance()], observe: true }, 'skipped: tested only by payments-sandbox certify client without --observe'],
  ['answers.more-fields', { calls: [token(), balance({ status: 299 }), charge('a', { status: 300 })] }, 'passed: 1 responses'],
  ['answers.more-fields', { calls: [token(), charge('a', { status: 300 })] }, 'inconclusive: only token requests got a response'],
  ['answers.more-fields', { calls: [token(), balance()], failed: true }, 'failed: the client failed after the response to GET /v2/account/balance (#1, 200)'],
  ['answers.more-fields', { calls: [balance(), token(), balance()], failed: true }, 'passed: 2 responses'],
  ['answers.more-fields', { calls: [token(), balance(), list({ status: 500, error: 'INTERNAL_ERROR' })], failed: true }, 'passed: 1 responses'],
  ['answers.more-fields', { calls: [], failed: true }, 'inconclusive: only token requests got a response; the program ended with an error before a fault was injected'],

  ['withdrawal.pending', { calls: [] }, 'inconclusive: the client made no such withdrawal'],
  ['withdrawal.pending', { calls: [], simulator: { withdrawals: [withdrawal], stateError: 'it answered 500' } }, 'inconclusive: it answered 500'],
  ['withdrawal.pending', { calls: [], simulator: { withdrawals: [withdrawal] }, hasStateUrl: false }, 'skipped: requires the state URL (--state-url or --state-command)'],
  ['withdrawal.pending', { calls: [], simulator: { withdrawals: [withdrawal] } }, 'passed: your state reported tx_1 as pending while it was pending'],
  ['withdrawal.pending', { calls: [], simulator: { withdrawals: [{ ...withdrawal, statusWhilePending: null }] } }, 'passed: your state reported tx_1 as unknown while it was pending'],
  ['withdrawal.pending', { calls: [], simulator: { withdrawals: [{ ...withdrawal, statusWhilePending: 'confirmed' }] } }, 'failed: your state reported tx_1 as confirmed while it was pending'],
  ['withdrawal.pending', { calls: [], simulator: { withdrawals: [{ ...withdrawal, statusWhilePending: 'completed' }] } }, 'failed: your state reported tx_1 as completed while it was pending'],
  ['withdrawal.failed', { calls: [], simulator: { withdrawals: [refunded] } }, 'inconclusive: the client made no such withdrawal'],
  ['withdrawal.failed', { calls: [], simulator: { withdrawals: [withdrawal] }, hasStateUrl: false }, 'skipped: requires the state URL (--state-url or --state-command)'],
  ['withdrawal.failed', { calls: [], simulator: { withdrawals: [withdrawal], stateError: 'it answered 500' } }, 'inconclusive: it answered 500'],
  ['withdrawal.failed', { calls: [], simulator: { withdrawals: [withdrawal] } }, 'failed: the final state of tx_1 is unknown'],
  ['withdrawal.failed', { calls: [], simulator: { withdrawals: [withdrawal] }, failed: true }, 'inconclusive: the final state of tx_1 is unknown; the program ended with an error before a fault was injected'],
  ['withdrawal.failed', { calls: [], simulator: { withdrawals: [withdrawal], statusOf: async () => 'failed' }, failed: true }, 'passed: the final state of tx_1 is failed'],
  ['withdrawal.refunded', { calls: [], simulator: { withdrawals: [withdrawal, refunded], statusOf: async (id, isWanted) => (id === 'tx_2' && isWanted('refunded') && !isWanted('failed') ? 'refunded' : null) } }, 'passed: the final state of tx_2 is refunded'],

  ['missed.found', { calls: [list()] }, 'inconclusive: no charge was paid'],
  ['missed.found', { calls: [balance({ atMs: 2000 }), list({ atMs: 1999 })], simulator: { paidMs: [2000, 3000] } }, 'failed: 2 charges were paid, but the transaction list was not read'],
  ['missed.found', { calls: [list({ atMs: 2000 })], simulator: { paidMs: [2000] } }, 'passed: the transaction list was read'],
  ['missed.found', { calls: [list({ atMs: 2000, fields: { type: null } })], simulator: { paidMs: [2000] } }, 'passed: the transaction list was read'],
  ['missed.found', { calls: [list({ atMs: 2000, fields: { type: 'cashin' } })], simulator: { paidMs: [2000] } }, 'passed: the transaction list was read'],
  ['missed.found', { calls: [list({ atMs: 2000, fields: { type: 'cashout' } })], simulator: { paidMs: [2000] } }, 'failed: 1 charges were paid, but the transaction list was read only for other types (cashout)'],
  ['missed.found', { calls: [], simulator: { paidMs: [2000] }, failed: true }, 'inconclusive: 1 charges were paid, but the transaction list was not read; the program ended with an error before a fault was injected'],

  ['dispute.answered', { calls: [made('infractionReply')] }, 'inconclusive: there was no dispute'],
  ['dispute.answered', { calls: [made('infractionReply', { atMs: 1999 }), balance({ atMs: 2000 })], simulator: { dispute } }, 'inconclusive: the client did not look for disputes'],
  ['dispute.answered', { calls: [made('infractionReply', { atMs: 2000, status: 299 })], simulator: { dispute } }, 'passed: the client replied'],
  ['dispute.answered', { calls: [made('infractionReply', { atMs: 2000, status: 300 })], simulator: { dispute } }, 'failed: the reply was rejected: POST /v2/account/infractions/reply (#0, 300)'],
  ['dispute.answered', { calls: [made('infractionList', { atMs: 2000 })], simulator: { dispute } }, 'failed: the client read the dispute but did not reply'],
  ['dispute.answered', { calls: [made('infractionDetail', { atMs: 2000 })], simulator: { dispute } }, 'failed: the client read the dispute but did not reply'],

  ['repeat.done', { calls: [charge('a')] }, 'inconclusive: no such call was made'],
  ['repeat.done', { calls: [charge('a', failing), charge('a')], injected: [{ fault: 'unavailable', call: 0 }] }, 'passed: 1 times'],
  ['repeat.done', { calls: [charge('a'), charge('a', failing)], injected: [{ fault: 'unavailable', call: 1 }] }, 'failed: POST /v2/transactions/cashin (#1, 503 SERVICE_UNAVAILABLE by a scenario) was not repeated after it got a 503 response'],
  ['repeat.done', { calls: [charge('a', failing), charge('b')], injected: [{ fault: 'reset', call: 0 }] }, 'passed: 1 times'],
  ['repeat.done', { calls: [charge('a', { status: 0, scenario: 'certify' }), list()], injected: [{ fault: 'dropped_response', call: 0 }] }, 'failed: POST /v2/transactions/cashin (#0, connection dropped by a scenario) was not repeated after its response was dropped'],
  ['repeat.done', { calls: [charge('a', { status: 0, chaos: ['dropped_response', 'slow'] })], injected: [{ fault: 'dropped_response', call: 0 }] }, 'failed: POST /v2/transactions/cashin (#0, connection dropped by chaos) was not repeated after its response was dropped'],
  ['repeat.done', { calls: [charge('a', { error: 'SERVICE_UNAVAILABLE', status: 503, chaos: ['slow'] })], injected: [{ fault: 'unavailable', call: 0 }] }, 'failed: POST /v2/transactions/cashin (#0, 503 SERVICE_UNAVAILABLE) was not repeated after it got a 503 response'],
  ['repeat.done', { calls: [payout('a', failing), list()], injected: [{ fault: 'dropped_withdrawal', call: 0 }] }, 'passed: 1 times'],
  ['repeat.done', { calls: ['5', '6', '7'].map((size) => charge(size, { ...failing, fields: { amount: new JsonNumber(size) } })), injected: [0, 1, 2].map((call) => ({ fault: 'unavailable', call })) }, 'failed: POST /v2/transactions/cashin (#0, 503 SERVICE_UNAVAILABLE by a scenario) was not repeated after it got a 503 response; and 2 more'],
  ['repeat.done', { calls: [payout('a', failing)], injected: [{ fault: 'dropped_withdrawal', call: 0 }] }, 'failed: POST /v2/transactions/cashout (#0, 503 SERVICE_UNAVAILABLE by a scenario) was not repeated after its response was dropped'],
  ['repeat.done', { calls: [charge(null, failing), charge(null)], injected: [{ fault: 'provider_error', call: 0 }] }, 'passed: 1 times'],
  ['repeat.done', { calls: [charge(null, failing), charge(null, { path: '/v2/x' })], injected: [{ fault: 'provider_error', call: 0 }] }, 'failed: POST /v2/transactions/cashin (#0, 503 SERVICE_UNAVAILABLE by a scenario) was not repeated after it got a 502 response'],

  ['repeat.same', { calls: [charge('a', failing), charge('a', { fields: { description: 'b' } })], injected: [{ fault: 'unavailable', call: 0 }] }, 'failed: the repetition of POST /v2/transactions/cashin (#1, 200) after it got a 503 response has a different body'],
  ['repeat.same', { calls: [charge('a', failing), charge('b')], injected: [{ fault: 'unavailable', call: 0 }] }, 'failed: after it got a 503 response it was repeated with external_id b instead of a, which creates a second transaction'],
  ['repeat.same', { calls: [charge('a', failing), charge('b'), charge('a')], injected: [{ fault: 'unavailable', call: 0 }] }, 'passed: 1 times'],
  ['repeat.same', { calls: [payout('a', failing), list()], injected: [{ fault: 'dropped_withdrawal', call: 0 }] }, 'passed: 1 times'],

  ['repeat.pauses', { calls: [charge('a')] }, 'inconclusive: this case did not occur'],
  ['repeat.pauses', withOutage([200, 200], null), 'inconclusive: the call has no external_id, so other payments cannot be distinguished from its repetitions'],
  ['repeat.pauses', withOutage([200]), 'inconclusive: fewer than three attempts'],
  ['repeat.pauses', withOutage([0, 100]), 'passed: pauses of 0 ms, 100 ms'],
  ['repeat.pauses', withOutage([200, 99]), 'failed: pauses of 200 ms, 99 ms'],
  ['repeat.pauses', withOutage([99, 99, 100, 99]), 'passed: pauses of 99 ms, 99 ms, 100 ms, 99 ms'],
  ['repeat.pauses', withOutage([99, 99, 99, 100]), 'passed: pauses of 99 ms, 99 ms, 99 ms, 100 ms'],
  ['repeat.pauses', { ...withOutage([0, 120]), drift: { driftBetween: (fromMs, toMs) => (fromMs === 1020 && toMs === 1140 ? 20 : 0) } }, 'passed: pauses of 0 ms, 120 ms'],
  ['repeat.pauses', { ...withOutage([0, 120]), drift: { driftBetween: () => 21 } }, 'inconclusive: the machine was too slow to judge pauses of 0 ms, 120 ms'],
  ['repeat.pauses', { ...withOutage([0, 10]), drift: { driftBetween: () => 21 } }, 'failed: pauses of 0 ms, 10 ms'],
  ['repeat.pauses', { calls: [...attempts([0, 0]), ...attempts([300, 300]), charge('b', failing)], injected: [...outage(0, 1, 2), ...[3, 4, 5, 6].map((call) => ({ fault: 'outage', call, round: 1 }) as const)] }, 'passed: pauses of 300 ms, 300 ms'],
  ['repeat.pauses', { calls: [...attempts([0, 0]), ...attempts([300])], injected: [...outage(0, 1, 2), ...[3, 4].map((call) => ({ fault: 'outage', call, round: 1 }) as const)] }, 'failed: pauses of 0 ms, 0 ms'],
  ['repeat.pauses', { ...{ calls: [...attempts([0, 110]), ...attempts([300])], drift: { driftBetween: () => 20 } }, injected: [...outage(0, 1, 2), ...[3, 4].map((call) => ({ fault: 'outage', call, round: 1 }) as const)] }, 'inconclusive: fewer than three attempts'],

  ['repeat.ends', { calls: [charge('a')] }, 'inconclusive: this case did not occur'],
  ['repeat.ends', withOutage([200, 200], null), 'inconclusive: the call has no external_id, so other payments cannot be distinguished from its repetitions'],
  ['repeat.ends', withOutage([200, 200]), 'passed: stopped after 3 attempts'],
  ['repeat.ends', withOutage(Array(38).fill(200)), 'passed: stopped after 39 attempts'],
  ['repeat.ends', withOutage(Array(39).fill(200)), 'failed: the client still repeated the call after 40 attempts'],
  ['repeat.ends', { calls: [...attempts(Array(10).fill(9990)), charge('a', { atMs: 101_001 })], injected: outage(...Array(11).keys()) }, 'passed: stopped after 11 attempts'],
  ['repeat.ends', { calls: [...attempts(Array(11).fill(10_899)), charge('a', { atMs: 131_001 })], injected: outage(...Array(12).keys()) }, 'inconclusive: still repeated after 12 attempts in 2 minutes; longer was not tested'],
  ['repeat.ends', { calls: [...attempts([64_990, ...Array(10).fill(5490)]), charge('a', { atMs: 131_001 })], injected: outage(...Array(12).keys()) }, 'inconclusive: still repeated after 12 attempts in 2 minutes; longer was not tested'],
  ['repeat.ends', { calls: [...attempts(Array(11).fill(10_899)), charge('b', { atMs: 131_001 })], injected: outage(...Array(12).keys()) }, 'passed: stopped after 12 attempts'],
  ['repeat.ends', { calls: [...attempts([0, 0]), ...attempts([300], 'b'), charge('b', failing)], injected: [...outage(0, 1, 2), ...[3, 4].map((call) => ({ fault: 'outage', call, round: 1 }) as const)] }, 'passed: stopped after 3 attempts'],
  ['repeat.ends', { calls: [...attempts([0]), ...attempts([300, 200], 'b')], injected: [...outage(0, 1), ...[2, 3, 4].map((call) => ({ fault: 'outage', call, round: 1 }) as const)] }, 'passed: stopped after 3 attempts'],

  ['repeat.not', { calls: [charge('a', rejected), balance(), charge('b')] }, 'passed: 1 rejections'],
  ['repeat.not', { calls: [charge('a', rejected), balance(), charge('a')] }, 'failed: POST /v2/transactions/cashin (#0, 409 LIMIT_EXCEEDED) was repeated'],
  ['repeat.not', { calls: [charge('a'), charge('a', rejected)] }, 'passed: 1 rejections'],
  ['repeat.not', { calls: [balance(rejected), balance(), charge('a', { ...rejected, status: 401 }), charge('a')] }, 'inconclusive: no call got an error that is not retryable'],
  ['repeat.not', { calls: [charge('a', { ...failing, retryable: true }), charge('a')] }, 'inconclusive: no call got an error that is not retryable'],
  ['repeat.not', { calls: [made('cashin', rejected), made('cashin')] }, 'failed: POST /v2/transactions/cashin (#0, 409 LIMIT_EXCEEDED) was repeated'],
  ['repeat.not', { calls: [made('cashout', rejected), made('cashout')] }, 'failed: POST /v2/transactions/cashout (#0, 409 LIMIT_EXCEEDED) was repeated'],
  ['repeat.not', { calls: [made('pixPayment', rejected), made('pixPayment')] }, 'failed: POST /v2/pix/payment (#0, 409 LIMIT_EXCEEDED) was repeated'],
  ['repeat.not', { calls: [made('transfer', rejected), made('transfer')] }, 'failed: POST /v2/internal_transfers/payment (#0, 409 LIMIT_EXCEEDED) was repeated'],
  ['repeat.not', { calls: [made('conversion', rejected), made('conversion')] }, 'failed: POST /v2/conversions/new (#0, 409 LIMIT_EXCEEDED) was repeated'],

  ['wait.rate', { calls: [charge('a')] }, 'inconclusive: this case did not occur'],
  ['wait.rate', { calls: [charge('a', limited), charge('a', { atMs: 1960 })], injected: [{ fault: 'rate_limited', call: 0 }] }, 'passed: repeated after 0.95 s'],
  ['wait.rate', { calls: [charge('a', limited), charge('a', { atMs: 11_010 })], injected: [{ fault: 'rate_limited', call: 0 }] }, 'passed: repeated after 10.00 s'],
  ['wait.rate', { calls: [charge('a', limited), charge('a', { atMs: 1959 })], injected: [{ fault: 'rate_limited', call: 0 }] }, 'failed: repeated after 0.95 s'],
  ['wait.rate', { calls: [charge('a', limited), charge('b', { atMs: 1959 })], injected: [{ fault: 'rate_limited', call: 0 }] }, 'failed: repeated after 0.95 s'],
  ['wait.rate', { calls: [charge('a', limited), charge('a', { atMs: 1009 }), charge('a', { atMs: 2010 })], injected: [{ fault: 'rate_limited', call: 0 }] }, 'passed: repeated after 1.00 s'],
  ['wait.rate', { calls: [charge('a', limited), charge('a', { atMs: 1010 })], injected: [{ fault: 'rate_limited', call: 0 }] }, 'failed: repeated after 0.00 s'],
  ['wait.rate', { calls: [charge('a', limited), balance()], injected: [{ fault: 'rate_limited', call: 0 }] }, 'inconclusive: the call was not repeated'],
  ['wait.rate', { calls: [charge('a', limited), charge('b', { fields: { description: 'b' } })], injected: [{ fault: 'rate_limited', call: 0 }] }, 'failed: POST /v2/transactions/cashin (#0, 429 RATE_LIMIT_EXCEEDED by a scenario) was not repeated after it got a 429 response'],
  ['wait.rate', { calls: [charge('a', limited), charge('b', { fields: { description: 'b' } })], injected: [{ fault: 'rate_limited', call: 0 }], failed: true }, 'inconclusive: the call was not repeated; the program ended with an error; the last injected fault: POST /v2/transactions/cashin (#0, 429 RATE_LIMIT_EXCEEDED by a scenario): it got a 429 response, and the program made 1 more call. Catch this error and continue, so that the other requirements are reached'],
  ['wait.rate', { calls: [charge(null, limited), charge(null, { atMs: 1100 })], injected: [{ fault: 'rate_limited', call: 0 }] }, 'failed: repeated after 0.09 s'],
  ['wait.rate', { calls: [charge(null, limited), payout('b'), charge(null, { atMs: 1100 })], injected: [{ fault: 'rate_limited', call: 0 }] }, 'inconclusive: the call has no external_id, so other payments cannot be distinguished from its repetitions'],
  ['wait.rate', { calls: [charge(null, limited), payout('b'), charge(null, { atMs: 2100 })], injected: [{ fault: 'rate_limited', call: 0 }] }, 'passed: repeated after 1.09 s'],
  ['wait.rate', { calls: [charge('a', limited), payout('b'), charge('a', { atMs: 1100 })], injected: [{ fault: 'rate_limited', call: 0 }] }, 'failed: repeated after 0.09 s'],

  ['wait.lockout', { calls: [token()] }, 'inconclusive: this case did not occur'],
  ['wait.lockout', { calls: [token(limited)], injected: [{ fault: 'locked_out', call: 0 }] }, 'inconclusive: the call was not repeated'],
  ['wait.lockout', { calls: [token(limited), balance(), token({ atMs: 1960 })], injected: [{ fault: 'locked_out', call: 0 }] }, 'passed: repeated after 0.95 s'],
  ['wait.lockout', { calls: [token(limited), token({ atMs: 1959 })], injected: [{ fault: 'locked_out', call: 0 }] }, 'failed: repeated after 0.95 s'],
  ['wait.lockout', { calls: [charge('a', failing), charge('b'), charge('a'), token(limited), token({ atMs: 1100 })], injected: [{ fault: 'unavailable', call: 0 }, { fault: 'locked_out', call: 3 }] }, 'inconclusive: the client makes several calls at a time; another one may have requested the next token'],
  ['wait.lockout', { calls: [charge('a', failing), charge('b'), charge('a'), token(limited), token({ atMs: 1100 })], injected: [{ fault: 'outage', call: 0 }, { fault: 'locked_out', call: 3 }] }, 'failed: repeated after 0.09 s'],
  ['wait.lockout', { calls: [charge('a', failing), charge('a'), charge('b'), token(limited), token({ atMs: 1100 })], injected: [{ fault: 'unavailable', call: 0 }, { fault: 'locked_out', call: 3 }] }, 'failed: repeated after 0.09 s'],

  ['repeat.named', { calls: [list()], failed: true }, 'inconclusive: no charge and no withdrawal; the program ended with an error before a fault was injected'],
  ['repeat.named', { calls: [balance(failing)], injected: [{ fault: 'unavailable', call: 0 }], failed: true }, 'inconclusive: no charge and no withdrawal; the program ended with an error; the last injected fault: GET /v2/account/balance (#0, 503 SERVICE_UNAVAILABLE by a scenario): it got a 503 response, and the program made no call after it. Catch this error and continue, so that the other requirements are reached'],
  ['repeat.named', { calls: [balance(failing), balance()], injected: [{ fault: 'unavailable', call: 0 }], failed: true }, 'inconclusive: no charge and no withdrawal; the program ended with an error; the last injected fault: GET /v2/account/balance (#0, 503 SERVICE_UNAVAILABLE by a scenario): it got a 503 response, and the program made 1 more call. Catch this error and continue, so that the other requirements are reached'],
  ['repeat.named', { calls: [balance(failing), balance(), balance()], injected: [{ fault: 'unavailable', call: 0 }], failed: true }, 'inconclusive: no charge and no withdrawal; the program ended with an error; the last injected fault: GET /v2/account/balance (#0, 503 SERVICE_UNAVAILABLE by a scenario): it got a 503 response, and the program made 2 more calls. Catch this error and continue, so that the other requirements are reached'],
  ['repeat.named', { calls: [balance(failing), balance()], injected: [{ fault: 'unavailable', call: 0 }], expiredMs: [1000], failed: true }, 'inconclusive: no charge and no withdrawal; the program ended with an error; the last injected fault: its token expired, and the program made 1 more call. Catch this error and continue, so that the other requirements are reached'],
  ['repeat.named', { calls: [balance(failing), balance()], injected: [{ fault: 'unavailable', call: 0 }], expiredMs: [999], failed: true }, 'inconclusive: no charge and no withdrawal; the program ended with an error; the last injected fault: GET /v2/account/balance (#0, 503 SERVICE_UNAVAILABLE by a scenario): it got a 503 response, and the program made 1 more call. Catch this error and continue, so that the other requirements are reached'],
  ['repeat.named', { calls: [balance(failing), balance()], injected: [{ fault: 'unavailable', call: 0 }], expiredMs: [1001], failed: true }, 'inconclusive: no charge and no withdrawal; the program ended with an error; the last injected fault: GET /v2/account/balance (#0, 503 SERVICE_UNAVAILABLE by a scenario): it got a 503 response, and the program made 1 more call. Catch this error and continue, so that the other requirements are reached'],
  ['repeat.named', { calls: [balance(), balance({ atMs: 1001 })], expiredMs: [1, 1001], failed: true }, 'inconclusive: no charge and no withdrawal; the program ended with an error; the last injected fault: its token expired, and the program made 1 more call. Catch this error and continue, so that the other requirements are reached'],
]

test.each(cases)('%s of calls %# has this result', async (rule, given, found, fix) => {
  const { rules } = await judge(logOf(given))
  const [{ result, observed, fix: advice } = {}] = rules.filter(({ id }) => id === rule)
  expect(`${result}: ${observed}`).toBe(found)
  if (fix !== undefined) expect(advice).toBe(fix)
})

/** A timer that rings as late as the test wants. */
function timersByHand() {
  let [nowMs, dueMs, then] = [0, 0, () => {}]
  const host = {
    closed: false,
    clock: { wall: () => nowMs },
    callAfter(delayMs: number, ring: () => void) {
      dueMs = nowMs + delayMs
      then = ring
      return () => {
        then = () => {}
      }
    },
  }
  const drift = new TimerDrift(host)
  const ring = (lateMs: number) => {
    nowMs = dueMs + lateMs
    then()
  }
  const close = () => {
    host.closed = true
  }
  return { drift, ring, close }
}

test('timers that ring more than 5 ms late explain the pauses that they overlap', () => {
  const { drift, ring } = timersByHand()
  ring(5)
  expect([drift.isOnTime, drift.driftBetween(0, 1000)]).toEqual([true, 0])
  // Due at 55, it rings at 61; the next one is due at 86 and rings at 186.
  ring(6)
  expect([drift.isOnTime, drift.driftBetween(0, 1000)]).toEqual([false, 6])
  ring(100)
  expect(drift.driftBetween(0, 1000)).toBe(106)
  const periods: [fromMs: number, toMs: number, explainedMs: number][] = [
    [0, 55, 0],
    [0, 56, 6],
    [60, 61, 6],
    [61, 86, 0],
    [60, 87, 106],
    [185, 200, 100],
    [186, 200, 0],
  ]
  for (const [fromMs, toMs, explainedMs] of periods)
    expect(drift.driftBetween(fromMs, toMs), `${fromMs} to ${toMs}`).toBe(explainedMs)
})

test('a client that is watched for hours is judged by the newest late timers', () => {
  const { drift, ring } = timersByHand()
  for (let count = 0; count < 10_000; count++) ring(10)
  expect(drift.driftBetween(0, 36)).toBe(10)
  ring(10)
  expect([drift.driftBetween(0, 36), drift.driftBetween(0, 71)]).toEqual([0, 10])
})

test('timers are measured until that is stopped, or until the workspace is closed', () => {
  const { drift, ring } = timersByHand()
  ring(10)
  drift.stop()
  ring(10)
  expect(drift.driftBetween(0, 1000)).toBe(10)
  const { drift: other, ring: ringOther, close } = timersByHand()
  close()
  ringOther(10)
  expect(other.isOnTime).toBe(true)
})
