/** An independent copy of what the interface and the decisions promise, for the tests: errors, event payloads, pairs, scales. */

type ErrorRow = readonly [status: number, group: string, retryable: boolean, details: readonly string[]]

/** §7: status, group, retryable, and the fields that `details` must have. */
export const errorSpec: Readonly<Record<string, ErrorRow>> = {
  INVALID_CREDENTIALS: [401, 'auth', false, []],
  IP_BLOCKED_TEMPORARILY: [403, 'auth', true, []],
  INVALID_TIMESTAMP: [401, 'signature', false, []],
  REPLAY_DETECTED: [401, 'signature', false, []],
  INVALID_SIGNATURE: [401, 'signature', false, []],
  MISSING_SIGNATURE: [401, 'signature', false, []],
  MISSING_REQUIRED_FIELD: [400, 'validation', false, ['field']],
  INVALID_AMOUNT: [422, 'validation', false, []],
  INVALID_CURRENCY: [422, 'validation', false, []],
  UNSUPPORTED_CHAIN: [422, 'validation', false, ['supported']],
  BELOW_MIN_LIMIT: [409, 'limits', false, []],
  EXCEEDS_MAX_LIMIT: [409, 'limits', false, ['max_amount']],
  LIMIT_EXCEEDED: [409, 'limits', false, []],
  DUPLICATE_EXTERNAL_ID: [409, 'business', false, ['transaction_id']],
  PROVIDER_ERROR: [502, 'system', true, []],
  UNAUTHORIZED: [401, 'auth', false, ['reason']],
  TOKEN_EXPIRED: [401, 'auth', false, []],
  CREDENTIAL_INACTIVE: [403, 'auth', false, []],
  INVALID_JSON: [400, 'validation', false, []],
  UNSUPPORTED_CONTENT_TYPE: [415, 'validation', false, []],
  PAYLOAD_TOO_LARGE: [413, 'validation', false, []],
  INVALID_VALUE: [422, 'validation', false, ['field', 'rule']],
  INVALID_POSTBACK_URL: [422, 'validation', false, []],
  INVALID_SPLIT_CONFIG: [422, 'validation', false, []],
  INSUFFICIENT_BALANCE: [422, 'business', false, ['available', 'required']],
  SELF_TRANSFER_BLOCKED: [422, 'business', false, []],
  NOT_FOUND: [404, 'validation', false, []],
  METHOD_NOT_ALLOWED: [405, 'validation', false, []],
  INVALID_TRANSITION: [409, 'business', false, ['from', 'action', 'allowed']],
  RATE_LIMIT_EXCEEDED: [429, 'limits', true, []],
  INTERNAL_ERROR: [500, 'system', false, []],
  SERVICE_UNAVAILABLE: [503, 'system', true, []],
}

/** Decision 6. */
const scaleOf = { BRL: 2, MXN: 2, USDT: 2, USDC: 2, BTC: 8, ETH: 8, SOL: 9, BNB: 8 } as const
export const scales: Readonly<Record<string, number>> = scaleOf
export const currencies = Object.keys(scaleOf) as (keyof typeof scaleOf)[]
export const currencyTypeOf = (currency: string) => (currency === 'BRL' || currency === 'MXN' ? 'fiat' : 'crypto')

/** Decision 18: each currency with its chains, and the label of each in events. */
export const chainPairs = [
  ['USDT', 'tron', 'TRC20'],
  ['USDT', 'ethereum', 'ERC20'],
  ['USDT', 'bsc', 'BEP20'],
  ['USDT', 'polygon', 'POLYGON'],
  ['USDT', 'solana', 'SPL'],
  ['USDC', 'ethereum', 'ERC20'],
  ['USDC', 'bsc', 'BEP20'],
  ['USDC', 'polygon', 'POLYGON'],
  ['USDC', 'solana', 'SPL'],
  ['BTC', 'bitcoin', 'BITCOIN'],
  ['ETH', 'ethereum', 'ERC20'],
  ['SOL', 'solana', 'SOLANA'],
  ['BNB', 'bsc', 'BEP20'],
] as const

