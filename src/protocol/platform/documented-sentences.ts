/**
 * What the platform's documentation says, one row for each statement that can hold or not. Probes and recordings name the
 * rows that they observe. Assumptions are in `assumptions.ts`; their keys have underscores, the ids here have none.
 */
import { type Currency, type CurrencyRow, currencies, currencyNames, networkNames, networks } from './currencies.js'
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

/** How the platform and the sandbox differ. `empty`: the two sides send two of absent, null and ""; `letters`: the same word, with other upper or lower case; `outcome`: only one side rejects the call. */
export type DifferenceKind =
  | 'missing'
  | 'extra'
  | 'renamed'
  | 'empty'
  | 'type'
  | 'offset'
  | 'decimals'
  | 'letters'
  | 'value'
  | 'outcome'

export interface RecordedPlace {
  /** Names of endpoints and events (default: all). */
  in?: readonly string[]
  /** `data.fee`, `status`, `headers.Retry-After`; a star stands for any text at the beginning or the end. */
  path: string
  /** Only such differences. */
  kinds?: readonly DifferenceKind[]
  /** Only amounts. */
  money?: true
  /** Only objects of this rail. */
  rail?: CurrencyRow['rail']
  /** Only if the request has this field: `payer.document`. */
  requestHas?: string
  /** Only if the request does not have this field. */
  requestLacks?: string
  /** Only if the platform sends null, and not if it does not send the field. */
  isNull?: true
  /** Only if these fields of the request have the same value. */
  same?: readonly [string, string]
  /** Only a difference says something: agreement does not show that the row holds. */
  onlyDiffers?: true
  /** Only agreement says something: a difference is about another row. */
  onlyAgrees?: true
  /** Only webhooks, or only answers. */
  isEvent?: boolean
  /** Only errors, or only what is none. */
  isError?: boolean
  /** Only if the sandbox accepts the call. */
  isAccepted?: true
  /** Only if the same call was made and accepted before. */
  isRepeated?: true
  /** Only if the sandbox has this value. */
  is?: string
  /** Only this currency. */
  currency?: string
  /** The sandbox rejects a call that contradicts the sentence, whatever it assumes beside it. */
  isRejected?: true
  /** Only if both amounts differ by the smallest unit of the currency. */
  byUnit?: true
  /** The documentation allows the call: a platform that rejects it contradicts the sentence. */
  isAllowed?: true
  /** Only if the field of the request is written like this. */
  like?: readonly [field: string, form: RegExp]
  /** Only if the field of the request has one of these values. */
  sent?: readonly [field: string, values: readonly unknown[]]
  /** Only if the error is about one of these fields of the request. */
  fields?: readonly string[]
  /** What the request must have in that field. `letters`: a supported name with other upper or lower case. */
  value?: 'missing' | 'null' | 'letters'
  /** Only if `details.rule` of the error begins with this text. */
  rule?: string
  /** Only if one side answers one of these codes. */
  codes?: readonly ErrorCode[]
  /** What the documentation says about the value in spite of the open question. A value outside the bounds contradicts it. */
  documented?: { text: string; minSeconds: number; maxSeconds: number }
}

interface SentenceRow {
  id: string
  /** Of the interface: `4.2`. */
  section: string
  tier: FidelityTier
  text: string
  /** No probe can observe it (default: a probe can). */
  unobservable?: UnobservableReason
  /** Where a recording shows that it holds or not. Of several rows, a difference is about the first. */
  at?: readonly RecordedPlace[]
  /** The fields of answers that state its number, and the setting that changes it. */
  stated?: { at: readonly string[]; setting: string }
}

const { signature, timestamp, nonce } = requestHeaders
// biome-ignore format: a list
const unsigned = ['balance', 'profile', 'limits', 'fees', 'cashin', 'wallet', 'transactionList', 'rate', 'simulate', 'infractionList', 'infractionDetail', 'infractionReply']
/** A run waits for the first two retries. */
const shortDelays = webhookRetryDelaysMs.slice(0, 2).map(seconds)
const longDelays = webhookRetryDelaysMs.slice(2).map(seconds)

