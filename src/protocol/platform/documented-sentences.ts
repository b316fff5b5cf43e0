/**
 * What the platform's documentation says, one row for each statement that can hold or not. Probes and recordings name the
 * rows that they observe. Assumptions are in `assumptions.ts`; their keys have underscores, the ids here have none.
 */
import { type Currency, currencies, currencyNames } from './currencies.js'
import { emulatedInterface } from './emulated-interface.js'
import { type ErrorCode, type ErrorRow, errorCatalogue, errorCodes } from './errors.js'
import { type EventName, eventNames } from './events.js'
import { type CashoutFailure, cashoutFailureCodes } from './failures.js'
import { requestHeaders, tokenPath, webhookHeaders, webhookUserAgent } from './headers.js'
import {
  advisedResponseMs,
  cryptoAddressLifeMs,
  disputeWindowMs,
  externalIdMaxLength,
  formatDays,
  lockoutAttempts,
  lockoutMs,
  minutes,
  rates,
  seconds,
  signatureWindowMs,
  tokenLifeMs,
  webhookRetryDelaysMs,
  webhookTimeouts,
  webhookWindow,
} from './limits.js'

/** What kind of behavior a statement or an assumption is about. Figures are given for each. */
export const fidelityTiers = ['core', 'validation', 'errors', 'limits', 'webhooks', 'timing'] as const
export type FidelityTier = (typeof fidelityTiers)[number]

/** Why no probe can observe something. A recording of real use can, except for the last five. */
export const unobservableReasons = {
  dispute: 'needs a payer who disputes',
  payer: 'needs a payer',
  account: 'needs a second account',
  provider: 'only the platform can cause it',
  load: 'needs many calls or much money',
  harm: 'would block the caller or lose money',
  duration: 'takes longer than a run',
  midnight: 'shows only near midnight',
  absence: 'no recording can prove an absence',
  recording: 'recordings do not contain the evidence',
  dashboard: "shows only in the platform's dashboard",
  receiver: 'is about the receiver',
  sandbox: 'is about the sandbox alone',
} as const
export type UnobservableReason = keyof typeof unobservableReasons

interface SentenceRow {
  id: string
  /** Of the interface: `4.2`. */
  section: string
  tier: FidelityTier
  text: string
  /** No probe can observe it (default: a probe can). */
  unobservable?: UnobservableReason
  /** The error with which the sandbox rejects a call that contradicts it; the details begin so. */
  rejects?: { in?: readonly string[]; code: ErrorCode; details?: Readonly<Record<string, string>> }
  /** The fields of answers that state its number, and the setting that changes it. */
  stated?: { at: readonly string[]; setting: string }
}

const { signature, timestamp, nonce } = requestHeaders