/** Networks of withdrawals beyond the chains. */
export const secondLayers = (['ETH', 'USDT', 'USDC'] as const).flatMap((currency) =>
  (
    [
      ['arbitrum', 'ARBITRUM'],
      ['base', 'BASE'],
      ['optimism', 'OPTIMISM'],
    ] as const
  ).map(([network, label]) => [currency, network, label] as const),
)

/** §6.5, `cashout.failed`. */
export const failureCodes = [
  'TRON_ENERGY_FAIL',
  'INSUFFICIENT_BALANCE',
  'NO_HOT_WALLET',
  'INVALID_ADDRESS',
  'BLACKLISTED',
  'BLOCKCHAIN_REVERT',
  'BROADCAST_FAIL',
  'PIX_KEY_NOT_FOUND',
  'PROVIDER_TIMEOUT',
  'UNKNOWN',
] as const

type Fields = Readonly<Record<string, string>>

const dispute: Fields = { infraction_id: 'uuid', transaction_id: 'text', amount: 'money', currency: 'currency' }
const balances: Fields = { old_balance: 'money', new_balance: 'money' }

/**
 * The fields of §6.5. `=x` is exactly that text, `a|b` one of both, `?` may be null, `~` may be missing.
 * `money` is a decimal string of the event's currency.
 */
export const eventSpec: Readonly<Record<string, Fields>> = {
  'cashin.confirmed': {
    transaction_id: 'text',
    external_id: 'text?',
    type: '=cashin',
    currency: 'currency',
    currency_type: '=fiat|crypto',
    amount: 'money',
    fee: 'money',
    amount_net: 'money',
    status: '=confirmed',
    source: '=dynamic_qr|static',
    network: '=PIX|SPEI|TRC20|ERC20|BEP20|POLYGON|SPL|BITCOIN|SOLANA',
    e2e_id: 'text~',
    hash: 'text~',
    tracking_key: 'text~',
    payer: 'name,document',
    ...balances,
    confirmed_at: 'utc',
  },
  'cashin.refunded': {
    transaction_id: 'text',
    original_transaction_id: 'text',
    external_id: 'text?',
    currency: 'currency',
    amount: 'money',
    amount_refunded: 'money',
    status: '=refunded',
    reason: 'text',
    ...balances,
    refunded_at: 'utc',
  },
  'cashin.expired': {
    transaction_id: 'text',
    external_id: 'text?',
    currency: '=BRL',
    amount: 'money',
    status: '=expired',
    expired_at: 'utc',
  },
  'cashout.confirmed': {
    transaction_id: 'text',
    external_id: 'text?',
    type: '=cashout',
    currency: 'currency',
    currency_type: '=fiat|crypto',
    network: '=PIX|SPEI|TRC20|ERC20|BEP20|POLYGON|SPL|BITCOIN|SOLANA|ARBITRUM|BASE|OPTIMISM',
    amount: 'money',
    fee: 'money',
    status: '=confirmed',
    wallet: 'text',
    key_type: 'text?',
    hash: 'text',
    receiver: 'name,document,bank',
    confirmed_at: 'utc',
  },
  'cashout.failed': {
    transaction_id: 'text',
    external_id: 'text?',
    type: '=cashout',
    currency: 'currency',
    network: 'text',
    amount: 'money',
    status: '=failed',
    wallet: 'text',
    error_code: `=${failureCodes.join('|')}`,
    error_message: 'text',
    refunded_amount: 'money',
    failed_at: 'utc',
  },
  'cashout.refunded': {
    transaction_id: 'text',
    original_transaction_id: 'text',
    external_id: 'text?',
    currency: 'currency',
    network: 'text',
    amount: 'money',
    amount_refunded: 'money',
    status: '=refunded',
    reason: 'text',
    refunded_at: 'utc',
  },
  'transfer.confirmed': {
    transaction_id: 'text',
    direction: '=sent|received',
    amount: 'money',
    currency: 'currency',
    counterparty: 'text',
    description: 'text?',
    ...balances,
    confirmed_at: 'utc',
  },
  'conversion.confirmed': {
    conversion_id: 'text',
    external_id: 'text?',
    amount_from: 'decimal',
    currency_from: 'currency',
    amount_to: 'decimal',
    currency_to: 'currency',
    rate: 'decimal',
    fee: 'decimal',
    status: '=completed',
    completed_at: 'utc',
  },
  'conversion.refunded': {
    conversion_id: 'text',
    original_conversion_id: 'text',
    amount_reverted_from: 'decimal',
    currency_reverted_from: 'currency',
    amount_returned_to: 'decimal',
    currency_returned_to: 'currency',
    reason: 'text',
    refunded_at: 'utc',
  },
  'wallet.created': {
    wallet_id: 'integer',
    currency: 'currency',
    currency_type: '=fiat|crypto',
    chain: 'text?',
    network: 'text',
    address: 'text',
    min_confirmations: 'integer',
    created_at: 'utc',
  },
  'chargeback.opened': {
    infraction_id: 'uuid',
    transaction_id: 'text',
    type: 'text',
    status: '=open',
    amount: 'money',
    currency: 'currency',
    e2e_id: 'text',
    deadline_at: 'utc',
    reason: 'text',
    created_at: 'utc',
  },
  'chargeback.responded': {
    infraction_id: 'uuid',
    transaction_id: 'text',
    reply_id: 'integer',
    status: '=responded',
    responded_at: 'utc',
  },
  'chargeback.confirmed': { ...dispute, confirmed_at: 'utc' },
  'chargeback.won': { ...dispute, resolved_at: 'utc' },
  'chargeback.lost': { ...dispute, amount_refunded: 'money', resolved_at: 'utc' },
  'chargeback.canceled': { ...dispute, canceled_by: '=payer', canceled_at: 'utc' },
}

