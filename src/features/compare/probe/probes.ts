/**
 * The probes: calls that show whether the platform does what is documented and what the sandbox assumes. One row each.
 * The figures of coverage are computed from this table, so it imports no code that runs probes.
 */
import {
  type AssumptionId,
  type Currency,
  type DocumentedSentenceId,
  type EndpointName,
  type EventName,
  externalIdMaxLength,
  type FidelityTier,
  textMaxLength,
} from '../../../inside/platform.js'
import { type Fields, keysOf } from '../../../inside/values.js'
import type { Caller, Signed } from './signed.js'

/** What a probe requires beyond credentials, with the words of a report about a probe that did not run. */
export const probeNeeds = {
  key: 'the signing key',
  money: '--money small',
  withdrawals: '--withdrawals',
  webhooks: '--webhooks-port',
  dispute: 'a dispute in the account',
} as const
export type ProbeNeed = keyof typeof probeNeeds

export type Shown = DocumentedSentenceId | AssumptionId

export interface ProbeCall {
  /** An endpoint, or a method and a path that is none. */
  to: EndpointName | `${string} /v2/${string}`
  /** The fields; the exact text if it matters. `{run}` is unique, `{name}` a field of an earlier answer of the probe. */
  send?: Fields | string
  /** Whose credentials (default: the right ones). */
  as?: Exclude<Caller, 'account'>
  /** How a signed call is signed (default: rightly). */
  signed?: Signed
  contentType?: string
}

interface ProbeRow {
  tier: FidelityTier
  shows: readonly Shown[]
  needs?: readonly ProbeNeed[]
  calls: readonly ProbeCall[]
  /** The webhooks that the calls cause. */
  webhooks?: {
    /** The events, one for each webhook. */
    events: readonly EventName[]
    /** How many attempts of each are answered with 500. The next call is made after the webhook of the one before. */
    rejected?: number
  }
}

// biome-ignore format: lists
const answer = ['envelope-success', 'envelope-data', 'envelope-request-id', 'envelope-timestamp', 'version-path', 'request_id_header', 'undocumented_fields'] as const
// biome-ignore format: lists
const error = ['error-success', 'error-code', 'error-group', 'error-retryable', 'error-details', 'error_groups', 'retryable_errors', 'request_id_header', 'undocumented_fields'] as const
const ownError = [...error, 'error_codes'] as const
// biome-ignore format: lists
const hook = ['webhook-target', 'webhook-type', 'webhook-event', 'webhook-signature', 'webhook-id', 'webhook-timestamp', 'webhook-agent', 'webhook-first', 'first_attempt', 'event-envelope', 'event-timestamp', 'event-transaction-id', 'times_with_offset'] as const

const brl = { amount: 1, currency: 'BRL' } as const
const usdt = { amount: 2, currency: 'USDT', chain: 'tron' } as const
const charge = (send: Fields | string): ProbeCall => ({ to: 'cashin', send })
const balance: ProbeCall = { to: 'balance' }
/** A well-formed key that belongs to nobody, because its check digits are wrong. */
const unknownKey = { key: '52998224726', key_type: 'cpf' } as const
const wrongTronAddress = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6a'
const wrongEvmAddress = '0x52908400098527886E0F7030069857D2E4169Ee7'
/** Accepted by those who know that a CNPJ can have letters. */
const cnpjWithLetters = '12ABC34501DE35'
const longestId = `{run}-${'order-'.repeat(externalIdMaxLength)}`.slice(
  0,
  externalIdMaxLength - '12345678'.length + '{run}'.length,
)
/** BBVA, where the platform is unlikely to have its fixed wallets. */
const otherBank = '40012'
const noDispute = '1f0c8a52-6d3e-4b7a-9c41-5e2d7f8a9b36'
const withdrawal = (send: Fields): ProbeCall => ({ to: 'cashout', send: { external_id: '{run}-{call}', ...send } })
/** Calls that lack nothing, and that are rejected whatever their signature is. */
const toNobody: ProbeCall = { to: 'transfer', send: { ...brl, username: 'nobody-{run}' } }
const quoteOf = (coin: Currency, amount: number): ProbeCall => ({
  to: 'rate',
  send: { amount, base_currency: coin, destination_currency: 'BRL' },
})
const created = 'wallet.created'
const spends = ['key', 'money', 'withdrawals'] as const