// biome-ignore format: a table, a row a line
const written = [
  { id: 'currencies', section: '1', tier: 'core', text: `${currencyNames.length} currencies` },
  { id: 'withdrawal-network', section: '1', tier: 'core', text: 'The network of a withdrawal can be a second layer' },
  { id: 'chain-is-network', section: '1', tier: 'core', text: 'Tron, Bitcoin, Solana, BSC: chain and network are equal' },

  { id: 'envelope-success', section: '2.1', tier: 'core', text: '`success` is true' },
  { id: 'envelope-data', section: '2.1', tier: 'core', text: '`data` is an object' },
  { id: 'envelope-request-id', section: '2.1', tier: 'core', text: '`request_id` is text' },
  { id: 'envelope-timestamp', section: '2.1', tier: 'core', text: '`timestamp` is ISO 8601 UTC' },
  { id: 'token-envelope', section: '2.1', tier: 'core', text: 'The token response has its own shape' },
  { id: 'charge-id', section: '2.2', tier: 'core', text: 'A charge has a `transaction_id`' },
  { id: 'charge-external-id', section: '2.2', tier: 'core', text: '`external_id` is echoed' },
  { id: 'charge-amount', section: '2.2', tier: 'core', text: '`amount` and `currency` are those of the charge' },
  { id: 'charge-fee', section: '2.2', tier: 'core', text: '`fee` is a number' },
  { id: 'charge-pix-method', section: '2.2', tier: 'core', text: '`payment_method` of PIX is `pix`' },
  { id: 'charge-pix-qrcode', section: '2.2', tier: 'core', text: 'PIX: `qrcode` is a copy-and-paste payload' },
  { id: 'charge-pix-expiration', section: '2.2', tier: 'core', text: 'PIX: `expiration` in seconds, `expires_at` with offset' },
  { id: 'charge-crypto-address', section: '1', tier: 'core', text: 'Crypto: a temporary deposit address' },
  { id: 'charge-spei-clabe', section: '1', tier: 'core', text: 'SPEI: a CLABE' },
  { id: 'charge-pending', section: '2.2', tier: 'core', text: '`status` is `pending` on creation' },
  { id: 'charge-postback-url', section: '2.2', tier: 'core', text: '`postback_url` is the one in effect' },
  { id: 'charge-created-at', section: '2.2', tier: 'core', text: '`created_at` has an offset' },
  { id: 'payer-optional', section: '2.3', tier: 'validation', text: '`payer` is optional: name, document, email' },
  { id: 'split-divides', section: '2.3', tier: 'core', text: '`split` divides the amount', unobservable: 'payer' },
  { id: 'balance-components', section: '2.4', tier: 'core', text: 'A balance for each currency: available, blocked, pending' },
  { id: 'dispute-uuid', section: '2.4', tier: 'core', text: 'A dispute has a UUID', unobservable: 'dispute' },

  { id: 'charge-paid', section: '3', tier: 'core', text: 'A paid charge is confirmed and credited', unobservable: 'payer' },
  { id: 'charge-expired', section: '3', tier: 'timing', text: 'An unpaid PIX charge expires, without credit', unobservable: 'duration' },
  { id: 'charge-refunded', section: '3', tier: 'core', text: 'A refunded charge debits the balance', unobservable: 'provider' },
  { id: 'withdrawal-pending', section: '3', tier: 'core', text: 'A withdrawal is pending until a webhook reports its result' },
  { id: 'withdrawal-confirmed', section: '3', tier: 'core', text: 'A settled withdrawal is confirmed' },
  { id: 'withdrawal-failed', section: '3', tier: 'core', text: 'A failed withdrawal returns its amount' },
  { id: 'withdrawal-refunded', section: '3', tier: 'core', text: 'A reversed withdrawal is credited back', unobservable: 'provider' },
  { id: 'transfer-confirmed', section: '3', tier: 'core', text: 'A transfer is confirmed at once', unobservable: 'account' },
  { id: 'conversion-completed', section: '3', tier: 'core', text: 'A conversion debits one balance and credits the other' },
  { id: 'conversion-refunded', section: '3', tier: 'core', text: 'A conversion can be reversed', unobservable: 'provider' },
  { id: 'dispute-opened', section: '3', tier: 'core', text: 'An open dispute blocks its amount', unobservable: 'dispute' },
  { id: 'dispute-responded', section: '3', tier: 'core', text: 'A reply makes a dispute responded', unobservable: 'dispute' },
  { id: 'dispute-confirmed', section: '3', tier: 'core', text: 'A confirmed dispute refunds the charge', unobservable: 'dispute' },
  { id: 'dispute-won', section: '3', tier: 'core', text: 'A won dispute unblocks the amount', unobservable: 'dispute' },
  { id: 'dispute-lost', section: '3', tier: 'core', text: 'A lost dispute refunds the charge', unobservable: 'dispute' },
  { id: 'dispute-canceled', section: '3', tier: 'core', text: 'A canceled dispute unblocks the amount', unobservable: 'dispute' },

  { id: 'bearer-required', section: '4', tier: 'validation', text: 'All endpoints but one require a bearer token' },
  { id: 'json-bodies', section: '4', tier: 'validation', text: 'Bodies are JSON', rejects: { code: 'UNSUPPORTED_CONTENT_TYPE' } },
  { id: 'token-basic', section: '4.1', tier: 'core', text: `\`${tokenPath}\` takes Basic credentials` },
  { id: 'token-grant-type', section: '4.1', tier: 'validation', text: '`grant_type` is required', rejects: { code: 'INVALID_VALUE', details: { field: 'grant_type' } } },
  { id: 'token-answer', section: '4.1', tier: 'core', text: '`access_token`, and `expires_in` in seconds' },
  { id: 'token-meta', section: '4.1', tier: 'core', text: '`meta.request_id`, and `meta.timestamp` in UTC' },
  { id: 'charge-status', section: '4.2', tier: 'core', text: 'A charge answers 200' },
  { id: 'charge-required', section: '4.2', tier: 'validation', text: '`amount` and `currency` are required' },
  { id: 'charge-amount-number', section: '4.2', tier: 'validation', text: '`amount` is a number', rejects: { in: ['cashin'], code: 'INVALID_AMOUNT', details: { rule: 'must be a JSON number' } } },
  { id: 'charge-decimals', section: '4.2', tier: 'limits', text: `At most ${currencies.BRL.scale} decimals`, rejects: { in: ['cashin'], code: 'INVALID_AMOUNT', details: { rule: `at most ${currencies.BRL.scale} decimals` } } },
  { id: 'charge-chain', section: '4.2', tier: 'validation', text: 'Crypto requires `chain`' },
  { id: 'charge-no-chain', section: '4.2', tier: 'validation', text: 'PIX and SPEI need no `chain`' },
  { id: 'external-id-length', section: '4.2', tier: 'limits', text: `\`external_id\` has at most ${externalIdMaxLength} characters`, rejects: { code: 'INVALID_VALUE', details: { field: 'external_id', rule: 'must be at most' } } },
  { id: 'external-id-repeated', section: '4.2', tier: 'core', text: 'The same `external_id` returns the same charge' },
  { id: 'postback-url-override', section: '4.2', tier: 'webhooks', text: "`postback_url` replaces the credential's URL" },
  { id: 'split-optional', section: '4.2', tier: 'validation', text: '`split` is an optional array', rejects: { code: 'INVALID_SPLIT_CONFIG', details: { field: 'split', rule: 'must be an array' } } },
  { id: 'crypto-address-life', section: '4.2', tier: 'timing', text: `A crypto address lives about ${minutes(cryptoAddressLifeMs)}` },
  { id: 'withdrawal-request', section: '4.3', tier: 'core', text: 'A withdrawal takes `external_id`, `amount`, `currency`, `key`' },
  { id: 'withdrawal-key-types', section: '4.3', tier: 'validation', text: '`key_type`: cpf, cnpj, email, phone, random', rejects: { code: 'INVALID_VALUE', details: { field: 'key_type' } } },
  { id: 'withdrawal-options', section: '4.3', tier: 'validation', text: '`network`, `name`, `bank_code`, `description` are optional' },
  { id: 'pix-payment', section: '4.3', tier: 'core', text: 'The legacy endpoint for PIX exists' },
  { id: 'wallet-request', section: '4.3', tier: 'core', text: 'A fixed wallet takes `currency` and `chain`' },
  { id: 'wallet-destination', section: '1', tier: 'core', text: 'A fixed wallet is a PIX key, CLABE or address' },
  { id: 'transfer-request', section: '4.3', tier: 'core', text: 'A transfer takes `username`, `amount`, `currency`' },
  { id: 'conversion-rate', section: '4.3', tier: 'core', text: 'A rate can be queried' },
  { id: 'conversion-simulate', section: '4.3', tier: 'core', text: 'A conversion can be simulated' },
  { id: 'conversion-new', section: '4.3', tier: 'core', text: 'A conversion takes the same body' },
  { id: 'list-pages', section: '4.3', tier: 'core', text: 'Transactions are listed by `page` and `page_size`' },
  { id: 'list-filters', section: '4.3', tier: 'core', text: 'Filters: `status`, `type`, `source`, `currency`, dates' },
  { id: 'balance-endpoint', section: '4.3', tier: 'core', text: 'The balance endpoint takes no body' },
  { id: 'account-endpoints', section: '4.3', tier: 'core', text: 'Profile, limits and fees can be read' },
  { id: 'dispute-list', section: '4.3', tier: 'core', text: 'Disputes can be listed and filtered' },
  { id: 'dispute-detail', section: '4.3', tier: 'core', text: 'A dispute is read by its `id`', rejects: { in: ['infractionDetail'], code: 'INVALID_VALUE', details: { field: 'id' } } },
  { id: 'dispute-reply', section: '4.3', tier: 'core', text: 'A reply is `multipart/form-data` with `id`, `message`, `files[]`' },

  { id: 'token-life', section: '5.1', tier: 'timing', text: `A token lives ${seconds(tokenLifeMs)}`, unobservable: 'duration' },
  { id: 'token-renewal', section: '5.1', tier: 'core', text: 'Each token is independent of the others', unobservable: 'recording' },
  { id: 'token-revocation', section: '5.1', tier: 'core', text: 'Tokens cannot be revoked', unobservable: 'absence' },
  { id: 'credential-activation', section: '5.1', tier: 'core', text: 'An administrator activates a credential', unobservable: 'dashboard' },
  { id: 'lockout', section: '5.1', tier: 'limits', text: `${lockoutAttempts} wrong attempts block the IP for ${minutes(lockoutMs)}`, unobservable: 'harm' },
  { id: 'token-rate', section: '5.1', tier: 'limits', text: `${rates.token.perMinute} token requests a minute for each IP`, unobservable: 'load' },
  { id: 'signed-routes', section: '5.2', tier: 'validation', text: 'Withdrawals, transfers and conversions are signed' },
  { id: 'unsigned-routes', section: '5.2', tier: 'validation', text: 'Other routes need no signature' },
  { id: 'signature-text', section: '5.2', tier: 'validation', text: `\`${signature}\`: lower-case hex HMAC-SHA256 of timestamp, nonce, body` },
  { id: 'signature-raw-body', section: '5.2', tier: 'validation', text: 'The exact raw body is signed' },
  { id: 'signature-timestamp', section: '5.2', tier: 'validation', text: `\`${timestamp}\` is Unix time in seconds` },
  { id: 'signature-nonce', section: '5.2', tier: 'validation', text: `\`${nonce}\` is a UUID v4` },
  { id: 'timestamp-window', section: '5.2', tier: 'timing', text: `\`${timestamp}\` within ${minutes(signatureWindowMs)}` },
  { id: 'nonce-window', section: '5.2', tier: 'timing', text: `\`${nonce}\` once in ${minutes(signatureWindowMs)}` },

  { id: 'webhook-target', section: '6.1', tier: 'webhooks', text: "A POST to the credential's URL" },
  { id: 'webhook-type', section: '6.1', tier: 'webhooks', text: 'The body is JSON' },
  { id: 'webhook-event', section: '6.1', tier: 'webhooks', text: `\`${webhookHeaders.event}\` names the event` },
  { id: 'webhook-signature', section: '6.1', tier: 'webhooks', text: `\`${webhookHeaders.signature}\`: hex HMAC-SHA256 of the body` },
  { id: 'webhook-id', section: '6.1', tier: 'webhooks', text: `\`${webhookHeaders.id}\` begins with \`evt_\`` },
  { id: 'webhook-timestamp', section: '6.1', tier: 'webhooks', text: `\`${webhookHeaders.timestamp}\` is Unix time in seconds` },
  { id: 'webhook-agent', section: '6.1', tier: 'webhooks', text: `User-Agent \`${webhookUserAgent}\`` },
  { id: 'receiver-signature', section: '6.1', tier: 'webhooks', text: 'Receivers reject a wrong signature with 401', unobservable: 'receiver' },
  { id: 'receiver-timestamp', section: '6.1', tier: 'webhooks', text: 'Receivers reject an old timestamp with 401', unobservable: 'receiver' },
  { id: 'receiver-answer', section: '6.1', tier: 'webhooks', text: `Receivers answer 200 within ${seconds(advisedResponseMs)}`, unobservable: 'receiver' },
  { id: 'receiver-duplicates', section: '6.1', tier: 'webhooks', text: 'Duplicates can occur', unobservable: 'receiver' },
  { id: 'https-only', section: '6.1', tier: 'webhooks', text: 'A URL with http:// is rejected', rejects: { code: 'INVALID_POSTBACK_URL', details: { field: 'postback_url', rule: 'must be an https://' } } },
  { id: 'certificate-valid', section: '6.1', tier: 'webhooks', text: 'A self-signed certificate is rejected', unobservable: 'recording' },
  { id: 'sandbox-header', section: '6.1', tier: 'webhooks', text: `A sandbox sends \`${webhookHeaders.sandbox}: 1\``, unobservable: 'sandbox' },
  { id: 'receiver-reconciles', section: '6.1', tier: 'webhooks', text: 'Receivers reconcile with the transaction list', unobservable: 'receiver' },
  { id: 'event-envelope', section: '6.2', tier: 'webhooks', text: '`event`, `timestamp`, `transaction_id`, `data`' },
  { id: 'event-timestamp', section: '6.2', tier: 'webhooks', text: '`timestamp` has an offset' },
  { id: 'event-transaction-id', section: '6.2', tier: 'webhooks', text: '`transaction_id` is that of the data' },
  { id: 'event-amounts', section: '6.2', tier: 'webhooks', text: 'Amounts are decimal strings' },
  { id: 'webhook-retry', section: '6.3', tier: 'webhooks', text: 'Any answer but 2xx is retried' },
  { id: 'webhook-first', section: '6.3', tier: 'timing', text: 'The first attempt is made at the event' },
  { id: 'webhook-delays', section: '6.3', tier: 'timing', text: `Retries after ${webhookRetryDelaysMs.map(seconds).join(', ')}` },
  { id: 'webhook-stops', section: '6.3', tier: 'timing', text: `No attempt after ${webhookRetryDelaysMs.length} retries`, unobservable: 'absence' },
  { id: 'webhook-redelivery', section: '6.3', tier: 'webhooks', text: 'Redelivery through dashboard or support', unobservable: 'dashboard' },
  { id: 'webhook-timeout', section: '6.3', tier: 'timing', text: `An attempt ends after ${seconds(webhookTimeouts.totalMs)}`, unobservable: 'recording' },
  { id: 'webhook-connect-timeout', section: '6.3', tier: 'timing', text: `${seconds(webhookTimeouts.connectMs)} to connect`, unobservable: 'recording' },
  { id: 'webhook-rate', section: '6.3', tier: 'limits', text: `${webhookWindow.sends} webhooks in ${seconds(webhookWindow.spanMs)}`, unobservable: 'load' },
  { id: 'webhook-excess', section: '6.3', tier: 'timing', text: `Excess webhooks wait ${seconds(webhookWindow.deferMs)}, in order, none lost`, unobservable: 'load' },

  { id: 'error-success', section: '7', tier: 'errors', text: '`success` is false' },
  { id: 'error-code', section: '7', tier: 'errors', text: '`error.code` and `error.message` are text' },
  { id: 'error-group', section: '7', tier: 'errors', text: '`error.group` is text' },
  { id: 'error-retryable', section: '7', tier: 'errors', text: '`error.retryable` is boolean' },
  { id: 'error-details', section: '7', tier: 'errors', text: '`error.details` is an object' },
  { id: 'chain-details', section: '7', tier: 'errors', text: '`details.supported` lists the chains' },
  { id: 'maximum-details', section: '7', tier: 'errors', text: '`details.max_amount` gives the maximum' },

  { id: 'charge-rate', section: '8', tier: 'limits', text: `${rates.cashin.perMinute} charges a minute for each credential`, unobservable: 'load' },
  { id: 'dispute-window', section: '8', tier: 'timing', text: `${formatDays(disputeWindowMs)} to reply to a dispute`, unobservable: 'dispute' },
  { id: 'version-path', section: '9', tier: 'core', text: `Paths begin with \`/v${emulatedInterface.version}\`` },
] as const satisfies readonly SentenceRow[]