const currencyValues = `values:${currencies.join('|')}`
const utc = 'format:date-time pattern:Z$'
const offset = 'format:date-time'
const chainValues = 'values:tron|ethereum|bsc|polygon|solana|bitcoin'
const conversionRequest = {
  amount: '',
  base_currency: currencyValues,
  destination_currency: currencyValues,
  external_id: 'maxLength:150',
}
const money = 'decimal'
const disputeFields = { infraction_id: 'format:uuid', transaction_id: '', amount: money, currency: currencyValues }

/**
 * The documented fields of each schema, with what the interface says about them beyond the JSON type:
 * `maxLength:`, `format:`, `pattern:`, `values:` (also one fixed value), `decimal` (a decimal string). Anything else is not documented.
 */
export const documented: Readonly<Record<string, Fields>> = {
  // §4.1, §5.1
  TokenRequest: { grant_type: 'values:client_credentials' },
  Token: { access_token: '', expires_in: '', meta: '', 'meta.request_id': '', 'meta.timestamp': utc },
  // §4.2, §2.2, §2.3, §8
  CashinRequest: {
    amount: '',
    currency: currencyValues,
    chain: chainValues,
    external_id: 'maxLength:150',
    postback_url: 'format:uri',
    payer: '',
    'payer.name': '',
    'payer.document': '',
    'payer.email': '',
    split: '',
  },
  Cashin: {
    transaction_id: '',
    external_id: '',
    currency: currencyValues,
    amount: '',
    fee: '',
    payment_method: 'values:pix',
    payment_info: '',
    'payment_info.qrcode': '',
    'payment_info.expiration': '',
    'payment_info.expires_at': offset,
    status: 'values:pending|confirmed|expired|refunded',
    postback_url: '',
    created_at: offset,
  },
  // §4.3
  CashoutRequest: {
    external_id: 'maxLength:150',
    amount: '',
    currency: currencyValues,
    key: '',
    key_type: 'values:cpf|cnpj|email|phone|random',
    network: '',
    name: '',
    bank_code: '',
    description: '',
  },
  PixPaymentRequest: {},
  WalletRequest: { currency: currencyValues, chain: chainValues },
  TransferRequest: { username: '', amount: '', currency: currencyValues, external_id: 'maxLength:150' },
  RateRequest: conversionRequest,
  SimulateRequest: conversionRequest,
  ConversionRequest: conversionRequest,
  TransactionListRequest: {
    page: '',
    page_size: '',
    status: 'values:pending|confirmed|failed|cancelled|refunded|expired|completed',
    type: '',
    source: '',
    currency: currencyValues,
    from_date: '',
    to_date: '',
  },
  // In §3 the last four are in brackets.
  InfractionListRequest: {
    page: '',
    page_size: '',
    status: 'values:open|responded|confirmed|won|lost|canceled',
    type: '',
  },
  InfractionDetailRequest: { id: 'format:uuid' },
  InfractionReplyRequest: { id: 'format:uuid', message: '', 'files[]': '' },
  // §6.5
  'cashin.confirmed': {
    transaction_id: '',
    external_id: '',
    type: 'values:cashin',
    currency: currencyValues,
    currency_type: 'values:fiat|crypto',
    amount: money,
    fee: money,
    amount_net: money,
    status: 'values:confirmed',
    source: 'values:dynamic_qr|static',
    network: '',
    e2e_id: '',
    payer: '',
    'payer.name': '',
    'payer.document': '',
    old_balance: money,
    new_balance: money,
    confirmed_at: utc,
  },
  'cashin.refunded': {
    transaction_id: '',
    original_transaction_id: '',
    external_id: '',
    currency: currencyValues,
    amount: money,
    amount_refunded: money,
    status: 'values:refunded',
    reason: '',
    old_balance: money,
    new_balance: money,
    refunded_at: '',
  },
  'cashin.expired': {
    transaction_id: '',
    external_id: '',
    currency: currencyValues,
    amount: money,
    status: 'values:expired',
    expired_at: '',
  },
  'cashout.confirmed': {
    transaction_id: '',
    external_id: '',
    type: 'values:cashout',
    currency: currencyValues,
    currency_type: 'values:fiat|crypto',
    network: '',
    amount: money,
    fee: money,
    status: 'values:confirmed',
    wallet: '',
    key_type: '',
    hash: '',
    receiver: '',
    'receiver.name': '',
    'receiver.document': '',
    'receiver.bank': '',
    confirmed_at: '',
  },
  'cashout.failed': {
    transaction_id: '',
    external_id: '',
    type: 'values:cashout',
    currency: currencyValues,
    network: '',
    amount: money,
    status: 'values:failed',
    wallet: '',
    error_code: `values:${failureCodes.join('|')}`,
    error_message: '',
    refunded_amount: money,
    failed_at: '',
  },
  'cashout.refunded': {
    transaction_id: '',
    original_transaction_id: '',
    external_id: '',
    currency: currencyValues,
    network: '',
    amount: money,
    amount_refunded: money,
    status: 'values:refunded',
    reason: '',
    refunded_at: '',
  },
  'transfer.confirmed': {
    transaction_id: '',
    direction: 'values:received',
    amount: money,
    currency: currencyValues,
    counterparty: '',
    description: '',
    old_balance: money,
    new_balance: money,
    confirmed_at: '',
  },
  'conversion.confirmed': {
    conversion_id: '',
    external_id: '',
    amount_from: money,
    currency_from: currencyValues,
    amount_to: money,
    currency_to: currencyValues,
    rate: '',
    fee: money,
    status: 'values:completed',
    completed_at: '',
  },
  'conversion.refunded': {
    conversion_id: '',
    original_conversion_id: '',
    amount_reverted_from: money,
    currency_reverted_from: currencyValues,
    amount_returned_to: money,
    currency_returned_to: currencyValues,
    reason: '',
    refunded_at: '',
  },
  'wallet.created': {
    wallet_id: '',
    currency: currencyValues,
    currency_type: 'values:fiat|crypto',
    chain: '',
    network: '',
    address: '',
    min_confirmations: '',
    created_at: '',
  },
  'chargeback.opened': {
    ...disputeFields,
    type: '',
    status: 'values:open',
    e2e_id: '',
    deadline_at: '',
    reason: '',
    created_at: '',
  },
  'chargeback.responded': {
    infraction_id: 'format:uuid',
    transaction_id: '',
    reply_id: '',
    status: 'values:responded',
    responded_at: '',
  },
  'chargeback.confirmed': { ...disputeFields, confirmed_at: '' },
  'chargeback.won': { ...disputeFields, resolved_at: '' },
  'chargeback.lost': { ...disputeFields, amount_refunded: money, resolved_at: '' },
  'chargeback.canceled': { ...disputeFields, canceled_by: 'values:payer', canceled_at: '' },
}