// biome-ignore format: lists
const chargeShows = [...answer, 'charge-status', 'charge-id', 'charge-amount', 'charge-fee', 'charge-pending', 'charge-created-at', 'times_with_offset', 'fees'] as const
// biome-ignore format: lists
const pixCharge = [...chargeShows, 'charge-pix-method', 'charge-pix-qrcode', 'charge-pix-expiration', 'charge-no-chain', 'minimum:BRL', 'pix_charge_life'] as const
// biome-ignore format: lists
const withdrawalShows = ['withdrawal-request', 'withdrawal-pending', 'withdrawal_answer', 'times_with_offset', 'amount_types', 'fees'] as const
// biome-ignore format: lists
const settled = [...hook, 'event:cashout.confirmed', 'withdrawal-confirmed', 'event-amounts', 'amount_decimals'] as const
// biome-ignore format: lists
const returned = [...hook, 'event:cashout.failed', 'withdrawal-failed', 'event-amounts', 'refunded_amount', 'amount_decimals'] as const

// biome-ignore format: a table, a row a line
export const probes = {
  token: { tier: 'core', shows: ['token-basic', 'token-answer', 'token-meta', 'token-envelope', 'version-path', 'request_id_header'], calls: [{ to: 'token', send: { grant_type: 'client_credentials' } }] },
  balance: { tier: 'core', shows: [...answer, 'balance-endpoint', 'balance-components', 'currencies', 'unsigned-routes', 'amount_types'], calls: [balance] },
  profile: { tier: 'core', shows: [...answer, 'account-endpoints', 'account_paths'], calls: [{ to: 'profile' }] },
  limits: { tier: 'limits', shows: [...answer, 'account-endpoints', 'account_paths', 'limits', 'amount_types'], calls: [{ to: 'limits' }] },
  fees: { tier: 'core', shows: [...answer, 'account-endpoints', 'account_paths', 'fees', 'amount_types'], calls: [{ to: 'fees' }] },
  transactions: { tier: 'core', shows: [...answer, 'list-pages', 'pages'], calls: [{ to: 'transactionList', send: {} }, { to: 'transactionList', send: { page: 1, page_size: 3 } }] },
  filters: { tier: 'core', shows: [...answer, 'list-pages'], calls: [{ to: 'transactionList', send: { page: 1, page_size: 2, type: 'cashin', status: 'pending', source: 'dynamic_qr', currency: 'BRL', from_date: '2026-01-01', to_date: '2026-01-02' } }, { to: 'transactionList', send: { page: 1, page_size: 2, status: 'cancelled' } }] },
  rate: { tier: 'core', shows: [...answer, 'conversion-rate', 'exchange_rates', 'rate_digits', 'conversion_fee', 'amount_types'], calls: [{ to: 'rate', send: { amount: 100, base_currency: 'BRL', destination_currency: 'USDT' } }, { to: 'rate', send: { amount: 100, base_currency: 'USDT', destination_currency: 'MXN' } }, quoteOf('USDC', 100), quoteOf('BTC', 0.01), quoteOf('ETH', 0.1), quoteOf('SOL', 1), quoteOf('BNB', 1)] },
  simulate: { tier: 'core', shows: [...answer, 'conversion-simulate', 'exchange_rates', 'rate_digits', 'quote_life', 'conversion_fee', 'amount_types'], calls: [{ to: 'simulate', send: { amount: 101, base_currency: 'BRL', destination_currency: 'USDT' } }, { to: 'simulate', send: { amount: 103, base_currency: 'BRL', destination_currency: 'USDT' } }, { to: 'simulate', send: { amount: 107, base_currency: 'BRL', destination_currency: 'MXN' } }] },
  disputes: { tier: 'core', shows: [...answer, 'dispute-list'], calls: [{ to: 'infractionList', send: { page: 1, page_size: 10 } }, { to: 'infractionList', send: { page: 1, page_size: 10, status: 'open' } }] },
  dispute: { tier: 'core', shows: ['dispute-detail', 'dispute-uuid'], needs: ['dispute'], calls: [{ to: 'infractionList', send: { page: 1, page_size: 1 } }, { to: 'infractionDetail', send: { id: '{infraction_id}' } }] },

  no_token: { tier: 'validation', shows: [...ownError, 'bearer-required', 'order_of_checks'], calls: [{ ...balance, as: 'nobody' }, { ...balance, as: 'stranger' }, { ...charge({ amount: 'one' }), as: 'nobody' }] },
  credentials: { tier: 'errors', shows: [...error, 'error:INVALID_CREDENTIALS', 'token_checks', 'token-basic'], calls: [{ to: 'token', send: {}, as: 'stranger' }, { to: 'token', send: { grant_type: 'client_credentials' }, as: 'nobody' }, { to: 'token', send: { grant_type: 'client_credentials' } }] },
  grant_type: { tier: 'validation', shows: [...error, 'token-grant-type', 'error_codes'], calls: [{ to: 'token', send: {} }, { to: 'token', send: { grant_type: 'password' } }] },
  content_type: { tier: 'validation', shows: [...ownError, 'json-bodies'], calls: [{ ...charge(brl), contentType: 'text/plain' }] },
  unknown_path: { tier: 'errors', shows: ['unknown_path'], calls: [{ to: 'GET /v2/account/balances' }, { to: 'GET /v2/transactions/cashin' }] },
  required: { tier: 'validation', shows: [...error, 'error:MISSING_REQUIRED_FIELD', 'charge-required', 'missing_before_wrong', 'null_fields', 'order_of_checks'], calls: [charge({}), charge({ currency: 'BRL' }), charge({ amount: 1 }), charge({ currency: 'EUR' }), charge({ amount: -1 }), charge({ amount: null, currency: 'BRL' })] },
  amount: { tier: 'validation', shows: [...error, 'error:INVALID_AMOUNT', 'charge-amount-number', 'largest_amount', 'order_of_checks'], calls: [charge({ amount: '1.00', currency: 'BRL' }), charge({ amount: 0, currency: 'BRL' }), charge({ amount: -1, currency: 'BRL' }), charge('{"amount":98765432198765432,"currency":"BRL"}')] },
  decimals: { tier: 'limits', shows: [...error, 'error:INVALID_AMOUNT', 'charge-decimals'], calls: [charge({ amount: 1.005, currency: 'BRL' }), charge({ ...usdt, amount: 2.001 }), charge('{"amount":2.6799999999999997,"currency":"BRL"}')] },
  coin_decimals: { tier: 'limits', shows: [...error, 'decimals_of_coins'], calls: [charge('{"amount":0.000200001,"currency":"BTC","chain":"bitcoin"}'), charge('{"amount":0.0020000001,"currency":"SOL","chain":"solana"}')] },
  currency: { tier: 'errors', shows: [...error, 'error:INVALID_CURRENCY', 'currencies', 'case_of_names'], calls: [charge({ amount: 1, currency: 'EUR' }), charge({ amount: 1, currency: 'brl' }), { to: 'rate', send: { amount: 1, base_currency: 'EUR', destination_currency: 'BRL' } }] },
  below_brl: { tier: 'limits', shows: [...error, 'error:BELOW_MIN_LIMIT', 'minimum:BRL', 'below_minimum'], calls: [charge({ amount: 0.99, currency: 'BRL' })] },
  below_stablecoins: { tier: 'limits', shows: [...error, 'error:BELOW_MIN_LIMIT', 'minimum:USDT', 'minimum:USDC', 'below_minimum'], calls: [charge({ ...usdt, amount: 1.99 }), charge({ amount: 1.99, currency: 'USDC', chain: 'ethereum' })] },
  below_coins: { tier: 'limits', shows: [...error, 'error:BELOW_MIN_LIMIT', 'minimum:BTC', 'minimum:ETH', 'minimum:SOL', 'below_minimum'], calls: [charge('{"amount":0.00009,"currency":"BTC","chain":"bitcoin"}'), charge({ amount: 0.0009, currency: 'ETH', chain: 'ethereum' }), charge({ amount: 0.0009, currency: 'SOL', chain: 'solana' })] },
  below_others: { tier: 'limits', shows: [...error, 'error:BELOW_MIN_LIMIT', 'limits', 'below_minimum'], calls: [charge({ amount: 9.99, currency: 'MXN' }), charge({ amount: 0.0009, currency: 'BNB', chain: 'bsc' })] },
  maximum: { tier: 'limits', shows: [...error, 'error:EXCEEDS_MAX_LIMIT', 'maximum-details', 'limits', 'largest_amount'], calls: [charge({ amount: 9999999999, currency: 'BRL' }), charge('{"amount":9999999999999.99,"currency":"BRL"}')] },
  chain: { tier: 'validation', shows: [...error, 'error:UNSUPPORTED_CHAIN', 'chain-details', 'charge-chain'], calls: [charge({ ...usdt, chain: 'bitcoin' }), charge({ ...usdt, chain: 'Tron' })] },
  chain_rules: { tier: 'validation', shows: [...error, 'charge-no-chain', 'chain_rules'], calls: [charge({ amount: 2, currency: 'USDT' }), charge({ ...brl, chain: 'tron' })] },
  external_id: { tier: 'limits', shows: [...ownError, 'text_bounds'], calls: [charge({ ...brl, external_id: 'order-'.repeat(26) }), charge({ ...brl, external_id: '' })] },
  texts: { tier: 'validation', shows: [...ownError, 'text_bounds'], calls: [charge({ ...brl, payer: { name: 'Ana '.repeat(70) } }), charge({ ...brl, payer: { email: 'nobody' } })] },
  document: { tier: 'validation', shows: [...ownError, 'payer_document'], calls: [charge({ ...brl, payer: { name: 'Ana Souza', document: '52998224726' } })] },
  postback_url: { tier: 'webhooks', shows: [...ownError, 'https-only', 'postback_url_text', 'http_addresses'], calls: [charge({ ...brl, postback_url: 'http://example.com/hooks' }), charge({ ...brl, postback_url: 'https://example.com/my hooks' }), charge({ ...brl, postback_url: 'https://ana:secret@example.com/hooks' })] },
  split: { tier: 'validation', shows: [...ownError, 'split-optional', 'split_items'], calls: [charge({ ...brl, split: { username: 'nobody' } }), charge({ ...brl, split: [{ percentage: 10 }] }), charge({ ...brl, split: [{ username: 'nobody-{run}', percentage: 10 }] }), charge({ ...brl, split: [{ username: 'nobody-{run}', amount: 0.1 }] })] },
  filter_values: { tier: 'validation', shows: [...ownError, 'filter_values'], calls: [{ to: 'transactionList', send: { type: 'refund' } }, { to: 'transactionList', send: { currency: 'EUR' } }, { to: 'infractionList', send: { status: 'settled' } }] },
  filter_dates: { tier: 'validation', shows: [...ownError, 'filter_dates', 'list-pages'], calls: [{ to: 'transactionList', send: { from_date: '2026-02-30' } }, { to: 'transactionList', send: { page: 0 } }, { to: 'transactionList', send: { page_size: 101 } }] },
  unknown_dispute: { tier: 'errors', shows: [...ownError, 'dispute-detail', 'dispute-reply'], calls: [{ to: 'infractionDetail', send: {} }, { to: 'infractionDetail', send: { id: 'one' } }, { to: 'infractionDetail', send: { id: noDispute } }, { to: 'infractionReply', send: { id: noDispute, message: 'Delivered' } }] },
  wallet_request: { tier: 'validation', shows: [...error, 'wallet-request'], calls: [{ to: 'wallet', send: {} }, { to: 'wallet', send: { currency: 'USDT', chain: 'bitcoin' } }] },
  equal_currencies: { tier: 'validation', shows: [...error, 'equal_currencies'], calls: [{ to: 'rate', send: { amount: 10, base_currency: 'BRL', destination_currency: 'BRL' } }] },
  quote_checks: { tier: 'validation', shows: [...error, 'quote_checks', 'below_minimum'], calls: [{ to: 'rate', send: { amount: 0.01, base_currency: 'BRL', destination_currency: 'USDT' } }, { to: 'rate', send: { base_currency: 'BRL', destination_currency: 'USDT' } }, { to: 'simulate', send: { amount: 0, base_currency: 'BRL', destination_currency: 'USDT' } }] },
  unsigned: { tier: 'validation', shows: [...error, 'error:MISSING_SIGNATURE', 'signed-routes', 'pix-payment', 'signature_checks'], calls: [{ ...withdrawal({ amount: 0.01, currency: 'BRL', ...unknownKey }), signed: 'not' }, { to: 'pixPayment', send: { amount: 0.01, external_id: '{run}-{call}', creditParty: { key: unknownKey.key, keyType: 'cpf' } }, signed: 'not' }, { ...toNobody, signed: 'not' }, { to: 'conversion', send: { amount: 1, base_currency: 'BRL', destination_currency: 'BRL', external_id: '{run}-{call}' }, signed: 'not' }, { ...toNobody, signed: 'partly' }, { ...toNobody, signed: 'without_nonce' }] },
  timestamp: { tier: 'timing', shows: [...error, 'error:INVALID_TIMESTAMP', 'signature-timestamp', 'signature_checks', 'signature_headers'], calls: [{ ...toNobody, signed: 'stale' }, { ...toNobody, signed: 'in_ms' }, { ...toNobody, signed: 'stale_with_another_key' }, { ...toNobody, signed: 'early' }] },
  timestamp_window: { tier: 'timing', shows: [...ownError, 'timestamp-window'], needs: ['key'], calls: [{ ...toNobody, signed: 'nearly_stale' }, { ...toNobody, signed: 'nearly_early' }] },
  signature: { tier: 'validation', shows: [...error, 'error:INVALID_SIGNATURE', 'order_of_checks'], calls: [{ ...withdrawal({}), signed: 'with_another_key' }, { ...toNobody, signed: 'with_another_key' }] },
  signature_headers: { tier: 'validation', shows: [...error, 'signature-text', 'signature-nonce', 'signature_headers'], needs: ['key'], calls: [toNobody, { ...toNobody, signed: 'in_upper_case' }, { ...toNobody, signed: 'with_bad_nonce' }] },
  signed_body: { tier: 'validation', shows: [...error, 'signature-text', 'signature-raw-body', 'withdrawal-request', 'order_of_checks'], needs: ['key'], calls: [{ to: 'cashout', send: '{ "currency" : "BRL" }' }, { to: 'cashout', send: {} }] },
  nonce: { tier: 'timing', shows: [...error, 'error:REPLAY_DETECTED', 'nonce-window', 'nonce_use'], needs: ['key'], calls: [toNobody, { ...toNobody, signed: 'repeated' }] },
  signed_requests: { tier: 'validation', shows: [...error, 'pix-payment', 'legacy_body', 'transfer-request', 'conversion-new'], needs: ['key'], calls: [{ to: 'pixPayment', send: {} }, { to: 'transfer', send: {} }, toNobody, { to: 'conversion', send: { amount: 1, base_currency: 'BRL' } }] },

  // Charges that nobody pays, and fixed wallets.
  pix_charge: { tier: 'core', shows: [...pixCharge, 'charge-external-id', 'charge-postback-url', 'payer-optional'], needs: ['money'], calls: [charge({ ...brl, external_id: '{run}-1', payer: { name: 'Ana Souza', document: '52998224725', email: 'ana@example.com' } })] },
  repeated_charge: { tier: 'core', shows: [...pixCharge, 'external-id-repeated', 'external_id_again', 'error:DUPLICATE_EXTERNAL_ID', ...error], needs: ['money'], calls: [charge({ ...brl, external_id: '{run}-2' }), charge({ ...brl, external_id: '{run}-2' }), charge({ ...brl, amount: 1.01, external_id: '{run}-2' })] },
  charge_without_id: { tier: 'core', shows: [...pixCharge, 'payer-optional', 'missing_values'], needs: ['money'], calls: [charge(brl)] },
  fee_rounding: { tier: 'core', shows: [...pixCharge, 'rounding'], needs: ['money'], calls: [charge({ amount: 1.5, currency: 'BRL', external_id: '{run}-3' }), charge({ amount: 1.21, currency: 'BRL', external_id: '{run}-15' })] },
  longest_texts: { tier: 'limits', shows: [...pixCharge, 'charge-external-id', 'external-id-length', 'payer-optional', 'text_bounds', 'cnpj_letters'], needs: ['money'], calls: [charge({ ...brl, external_id: longestId }), charge({ ...brl, external_id: '{run}-16', payer: { name: 'Ana '.repeat(textMaxLength).slice(0, textMaxLength) } }), charge({ ...brl, external_id: '{run}-17', payer: { name: 'Ana Souza', document: cnpjWithLetters } })] },
  used_id: { tier: 'core', shows: [...pixCharge, ...error, 'external_id_scope', 'error:DUPLICATE_EXTERNAL_ID'], needs: ['key', 'money'], calls: [charge({ ...brl, external_id: '{run}-18' }), { ...toNobody, send: { ...brl, username: 'nobody-{run}', external_id: '{run}-18' } }] },
  spei_charge: { tier: 'core', shows: [...chargeShows, 'charge-spei-clabe', 'charge-no-chain', 'payment_methods', 'limits'], needs: ['money'], calls: [charge({ amount: 10, currency: 'MXN', external_id: '{run}-4' })] },
  tron_charge: { tier: 'core', shows: [...chargeShows, 'charge-crypto-address', 'crypto-address-life', 'crypto_expiry', 'chain-is-network', 'charge-chain', 'minimum:USDT', 'minimum:USDC', 'payment_methods', 'confirmations'], needs: ['money'], calls: [charge({ ...usdt, external_id: '{run}-5' })] },
  chain_charges: { tier: 'core', shows: [...chargeShows, 'charge-crypto-address', 'crypto-address-life', 'crypto_expiry', 'currencies', 'minimum:BTC', 'minimum:ETH', 'minimum:SOL', 'payment_methods', 'confirmations', 'network_labels', 'decimals_of_coins', 'limits', 'rounding', 'missing_values'], needs: ['money'], calls: [
    charge({ amount: 2, currency: 'USDC', chain: 'ethereum', external_id: '{run}-6' }), charge({ amount: 2, currency: 'USDC', chain: 'polygon', external_id: '{run}-7' }),
    charge({ amount: 0.0001, currency: 'BTC', chain: 'bitcoin', external_id: '{run}-8' }), charge({ amount: 0.001, currency: 'ETH', chain: 'ethereum', external_id: '{run}-9' }),
    charge({ amount: 0.001, currency: 'SOL', chain: 'solana', external_id: '{run}-10' }), charge({ amount: 0.001, currency: 'BNB', chain: 'bsc', external_id: '{run}-11' }),
    charge('{"amount":0.00010051,"currency":"BTC","chain":"bitcoin"}'), charge('{"amount":0.001000001,"currency":"SOL","chain":"solana"}')] },
  charge_address: { tier: 'webhooks', shows: [...pixCharge, 'postback-url-override', 'charge-postback-url'], needs: ['money'], calls: [charge({ ...brl, external_id: '{run}-12', postback_url: 'https://example.com/hooks' })] },
  private_address: { tier: 'webhooks', shows: [...pixCharge, 'https-only', 'http_addresses'], needs: ['money'], calls: [charge({ ...brl, external_id: '{run}-13', postback_url: 'http://127.0.0.1:9/hooks' })] },
  charge_list: { tier: 'core', shows: [...chargeShows, 'list-pages', 'list-filters', 'filter_dates', 'pix_charge_life', 'missing_values', 'amount_types', 'network_labels', 'confirmations', 'crypto_expiry', 'payment_methods', 'limits'], needs: ['money'], calls: [charge({ amount: 0.001, currency: 'BNB', chain: 'bsc', external_id: '{run}-14' }), { to: 'transactionList', send: { page: 1, page_size: 1, type: 'cashin', currency: 'BNB' } }, { to: 'transactionList', send: { page: 1, page_size: 1, type: 'cashout', currency: 'BNB' } }, { to: 'transactionList', send: { page: 1, page_size: 1, currency: 'BRL' } }, { to: 'transactionList', send: { page: 1, page_size: 1, status: 'confirmed' } }, { to: 'transactionList', send: { page: 1, page_size: 1, source: 'static' } }, { to: 'transactionList', send: { page: 1, page_size: 100, type: 'cashin', currency: 'BNB', from_date: '{day}', to_date: '{day}' } }] },
  wallets: { tier: 'core', shows: [...answer, 'wallet-request', 'wallet-destination', 'second_wallet', 'missing_values', ...hook, 'event:wallet.created', 'wallet_event_id'], needs: ['money'], calls: [{ to: 'wallet', send: { currency: 'BRL' } }, { to: 'wallet', send: { currency: 'BRL' } }], webhooks: { events: ['wallet.created', 'wallet.created'] } },
  retries: { tier: 'timing', shows: [...hook, 'webhook-retry', 'webhook-delays', 'attempt_changes', 'confirmations', 'network_labels', 'missing_values'], needs: ['money', 'webhooks'], calls: [{ to: 'wallet', send: { currency: 'USDT', chain: 'tron' } }, { to: 'wallet', send: { currency: 'USDT', chain: 'polygon' } }, { to: 'wallet', send: { currency: 'USDT', chain: 'solana' } }], webhooks: { events: [created, created, created], rejected: 2 } },
  other_wallets: { tier: 'core', shows: [...answer, 'wallet-request', 'wallet-destination', 'confirmations', 'network_labels', 'missing_values', ...hook, 'event:wallet.created'], needs: ['money'], calls: [{ to: 'wallet', send: { currency: 'USDT', chain: 'ethereum' } }, { to: 'wallet', send: { currency: 'MXN' } }], webhooks: { events: ['wallet.created', 'wallet.created'] } },

  // Withdrawals to a fixed wallet of the account, or to nobody, and a conversion.
  pix_withdrawal: { tier: 'core', shows: [...withdrawalShows, 'key_type_omitted', 'missing_values', 'second_wallet', ...settled, 'cashout_settle', 'receiver_bank'], needs: spends, calls: [{ to: 'wallet', send: { currency: 'BRL' } }, withdrawal({ ...brl, key: '{address}' })], webhooks: { events: ['wallet.created', 'cashout.confirmed'] } },
  spei_withdrawal: { tier: 'core', shows: [...withdrawalShows, 'withdrawal-options', 'key_type_ignored', 'network_labels', 'missing_values', 'second_wallet', ...settled, 'receiver_bank'], needs: spends, calls: [{ to: 'wallet', send: { currency: 'MXN' } }, withdrawal({ amount: 10, currency: 'MXN', key: '{address}', key_type: 'cpf', name: 'Ana Souza', description: 'Probe' })], webhooks: { events: ['wallet.created', 'cashout.confirmed'] } },
  bank_code: { tier: 'core', shows: [...withdrawalShows, 'withdrawal-options', 'spei_hash', 'wrong_destination', 'network_labels', 'missing_values', 'second_wallet', ...returned, 'failure:INVALID_ADDRESS', 'bank_code_mismatch'], needs: spends, calls: [{ to: 'transactionList', send: { page: 1, page_size: 1, type: 'cashout', currency: 'MXN' } }, { to: 'wallet', send: { currency: 'MXN' } }, withdrawal({ amount: 10, currency: 'MXN', key: '{address}', bank_code: otherBank })], webhooks: { events: ['wallet.created', 'cashout.failed'] } },
  legacy_withdrawal: { tier: 'core', shows: [...withdrawalShows, 'pix-payment', 'legacy_body', 'missing_values', 'second_wallet', ...settled], needs: spends, calls: [{ to: 'wallet', send: { currency: 'BRL' } }, { to: 'pixPayment', send: { amount: 1, external_id: '{run}-legacy', creditParty: { key: '{address}', keyType: 'random' } } }], webhooks: { events: ['wallet.created', 'cashout.confirmed'] } },
  unknown_key: { tier: 'core', shows: [...withdrawalShows, 'withdrawal-key-types', 'wrong_destination', ...returned, 'failure:PIX_KEY_NOT_FOUND'], needs: spends, calls: [withdrawal({ ...brl, ...unknownKey })], webhooks: { events: ['cashout.failed'] } },
  wrong_address: { tier: 'core', shows: [...withdrawalShows, 'wrong_destination', 'missing_values', ...returned, 'failure:INVALID_ADDRESS'], needs: spends, calls: [withdrawal({ amount: 2, currency: 'USDT', network: 'tron', key: wrongTronAddress })], webhooks: { events: ['cashout.failed'] } },
  second_layer: { tier: 'core', shows: [...withdrawalShows, 'withdrawal-network', 'wrong_destination', 'network_labels', 'missing_values', ...returned, 'failure:INVALID_ADDRESS'], needs: spends, calls: [withdrawal({ amount: 2, currency: 'USDT', network: 'arbitrum', key: wrongEvmAddress })], webhooks: { events: ['cashout.failed'] } },
  withdrawal_checks: { tier: 'validation', shows: [...error, 'error:INVALID_AMOUNT', 'withdrawal-key-types', 'network_omitted'], needs: spends, calls: [withdrawal({ ...brl, key: unknownKey.key, key_type: 'iban' }), withdrawal({ amount: 2, currency: 'USDT', key: wrongTronAddress })] },
  conversion: { tier: 'core', shows: [...answer, ...error, 'conversion-new', 'conversion_fee', 'exchange_rates', 'rate_digits', 'amount_types', 'error:REPLAY_DETECTED', 'nonce-window', ...hook, 'event:conversion.confirmed', 'event-amounts', 'amount_decimals'], needs: spends, calls: [{ to: 'conversion', send: { amount: 1, base_currency: 'BRL', destination_currency: 'USDT', external_id: '{run}-conversion' } }, { to: 'conversion', send: { amount: 1, base_currency: 'BRL', destination_currency: 'USDT', external_id: '{run}-conversion' }, signed: 'repeated' }], webhooks: { events: ['conversion.confirmed'] } },
  balance_after: { tier: 'core', shows: [...answer, 'balance-components', 'withdrawal_fee_payer', 'withdrawal-failed', 'conversion-completed', 'fees', 'exchange_rates', 'amount_types'], needs: [...spends, 'webhooks'], calls: [balance] },
} as const satisfies Record<string, ProbeRow>

export type ProbeId = keyof typeof probes
export const probeIds = keysOf(probes)
export const probeOf = (id: ProbeId): ProbeRow => probes[id]

/** Probes that move money. */
export const spendingProbes: ReadonlySet<string> = new Set(
  probeIds.filter((id) => probeOf(id).needs?.includes('withdrawals') === true),
)

/** For each row that a probe shows, the probe that shows the fewest others. */
export function probesByRow(): ReadonlyMap<Shown, ProbeId> {
  const byWidth = probeIds.toSorted((one, other) => probeOf(other).shows.length - probeOf(one).shows.length)
  return new Map(byWidth.flatMap((id) => probeOf(id).shows.map((row) => [row, id] as const)))
}