type DocumentedError = {
  [Code in ErrorCode]: (typeof errorCatalogue)[Code]['basis'] extends 'spec' ? Code : never
}[ErrorCode]

type DocumentedMinimum = {
  [Name in Currency]: (typeof currencies)[Name]['minBasis'] extends 'spec' ? Name : never
}[Currency]

export type DocumentedSentenceId =
  | (typeof written)[number]['id']
  | `minimum:${DocumentedMinimum}`
  | `error:${DocumentedError}`
  | `event:${EventName}`
  | `failure:${CashoutFailure}`

interface DocumentedSentence extends SentenceRow {
  id: DocumentedSentenceId
}

/** Events and failures that follow from no call, with the reason why no probe can observe them. */
const uncalled: Partial<Record<EventName | CashoutFailure | DocumentedError, UnobservableReason>> = {
  'cashin.confirmed': 'payer',
  'cashin.expired': 'duration',
  'cashin.refunded': 'provider',
  'cashout.refunded': 'provider',
  'conversion.refunded': 'provider',
  'transfer.confirmed': 'account',
  'chargeback.opened': 'dispute',
  'chargeback.responded': 'dispute',
  'chargeback.confirmed': 'dispute',
  'chargeback.won': 'dispute',
  'chargeback.lost': 'dispute',
  'chargeback.canceled': 'dispute',
  TRON_ENERGY_FAIL: 'provider',
  INSUFFICIENT_BALANCE: 'provider',
  NO_HOT_WALLET: 'provider',
  BLACKLISTED: 'provider',
  BLOCKCHAIN_REVERT: 'provider',
  BROADCAST_FAIL: 'provider',
  PROVIDER_TIMEOUT: 'provider',
  UNKNOWN: 'provider',
  PROVIDER_ERROR: 'provider',
  LIMIT_EXCEEDED: 'load',
  IP_BLOCKED_TEMPORARILY: 'harm',
}