// biome-ignore format: a table, a row a line
const written = [
  { id: 'currencies', section: '1', tier: 'core', text: `${currencyNames.length} currencies`, at: [{ in: ['balance'], path: 'data.balances[]' }, { in: ['balance'], path: 'data.balances[].currency' }, { path: '*', codes: ['INVALID_CURRENCY'], onlyAgrees: true }] },
  { id: 'withdrawal-network', section: '1', tier: 'core', text: 'The network of a withdrawal can be a second layer', at: [{ in: ['cashout'], path: 'status', isAccepted: true, sent: ['network', networkNames.filter((name) => networks[name].layer2)] }] },
  { id: 'chain-is-network', section: '1', tier: 'core', text: 'Tron, Bitcoin, Solana, BSC: chain and network are equal', at: [{ in: ['cashout'], path: 'status', isAccepted: true, sent: ['network', networkNames.filter((name) => !networks[name].layer2)] }] },

  { id: 'envelope-success', section: '2.1', tier: 'core', text: '`success` is true', at: [{ isEvent: false, path: 'success', isError: false }] },
  { id: 'envelope-data', section: '2.1', tier: 'core', text: '`data` is an object', at: [{ isEvent: false, path: 'data' }, { isEvent: false, path: 'body', isError: false }, { isEvent: false, path: 'request_id', onlyAgrees: true }] },
  { id: 'envelope-request-id', section: '2.1', tier: 'core', text: '`request_id` is text', at: [{ path: 'request_id' }] },
  { id: 'envelope-timestamp', section: '2.1', tier: 'core', text: '`timestamp` is ISO 8601 UTC', at: [{ isEvent: false, path: 'timestamp' }] },
  { id: 'token-envelope', section: '2.1', tier: 'core', text: 'The token response has its own shape', at: [{ in: ['token'], path: '' }, { in: ['token'], path: 'access_token', onlyAgrees: true }] },
  { id: 'charge-id', section: '2.2', tier: 'core', text: 'A charge has a `transaction_id`', at: [{ in: ['cashin'], path: 'data.transaction_id' }] },
  { id: 'charge-external-id', section: '2.2', tier: 'core', text: '`external_id` is echoed', at: [{ in: ['cashin'], path: 'data.external_id' }] },
  { id: 'charge-amount', section: '2.2', tier: 'core', text: '`amount` and `currency` are those of the charge', at: [{ in: ['cashin'], path: 'data.amount' }, { in: ['cashin'], path: 'data.currency' }] },
  { id: 'charge-fee', section: '2.2', tier: 'core', text: '`fee` is a number', at: [{ in: ['cashin'], path: 'data.fee' }] },
  { id: 'charge-pix-method', section: '2.2', tier: 'core', text: '`payment_method` of PIX is `pix`', at: [{ in: ['cashin'], path: 'data.payment_method', rail: 'pix' }] },
  { id: 'charge-pix-qrcode', section: '2.2', tier: 'core', text: 'PIX: `qrcode` is a copy-and-paste payload', at: [{ in: ['cashin'], path: 'data.payment_info.qrcode' }] },
  { id: 'charge-pix-expiration', section: '2.2', tier: 'core', text: 'PIX: `expiration` in seconds, `expires_at` with offset', at: [{ in: ['cashin'], path: 'data.payment_info.expir*', rail: 'pix' }] },
  { id: 'charge-crypto-address', section: '1', tier: 'core', text: 'Crypto: a temporary deposit address', at: [{ in: ['cashin'], path: 'data.payment_info.address' }] },
  { id: 'charge-spei-clabe', section: '1', tier: 'core', text: 'SPEI: a CLABE', at: [{ in: ['cashin'], path: 'data.payment_info.clabe' }] },
  { id: 'charge-pending', section: '2.2', tier: 'core', text: '`status` is `pending` on creation', at: [{ in: ['cashin'], path: 'data.status' }] },
  { id: 'charge-postback-url', section: '2.2', tier: 'core', text: '`postback_url` is the one in effect', at: [{ in: ['cashin'], path: 'data.postback_url', requestLacks: 'postback_url' }] },
  { id: 'charge-created-at', section: '2.2', tier: 'core', text: '`created_at` has an offset', at: [{ in: ['cashin'], path: 'data.created_at' }] },
  { id: 'payer-optional', section: '2.3', tier: 'validation', text: '`payer` is optional: name, document, email', at: [{ in: ['cashin'], path: 'status', isAccepted: true, requestHas: 'payer' }, { in: ['cashin'], path: 'status', codes: ['MISSING_REQUIRED_FIELD'], fields: ['payer*'], onlyDiffers: true }] },
  { id: 'split-divides', section: '2.3', tier: 'core', text: '`split` divides the amount', unobservable: 'payer' },
  { id: 'balance-components', section: '2.4', tier: 'core', text: 'A balance for each currency: available, blocked, pending', at: [{ in: ['balance'], path: 'data.balances*' }] },
  { id: 'dispute-uuid', section: '2.4', tier: 'core', text: 'A dispute has a UUID', unobservable: 'dispute' },

  { id: 'charge-paid', section: '3', tier: 'core', text: 'A paid charge is confirmed and credited', unobservable: 'payer' },
  { id: 'charge-expired', section: '3', tier: 'timing', text: 'An unpaid PIX charge expires, without credit', unobservable: 'duration' },
  { id: 'charge-refunded', section: '3', tier: 'core', text: 'A refunded charge debits the balance', unobservable: 'provider' },
  { id: 'withdrawal-pending', section: '3', tier: 'core', text: 'A withdrawal is pending until a webhook reports its result', at: [{ in: ['cashout', 'pixPayment'], path: 'data*' }] },
  { id: 'withdrawal-confirmed', section: '3', tier: 'core', text: 'A settled withdrawal is confirmed', at: [{ in: ['cashout.confirmed'], path: 'data.status' }] },
  { id: 'withdrawal-failed', section: '3', tier: 'core', text: 'A failed withdrawal returns its amount', at: [{ in: ['cashout.failed'], path: 'balance' }] },
  { id: 'withdrawal-refunded', section: '3', tier: 'core', text: 'A reversed withdrawal is credited back', unobservable: 'provider' },
  { id: 'transfer-confirmed', section: '3', tier: 'core', text: 'A transfer is confirmed at once', unobservable: 'account' },
  { id: 'conversion-completed', section: '3', tier: 'core', text: 'A conversion debits one balance and credits the other', at: [{ in: ['conversion', 'conversion.confirmed'], path: 'data.status', onlyDiffers: true }, { in: ['conversion.confirmed'], path: 'balance' }] },
  { id: 'conversion-refunded', section: '3', tier: 'core', text: 'A conversion can be reversed', unobservable: 'provider' },
  { id: 'dispute-opened', section: '3', tier: 'core', text: 'An open dispute blocks its amount', unobservable: 'dispute' },
  { id: 'dispute-responded', section: '3', tier: 'core', text: 'A reply makes a dispute responded', unobservable: 'dispute' },
  { id: 'dispute-confirmed', section: '3', tier: 'core', text: 'A confirmed dispute refunds the charge', unobservable: 'dispute' },
  { id: 'dispute-won', section: '3', tier: 'core', text: 'A won dispute unblocks the amount', unobservable: 'dispute' },
  { id: 'dispute-lost', section: '3', tier: 'core', text: 'A lost dispute refunds the charge', unobservable: 'dispute' },
  { id: 'dispute-canceled', section: '3', tier: 'core', text: 'A canceled dispute unblocks the amount', unobservable: 'dispute' },

  { id: 'bearer-required', section: '4', tier: 'validation', text: 'All endpoints but one require a bearer token', at: [{ path: '*', kinds: ['outcome'], codes: ['UNAUTHORIZED'] }] },
  { id: 'json-bodies', section: '4', tier: 'validation', text: 'Bodies are JSON', at: [{ isRejected: true, path: '*', kinds: ['outcome'], codes: ['UNSUPPORTED_CONTENT_TYPE'] }, { path: 'media_type' }] },
  { id: 'token-basic', section: '4.1', tier: 'core', text: `\`${tokenPath}\` takes Basic credentials`, at: [{ in: ['token'], path: 'status', isAccepted: true }] },
  { id: 'token-grant-type', section: '4.1', tier: 'validation', text: '`grant_type` is required', at: [{ isRejected: true, path: '*', kinds: ['outcome'], codes: ['INVALID_VALUE'], fields: ['grant_type'] }] },
  { id: 'token-answer', section: '4.1', tier: 'core', text: '`access_token`, and `expires_in` in seconds', at: [{ in: ['token'], path: 'access_token' }, { in: ['token'], path: 'expires_in' }] },
  { id: 'token-meta', section: '4.1', tier: 'core', text: '`meta.request_id`, and `meta.timestamp` in UTC', at: [{ in: ['token'], path: 'meta*' }] },
  { id: 'charge-status', section: '4.2', tier: 'core', text: 'A charge answers 200', at: [{ in: ['cashin'], path: 'status', kinds: ['value'] }] },
  { id: 'charge-required', section: '4.2', tier: 'validation', text: '`amount` and `currency` are required', at: [{ in: ['cashin'], path: '*', kinds: ['outcome'], codes: ['MISSING_REQUIRED_FIELD'], fields: ['amount', 'currency'] }] },
  { id: 'charge-amount-number', section: '4.2', tier: 'validation', text: '`amount` is a number', at: [{ isRejected: true, in: ['cashin'], path: '*', kinds: ['outcome'], codes: ['INVALID_AMOUNT'], fields: ['amount'], rule: 'must be a JSON number' }] },
  { id: 'charge-decimals', section: '4.2', tier: 'limits', text: `At most ${currencies.BRL.scale} decimals`, at: [{ isRejected: true, in: ['cashin'], path: '*', kinds: ['outcome'], codes: ['INVALID_AMOUNT'], fields: ['amount'], rule: `at most ${currencies.BRL.scale} decimals` }, { isAllowed: true, in: ['cashin'], path: 'status', isAccepted: true, codes: ['INVALID_AMOUNT'], like: ['amount', new RegExp(`[.]\\d{${currencies.BRL.scale}}$`)] }] },
  { id: 'charge-chain', section: '4.2', tier: 'validation', text: 'Crypto requires `chain`', at: [{ in: ['cashin'], path: '*', kinds: ['outcome'], codes: ['UNSUPPORTED_CHAIN', 'MISSING_REQUIRED_FIELD'], fields: ['chain'] }] },
  { id: 'charge-no-chain', section: '4.2', tier: 'validation', text: 'PIX and SPEI need no `chain`', at: [{ in: ['cashin'], path: 'status', isAccepted: true, rail: 'pix', requestLacks: 'chain' }, { in: ['cashin'], path: 'status', isAccepted: true, rail: 'spei', requestLacks: 'chain' }] },
  { id: 'external-id-length', section: '4.2', tier: 'limits', text: `\`external_id\` has at most ${externalIdMaxLength} characters`, at: [{ isRejected: true, path: '*', kinds: ['outcome'], codes: ['INVALID_VALUE'], fields: ['external_id'], rule: 'must be at most' }, { isAllowed: true, in: ['cashin'], path: 'status', isAccepted: true, like: ['external_id', new RegExp(`^.{${externalIdMaxLength}}$`)] }] },
  { id: 'external-id-repeated', section: '4.2', tier: 'core', text: 'The same `external_id` returns the same charge', at: [{ in: ['cashin'], path: 'data.transaction_id', isRepeated: true, onlyAgrees: true }] },
  { id: 'postback-url-override', section: '4.2', tier: 'webhooks', text: "`postback_url` replaces the credential's URL", at: [{ in: ['cashin'], path: 'data.postback_url', requestHas: 'postback_url' }] },
  { id: 'split-optional', section: '4.2', tier: 'validation', text: '`split` is an optional array', at: [{ isRejected: true, path: '*', kinds: ['outcome'], codes: ['INVALID_SPLIT_CONFIG'], fields: ['split'], rule: 'must be an array' }] },
  { id: 'crypto-address-life', section: '4.2', tier: 'timing', text: `A crypto address lives about ${minutes(cryptoAddressLifeMs)}`, at: [{ rail: 'chain', path: '*payment_info.expiration' }] },
  { id: 'withdrawal-request', section: '4.3', tier: 'core', text: 'A withdrawal takes `external_id`, `amount`, `currency`, `key`', at: [{ in: ['cashout'], path: '*', kinds: ['outcome'], codes: ['MISSING_REQUIRED_FIELD'], fields: ['external_id', 'amount', 'currency', 'key'] }] },
  { id: 'withdrawal-key-types', section: '4.3', tier: 'validation', text: '`key_type`: cpf, cnpj, email, phone, random', at: [{ isRejected: true, path: '*', kinds: ['outcome'], codes: ['INVALID_VALUE'], fields: ['key_type'] }, { in: ['cashout'], path: 'status', isAccepted: true, requestHas: 'key_type', onlyDiffers: true }] },
  { id: 'withdrawal-options', section: '4.3', tier: 'validation', text: '`network`, `name`, `bank_code`, `description` are optional', at: [{ in: ['cashout'], path: 'status', isAccepted: true, requestHas: 'description' }] },
  { id: 'pix-payment', section: '4.3', tier: 'core', text: 'The legacy endpoint for PIX exists', at: [{ in: ['pixPayment'], path: 'status', isAccepted: true }, { in: ['pixPayment'], path: '*', kinds: ['outcome'], codes: ['MISSING_REQUIRED_FIELD'], fields: ['amount', 'creditParty*'] }] },
  { id: 'wallet-request', section: '4.3', tier: 'core', text: 'A fixed wallet takes `currency` and `chain`', at: [{ in: ['wallet'], path: '*', kinds: ['outcome'], codes: ['MISSING_REQUIRED_FIELD'], fields: ['currency', 'chain'] }, { in: ['wallet'], path: 'status', isAccepted: true }] },
  { id: 'wallet-destination', section: '1', tier: 'core', text: 'A fixed wallet is a PIX key, CLABE or address', at: [{ in: ['wallet', 'wallet.created'], path: 'data.address' }] },
  { id: 'transfer-request', section: '4.3', tier: 'core', text: 'A transfer takes `username`, `amount`, `currency`', at: [{ in: ['transfer'], path: '*', kinds: ['outcome'], codes: ['MISSING_REQUIRED_FIELD'], fields: ['username', 'amount', 'currency'] }] },
  { id: 'conversion-rate', section: '4.3', tier: 'core', text: 'A rate can be queried', at: [{ in: ['rate'], path: 'status', isAccepted: true }, { in: ['rate'], path: 'data*' }] },
  { id: 'conversion-simulate', section: '4.3', tier: 'core', text: 'A conversion can be simulated', at: [{ in: ['simulate'], path: 'status', isAccepted: true }, { in: ['simulate'], path: 'data*' }] },
  { id: 'conversion-new', section: '4.3', tier: 'core', text: 'A conversion takes the same body', at: [{ in: ['conversion'], path: 'status', isAccepted: true }, { in: ['conversion'], path: 'data*' }, { in: ['conversion'], path: '*', kinds: ['outcome'], codes: ['MISSING_REQUIRED_FIELD'], fields: ['destination_currency'] }] },
  { id: 'list-pages', section: '4.3', tier: 'core', text: 'Transactions are listed by `page` and `page_size`', at: [{ in: ['transactionList'], path: 'status', isAccepted: true, requestHas: 'page' }, { in: ['transactionList'], path: 'data*' }] },
  { id: 'list-filters', section: '4.3', tier: 'core', text: 'Filters: `status`, `type`, `source`, `currency`, dates', at: [{ in: ['transactionList'], path: 'data.items[].currency', requestHas: 'currency', onlyAgrees: true }] },
  { id: 'balance-endpoint', section: '4.3', tier: 'core', text: 'The balance endpoint takes no body', at: [{ in: ['balance'], path: 'status', isAccepted: true }] },
  { id: 'account-endpoints', section: '4.3', tier: 'core', text: 'Profile, limits and fees can be read', at: [{ in: ['profile', 'limits', 'fees'], path: 'data*' }, { in: ['profile', 'limits', 'fees'], path: 'status', isAccepted: true }] },
  { id: 'dispute-list', section: '4.3', tier: 'core', text: 'Disputes can be listed and filtered', at: [{ in: ['infractionList'], path: 'status', isAccepted: true }, { in: ['infractionList'], path: 'data*' }] },
  { id: 'dispute-detail', section: '4.3', tier: 'core', text: 'A dispute is read by its `id`', at: [{ isRejected: true, in: ['infractionDetail'], path: '*', kinds: ['outcome'], codes: ['INVALID_VALUE'], fields: ['id'] }, { in: ['infractionDetail'], path: 'data*' }] },
  { id: 'dispute-reply', section: '4.3', tier: 'core', text: 'A reply is `multipart/form-data` with `id`, `message`, `files[]`', at: [{ in: ['infractionReply'], path: 'error.code' }] },

  { id: 'token-life', section: '5.1', tier: 'timing', text: `A token lives ${seconds(tokenLifeMs)}`, unobservable: 'duration' },
  { id: 'token-renewal', section: '5.1', tier: 'core', text: 'Each token is independent of the others', unobservable: 'recording' },
  { id: 'token-revocation', section: '5.1', tier: 'core', text: 'Tokens cannot be revoked', unobservable: 'absence' },
  { id: 'credential-activation', section: '5.1', tier: 'core', text: 'An administrator activates a credential', unobservable: 'dashboard' },
  { id: 'lockout', section: '5.1', tier: 'limits', text: `${lockoutAttempts} wrong attempts block the IP for ${minutes(lockoutMs)}`, unobservable: 'harm' },
  { id: 'token-rate', section: '5.1', tier: 'limits', text: `${rates.token.perMinute} token requests a minute for each IP`, unobservable: 'load' },
  { id: 'signed-routes', section: '5.2', tier: 'validation', text: 'Withdrawals, transfers and conversions are signed', at: [{ path: '*', codes: ['MISSING_SIGNATURE'], onlyAgrees: true }] },
  { id: 'unsigned-routes', section: '5.2', tier: 'validation', text: 'Other routes need no signature', at: [{ isAllowed: true, in: unsigned, path: 'status', isAccepted: true, codes: ['MISSING_SIGNATURE'] }, { isAllowed: true, in: unsigned, path: 'error.code', codes: ['MISSING_SIGNATURE'] }] },
  { id: 'signature-text', section: '5.2', tier: 'validation', text: `\`${signature}\`: lower-case hex HMAC-SHA256 of timestamp, nonce, body` },
  { id: 'signature-raw-body', section: '5.2', tier: 'validation', text: 'The exact raw body is signed' },
  { id: 'signature-timestamp', section: '5.2', tier: 'validation', text: `\`${timestamp}\` is Unix time in seconds` },
  { id: 'signature-nonce', section: '5.2', tier: 'validation', text: `\`${nonce}\` is a UUID v4` },
  { id: 'timestamp-window', section: '5.2', tier: 'timing', text: `\`${timestamp}\` within ${minutes(signatureWindowMs)}` },
  { id: 'nonce-window', section: '5.2', tier: 'timing', text: `\`${nonce}\` once in ${minutes(signatureWindowMs)}` },

  { id: 'webhook-target', section: '6.1', tier: 'webhooks', text: "A POST to the credential's URL", at: [{ isEvent: true, path: 'headers.*', onlyAgrees: true }] },
  { id: 'webhook-type', section: '6.1', tier: 'webhooks', text: 'The body is JSON', at: [{ path: `headers.${webhookHeaders.type}` }] },
  { id: 'webhook-event', section: '6.1', tier: 'webhooks', text: `\`${webhookHeaders.event}\` names the event`, at: [{ path: `headers.${webhookHeaders.event}` }] },
  { id: 'webhook-signature', section: '6.1', tier: 'webhooks', text: `\`${webhookHeaders.signature}\`: hex HMAC-SHA256 of the body`, at: [{ path: `headers.${webhookHeaders.signature}` }] },
  { id: 'webhook-id', section: '6.1', tier: 'webhooks', text: `\`${webhookHeaders.id}\` begins with \`evt_\``, at: [{ path: `headers.${webhookHeaders.id}` }] },
  { id: 'webhook-timestamp', section: '6.1', tier: 'webhooks', text: `\`${webhookHeaders.timestamp}\` is Unix time in seconds`, at: [{ path: `headers.${webhookHeaders.timestamp}` }] },
  { id: 'webhook-agent', section: '6.1', tier: 'webhooks', text: `User-Agent \`${webhookUserAgent}\``, at: [{ path: `headers.${webhookHeaders.userAgent}` }] },
  { id: 'receiver-signature', section: '6.1', tier: 'webhooks', text: 'Receivers reject a wrong signature with 401', unobservable: 'receiver' },
  { id: 'receiver-timestamp', section: '6.1', tier: 'webhooks', text: 'Receivers reject an old timestamp with 401', unobservable: 'receiver' },
  { id: 'receiver-answer', section: '6.1', tier: 'webhooks', text: `Receivers answer 200 within ${seconds(advisedResponseMs)}`, unobservable: 'receiver' },
  { id: 'receiver-duplicates', section: '6.1', tier: 'webhooks', text: 'Duplicates can occur', unobservable: 'receiver' },
  { id: 'https-only', section: '6.1', tier: 'webhooks', text: 'A URL with http:// is rejected', at: [{ isRejected: true, path: '*', kinds: ['outcome'], codes: ['INVALID_POSTBACK_URL'], fields: ['postback_url'], rule: 'must be an https://' }] },
  { id: 'certificate-valid', section: '6.1', tier: 'webhooks', text: 'A self-signed certificate is rejected', unobservable: 'recording' },
  { id: 'sandbox-header', section: '6.1', tier: 'webhooks', text: `A sandbox sends \`${webhookHeaders.sandbox}: 1\``, unobservable: 'sandbox' },
  { id: 'receiver-reconciles', section: '6.1', tier: 'webhooks', text: 'Receivers reconcile with the transaction list', unobservable: 'receiver' },
  { id: 'event-envelope', section: '6.2', tier: 'webhooks', text: '`event`, `timestamp`, `transaction_id`, `data`', at: [{ isEvent: true, path: 'data' }, { isEvent: true, path: 'event', kinds: ['value', 'type'] }] },
  { id: 'event-timestamp', section: '6.2', tier: 'webhooks', text: '`timestamp` has an offset', at: [{ isEvent: true, path: 'timestamp' }] },
  { id: 'event-transaction-id', section: '6.2', tier: 'webhooks', text: '`transaction_id` is that of the data', at: [{ isEvent: true, path: 'transaction_id' }] },
  { id: 'event-amounts', section: '6.2', tier: 'webhooks', text: 'Amounts are decimal strings', at: [{ isEvent: true, path: '*', money: true, kinds: ['type'] }] },
  { id: 'webhook-retry', section: '6.3', tier: 'webhooks', text: 'Any answer but 2xx is retried', at: [{ path: 'attempts.count' }] },
  { id: 'webhook-first', section: '6.3', tier: 'timing', text: 'The first attempt is made at the event', at: [{ path: 'delay', kinds: ['value'] }] },
  { id: 'webhook-delays', section: '6.3', tier: 'timing', text: `Retries after ${shortDelays.join(', ')}`, at: shortDelays.map((is) => ({ path: 'attempts.delay', is })) },
  { id: 'webhook-long-delays', section: '6.3', tier: 'timing', text: `Then after ${longDelays.join(', ')}`, unobservable: 'duration', at: longDelays.map((is) => ({ path: 'attempts.delay', is })) },
  { id: 'webhook-stops', section: '6.3', tier: 'timing', text: `No attempt after ${webhookRetryDelaysMs.length} retries`, unobservable: 'absence' },
  { id: 'webhook-redelivery', section: '6.3', tier: 'webhooks', text: 'Redelivery through dashboard or support', unobservable: 'dashboard' },
  { id: 'webhook-timeout', section: '6.3', tier: 'timing', text: `An attempt ends after ${seconds(webhookTimeouts.totalMs)}`, unobservable: 'recording' },
  { id: 'webhook-connect-timeout', section: '6.3', tier: 'timing', text: `${seconds(webhookTimeouts.connectMs)} to connect`, unobservable: 'recording' },
  { id: 'webhook-rate', section: '6.3', tier: 'limits', text: `${webhookWindow.sends} webhooks in ${seconds(webhookWindow.spanMs)}`, unobservable: 'load' },
  { id: 'webhook-excess', section: '6.3', tier: 'timing', text: `Excess webhooks wait ${seconds(webhookWindow.deferMs)}, in order, none lost`, unobservable: 'load' },

  { id: 'error-success', section: '7', tier: 'errors', text: '`success` is false', at: [{ path: 'success', isError: true }] },
  { id: 'error-code', section: '7', tier: 'errors', text: '`error.code` and `error.message` are text', at: [{ path: 'error.code', kinds: ['missing', 'type'] }, { path: 'error.message' }, { path: 'body', isError: true }] },
  { id: 'error-group', section: '7', tier: 'errors', text: '`error.group` is text', at: [{ path: 'error.group' }] },
  { id: 'error-retryable', section: '7', tier: 'errors', text: '`error.retryable` is boolean', at: [{ path: 'error.retryable' }] },
  { id: 'error-details', section: '7', tier: 'errors', text: '`error.details` is an object', at: [{ path: 'error.details' }, { path: 'error.retryable', onlyAgrees: true }] },
  { id: 'chain-details', section: '7', tier: 'errors', text: '`details.supported` lists the chains', at: [{ path: 'error.details.supported*', codes: ['UNSUPPORTED_CHAIN'] }] },
  { id: 'maximum-details', section: '7', tier: 'errors', text: '`details.max_amount` gives the maximum', at: [{ path: 'error.details.max_amount', codes: ['EXCEEDS_MAX_LIMIT'] }] },

  { id: 'charge-rate', section: '8', tier: 'limits', text: `${rates.cashin.perMinute} charges a minute for each credential`, unobservable: 'load' },
  { id: 'dispute-window', section: '8', tier: 'timing', text: `${formatDays(disputeWindowMs)} to reply to a dispute`, unobservable: 'dispute' },
  { id: 'version-path', section: '9', tier: 'core', text: `Paths begin with \`/v${emulatedInterface.version}\``, at: [{ path: 'status', isAccepted: true, codes: ['NOT_FOUND'] }] },
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
  ...currencyNames.filter(isMinimumDocumented).map(
    (name): DocumentedSentence => ({
      id: `minimum:${name}`,
      section: '8',
      tier: 'limits',
      text: `Charges from ${currencies[name].min} ${name}`,
      at: [
        { isRejected: true, in: ['cashin'], path: '*', kinds: ['outcome'], codes: ['BELOW_MIN_LIMIT'], currency: name },
      ],
      stated: { at: ['data.limits[].min_amount', 'error.details.min_amount'], setting: 'limits' },
    }),
  ),
  ...eventNames.map((name) => ({
    id: `event:${name}` as const,
    section: '6.5',
    tier: 'webhooks' as const,
    text: `\`${name}\``,
    at: [{ in: [name], path: '*' }],
    ...reasonOf(name),
  })),
  ...cashoutFailureCodes.map((code) => ({
    id: `failure:${code}` as const,
    section: '6.5',
    tier: 'webhooks' as const,
    text: `\`${code}\``,
    at: [{ in: ['cashout.failed'], path: 'destination', is: code }],
    ...reasonOf(code),
  })),
  ...errorCodes.filter(isDocumented).map((code) => {
    const { status }: ErrorRow = errorCatalogue[code]
    return {
      id: `error:${code}` as const,
      section: '7',
      tier: 'errors' as const,
      text: `${status} \`${code}\``,
      at: ['error.code', 'status'].map((path) => ({ path, codes: [code] })),
      ...reasonOf(code),
    }
  }),
]