export const utcMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/
export const offsetMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?-03:00$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

type Json = Record<string, unknown>

/** Returns how a webhook's body differs from the interface. */
export function bodyMisfits(body: Json): string[] {
  const { event, timestamp, transaction_id: id, data, ...more } = body
  const fields = eventSpec[String(event)]
  if (fields === undefined) return [`unknown event ${String(event)}`]
  if (data === null || typeof data !== 'object') return ['data is not an object']
  const values = data as Json
  const inOrder = Object.keys(fields).filter((key) => values[key] !== undefined)
  const mirrored = values.transaction_id ?? values.conversion_id ?? String(values.wallet_id)
  return [
    ...Object.keys(more).map((key) => `the envelope has an unknown field ${key}`),
    ...(typeof timestamp === 'string' && offsetMoment.test(timestamp) ? [] : [`timestamp is ${String(timestamp)}`]),
    ...(id === mirrored ? [] : [`transaction_id ${String(id)} does not mirror ${String(mirrored)}`]),
    ...(String(Object.keys(values).filter((key) => fields[key] !== undefined)) === String(inOrder)
      ? []
      : [`the fields of ${String(event)} are not in the documented order`]),
    ...Object.keys(values)
      .filter((key) => fields[key] === undefined)
      .map((key) => `${String(event)} has an unknown field ${key}`),
    ...Object.entries(fields).flatMap(([key, type]) => {
      if (fits(values[key], type, String(values.currency ?? ''))) return []
      return [`${String(event)}.${key} is ${JSON.stringify(values[key])}, not ${type}`]
    }),
  ]
}

function fits(value: unknown, type: string, currency: string): boolean {
  if (type.endsWith('?')) return value === null || fits(value, type.slice(0, -1), currency)
  if (type.endsWith('~')) return value === undefined || fits(value, type.slice(0, -1), currency)
  if (type === 'integer') return Number.isInteger(value)
  if (type.includes(',')) return isParty(value, type.split(','))
  if (typeof value !== 'string') return false
  if (type.startsWith('=')) return type.slice(1).split('|').includes(value)
  if (type === 'utc') return utcMoment.test(value)
  if (type === 'uuid') return uuid.test(value)
  if (type === 'currency') return scales[value] !== undefined
  if (type === 'money') return new RegExp(`^-?\\d+\\.\\d{${scales[currency]}}$`).test(value)
  if (type === 'decimal') return /^-?\d+(\.\d+)?$/.test(value)
  return value !== ''
}

/** Whether a value is a party with exactly these fields, each a string or null. */
function isParty(value: unknown, names: readonly string[]): boolean {
  if (value === null || typeof value !== 'object') return false
  const keys = Object.keys(value)
  return (
    keys.length === names.length &&
    names.every((name) => keys.includes(name)) &&
    Object.values(value).every((one) => one === null || typeof one === 'string')
  )
}