const reasonOf = (name: keyof typeof uncalled) => {
  const unobservable = uncalled[name]
  return unobservable === undefined ? {} : { unobservable }
}

const isMinimumDocumented = (name: Currency): name is DocumentedMinimum => currencies[name].minBasis === 'spec'
const isDocumented = (code: ErrorCode): code is DocumentedError => errorCatalogue[code].basis === 'spec'

export const documentedSentences: readonly DocumentedSentence[] = [
  ...written,
  ...currencyNames.filter(isMinimumDocumented).map((name) => ({
    id: `minimum:${name}` as const,
    section: '8',
    tier: 'limits' as const,
    text: `Charges from ${currencies[name].min} ${name}`,
    rejects: { in: ['cashin'], code: 'BELOW_MIN_LIMIT' as const, details: { currency: name } },
    stated: { at: ['data.limits[].min_amount', 'error.details.min_amount'], setting: 'limits' },
  })),
  ...eventNames.map((name) => ({
    id: `event:${name}` as const,
    section: '6.5',
    tier: 'webhooks' as const,
    text: `\`${name}\``,
    ...reasonOf(name),
  })),
  ...cashoutFailureCodes.map((code) => ({
    id: `failure:${code}` as const,
    section: '6.5',
    tier: 'webhooks' as const,
    text: `\`${code}\``,
    ...reasonOf(code),
  })),
  ...errorCodes.filter(isDocumented).map((code) => {
    const { status }: ErrorRow = errorCatalogue[code]
    return {
      id: `error:${code}` as const,
      section: '7',
      tier: 'errors' as const,
      text: `${status} \`${code}\``,
      ...reasonOf(code),
    }
  }),
]
