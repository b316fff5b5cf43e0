/**
 * What the sandbox does where the documentation is silent or contradicts itself, in words for users. Facts that a table
 * already has are not repeated here.
 */

import { secondMs } from '../../base/duration.js'
import { maxAmountDigits } from '../../base/money.js'
import { currencies, currenciesInWords } from './currencies.js'
import type { FidelityTier, RecordedPlace, UnobservableReason } from './documented-sentences.js'
import type { ErrorCode } from './errors.js'
import { disputeType, reasons } from './failures.js'
import { requestHeaders, responseHeaders, webhookHeaders } from './headers.js'
import {
  cashoutSettleMs,
  cryptoAddressLifeMs,
  disputeWindowMs,
  formatDays,
  lockoutAttempts,
  lockoutMs,
  minutes,
  pageSizes,
  percentPlaces,
  pixChargeLifeMs,
  quoteLifeMs,
  ratePlaces,
  seconds,
  signatureWindowMs,
  textMaxLength,
  webhookWindow,
} from './limits.js'

const assumedReasons = Object.entries(reasons)
  .flatMap(([action, { text, basis }]) => (basis === 'assumed' ? [`\`${action}\`: "${text}"`] : []))
  .join('; ')

/** Each topic, with the kind of behavior that most of its assumptions are about. */
const tierOfTopic = {
  Requests: 'validation',
  Errors: 'errors',
  'Tokens and signatures': 'validation',
  Money: 'core',
  Charges: 'core',
  Withdrawals: 'core',
  'Fixed wallets, internal transfers, conversions': 'core',
  Account: 'core',
  Disputes: 'core',
  Webhooks: 'webhooks',
} as const satisfies Record<string, FidelityTier>
type AssumptionTopic = keyof typeof tierOfTopic

export const tierOfAssumption = ({ tier, topic }: Assumption): FidelityTier => tier ?? tierOfTopic[topic]

export interface Assumption {
  /** Stands for the row in profiles and comparisons. */
  id: string
  /** Number that comments and tests refer to: `decision 26`. docs/assumptions.md shows it. */
  decision?: number
  topic: AssumptionTopic
  /** The kind of behavior that the row is about (default: the kind of its topic). */
  tier?: FidelityTier
  /** Why no probe can observe the behavior (default: a probe can). */
  unobservable?: UnobservableReason
  /** What the documentation leaves open. */
  open: string
  /** What the sandbox does. */
  choice: string
  /** The setting that changes what the sandbox does, as named in the configuration file. */
  setting?: string
  /** Where a recording of the platform shows what the platform does. If several rows name a place, the first row counts. */
  at?: readonly RecordedPlace[]
}

/** The documentation says "about" a time: up to a sixth more or less is accepted. */
const about = (ms: number, where: string) => ({
  text: `about ${minutes(ms)} (${where})`,
  minSeconds: (ms - ms / 6) / secondMs,
  maxSeconds: (ms + ms / 6) / secondMs,
})

/** Errors that no probe causes: they need many calls, much money, time, or a fault of the platform. */
// biome-ignore format: a list
const rareErrors = ['SERVICE_UNAVAILABLE', 'RATE_LIMIT_EXCEEDED', 'IP_BLOCKED_TEMPORARILY', 'PROVIDER_ERROR', 'INTERNAL_ERROR', 'INSUFFICIENT_BALANCE', 'LIMIT_EXCEEDED', 'INVALID_TRANSITION', 'TOKEN_EXPIRED', 'CREDENTIAL_INACTIVE'] as const satisfies readonly ErrorCode[]

// biome-ignore format: a table, a row a line
export const assumptions = [
  { id: 'order_of_checks', topic: 'Requests', open: 'The order of checks', choice: 'Route and method, token, signature, content type and JSON, required fields, types (including currency and chain), repeated `external_id`, other accounts (`INVALID_SPLIT_CONFIG`, an unknown `username`, `SELF_TRANSFER_BLOCKED`), limits, balance, provider. The first check that fails determines the error.' },
  { id: 'json_text', decision: 44, topic: 'Requests', unobservable: 'recording', open: 'Unusual JSON', choice: 'A body with a repeated key, the character NUL or half of a surrogate pair is rejected with 400 `INVALID_JSON`. A byte order mark at the start is accepted. A number counts exactly as it is written: `1.0` and `1e0` are 1, and `19.990000000000002` has too many decimals.' },
  { id: 'postback_url_text', decision: 44, topic: 'Requests', open: 'The form of a `postback_url`', choice: 'A URL with a space, a control character, a user name or a password is rejected with 422 `INVALID_POSTBACK_URL`.', at: [{ in: ['cashin'], path: '*', codes: ['INVALID_POSTBACK_URL'], fields: ['postback_url'], rule: 'must not' }] },
  { id: 'sandbox_selection', topic: 'Requests', unobservable: 'sandbox', open: 'How a sandbox is selected', choice: 'By its base URL: the sandbox is a server of its own. There is no field and no header that selects it.' },
  { id: 'unknown_path', decision: 41, topic: 'Requests', open: 'A path that the platform API does not have', choice: 'The call is rejected with 404 `NOT_FOUND`. `details.path` repeats the path, and `details.nearest` is the nearest path of the platform API. If the path exists and the object does not, `details.object` names the object instead.', at: [{ in: ['unknown_path'], path: 'error.code' }, { in: ['unknown_path'], path: 'error.details.*' }] },
  { id: 'compressed_body', decision: 35, topic: 'Requests', unobservable: 'recording', open: 'A compressed body', choice: 'A call with a `Content-Encoding` other than `identity` is rejected with 415 `UNSUPPORTED_CONTENT_TYPE` and `details.content_encoding`.' },
  { id: 'body_budget', topic: 'Requests', unobservable: 'sandbox', open: 'Too many large bodies at the same time', choice: `If the total size of the bodies of all simultaneous calls exceeds the limit, further calls are rejected with 503 \`SERVICE_UNAVAILABLE\` and \`${responseHeaders.retryAfter}: 1\`. Files of a dispute reply are streamed and do not count.` },
  { id: 'null_fields', decision: 34, topic: 'Requests', open: 'Fields that are null', choice: 'A field that is null counts as missing, at any depth.', at: [{ path: '*', codes: ['MISSING_REQUIRED_FIELD'], fields: ['*'], value: 'null' }] },
  { id: 'missing_values', topic: 'Requests', tier: 'core', open: 'Missing values in responses', choice: 'Missing values are `null` in responses and events: an `external_id` that you did not send, the document of a payer without one, a missing `postback_url`, the `chain` of a PIX or SPEI wallet. An event does not contain the fields of other rails (`e2e_id`, `hash`, `tracking_key`).', setting: 'empty_fields', at: [{ path: '*', kinds: ['empty'] }] },
  { id: 'text_bounds', topic: 'Requests', open: 'Length and form of texts', choice: `A text has 1 to ${textMaxLength} characters, unless its field has other limits. The tables of the platform API list each limit. An e-mail address must be well-formed.`, at: [{ path: '*', codes: ['INVALID_VALUE'], fields: ['external_id', 'payer.name', 'payer.email', 'description', 'name', 'message'] }] },
  { id: 'missing_before_wrong', decision: 34, topic: 'Requests', open: 'A body with missing and invalid fields', choice: 'Missing fields are reported first, at any depth: the call is rejected with 400 `MISSING_REQUIRED_FIELD`, not with 422.' },
  { id: 'case_of_names', decision: 14, topic: 'Requests', open: 'Currency and chain names', choice: 'The names are case-sensitive.', at: [{ path: '*', codes: ['INVALID_CURRENCY'], fields: ['currency', '*_currency'], value: 'letters' }, { path: '*', codes: ['UNSUPPORTED_CHAIN'], fields: ['chain'], value: 'letters' }] },
  { id: 'cnpj_letters', decision: 14, topic: 'Requests', open: 'A CNPJ with letters', choice: 'It is valid.', at: [{ in: ['cashin'], path: 'status', isAccepted: true, codes: ['INVALID_VALUE'], like: ['payer.document', /[A-Z]/] }] },
  { id: 'payer_document', decision: 14, topic: 'Requests', open: 'The document of a payer', choice: 'If `payer.document` is present, it must be a valid CPF or CNPJ.', setting: 'payer_document', at: [{ in: ['cashin'], path: '*', codes: ['INVALID_VALUE'], fields: ['payer.document'] }] },
  { id: 'request_id_header', topic: 'Requests', tier: 'core', open: 'The request id', choice: `Every response has the request id in the header \`${responseHeaders.requestId}\`. Error bodies have only the documented fields.`, at: [{ path: `headers.${responseHeaders.requestId}` }] },
  { id: 'undocumented_fields', topic: 'Requests', tier: 'core', open: 'Fields that the documentation does not show', choice: 'The sandbox adds the fields that are marked as assumed in the tables of the platform API.' },

  { id: 'error_codes', topic: 'Errors', open: 'Error codes that the documentation does not list', choice: 'The sandbox adds the codes that are marked as assumed in the table of errors.' },
  { id: 'error_groups', topic: 'Errors', open: 'The values of `error.group`', choice: '`auth`, `signature`, `validation`, `limits`, `business` and `system`.', setting: 'error_groups', at: [{ path: 'error.group' }] },
  { id: 'retryable_faults', topic: 'Errors', unobservable: 'load', open: 'Retryable errors other than `PROVIDER_ERROR`', choice: '`SERVICE_UNAVAILABLE`, `RATE_LIMIT_EXCEEDED` and `IP_BLOCKED_TEMPORARILY`.', setting: 'retryable_errors', at: [{ path: 'error.retryable', codes: rareErrors }] },
  { id: 'retryable_errors', topic: 'Errors', open: 'Errors of wrong calls', choice: 'Not retryable.', setting: 'retryable_errors', at: [{ path: 'error.retryable' }] },
  { id: 'below_minimum', decision: 7, topic: 'Errors', tier: 'limits', open: 'Two documented errors fit a positive amount below the minimum', choice: `The sandbox rejects the call with 409 \`BELOW_MIN_LIMIT\` and \`details.min_amount\`. An invalid amount is rejected with 422 \`INVALID_AMOUNT\`: a string, zero, a negative number, too many decimals, or over ${maxAmountDigits} digits. A conversion whose result is zero is also below the minimum.`, setting: 'below_minimum', at: [{ path: 'error.code', codes: ['BELOW_MIN_LIMIT', 'INVALID_AMOUNT'] }] },

  { id: 'lockout_count', decision: 1, topic: 'Tokens and signatures', tier: 'limits', unobservable: 'harm', open: 'What counts towards the lockout', choice: `Each call with a wrong client id or secret counts, separately for each client IP. A call without Basic credentials is rejected with 401 and does not count. A success resets the count. The first ${lockoutAttempts} wrong attempts are rejected with 401. Then every call is rejected with 403 for ${seconds(lockoutMs)}, even with the right secret. Blocked calls do not count and do not extend the block.` },
  { id: 'token_checks', decision: 1, topic: 'Tokens and signatures', open: 'The order of checks at the token endpoint', choice: 'Lockout, rate limit, credentials, body.', at: [{ in: ['token'], path: 'error.code', codes: ['INVALID_CREDENTIALS', 'MISSING_REQUIRED_FIELD', 'INVALID_VALUE'], requestLacks: 'grant_type' }] },
  { id: 'rate_exceeded', topic: 'Tokens and signatures', tier: 'limits', unobservable: 'load', open: 'A call above a rate limit', choice: `The call is rejected with 429 \`RATE_LIMIT_EXCEEDED\` and the header \`${responseHeaders.retryAfter}\`.`, setting: 'rate_limits', at: [{ path: `headers.${responseHeaders.retryAfter}` }] },
  { id: 'signature_checks', decision: 3, topic: 'Tokens and signatures', open: 'The order of signature checks', choice: 'Missing headers, timestamp, nonce, signature.' },
  { id: 'timestamp_edge', decision: 3, topic: 'Tokens and signatures', tier: 'timing', unobservable: 'recording', open: `A timestamp exactly ${seconds(signatureWindowMs)} off`, choice: 'Accepted.' },
  { id: 'nonce_use', decision: 3, topic: 'Tokens and signatures', tier: 'timing', open: 'When a nonce counts as used', choice: `A nonce counts as used if the signature of its call was valid, even if the call then fails for another reason. The nonce stays used for that credential until ${seconds(signatureWindowMs)} after the receipt or the timestamp, whichever is later.` },
  { id: 'signature_headers', decision: 3, topic: 'Tokens and signatures', open: 'Malformed signature headers', choice: 'A timestamp that is not Unix time in seconds is rejected with 401 `INVALID_TIMESTAMP`. A nonce that is not a UUID v4, and a signature in upper case, are rejected with 401 `INVALID_SIGNATURE`.' },
  { id: 'signing_key_source', topic: 'Tokens and signatures', unobservable: 'dashboard', open: 'Where the signing key comes from', choice: 'Each credential has its own signing key. The sandbox prints the key at the start, and `GET /_sandbox/accounts` returns it.' },
  { id: 'clock_of_signatures', decision: 5, topic: 'Tokens and signatures', unobservable: 'sandbox', open: 'Signatures after the clock was advanced', choice: `Expiry, deadlines, retries, rates and tokens follow the clock of the sandbox. \`${requestHeaders.timestamp}\`, nonces and \`${webhookHeaders.timestamp}\` follow real time, so that a correct client keeps working after an advance. All times in bodies follow the clock of the sandbox. The header \`Date\` is real time.` },

  { id: 'decimals_of_coins', decision: 6, topic: 'Money', open: 'Decimals of coins', choice: `Each coin has its own: ${currenciesInWords.scales()}. "at most ${currencies.BRL.scale} decimals" would contradict the documented minimums of these currencies.`, at: [{ in: ['cashin'], path: 'status', isAccepted: true, codes: ['INVALID_AMOUNT'], rail: 'chain', onlyDiffers: true }, { in: ['cashin'], path: '*', codes: ['INVALID_AMOUNT'], fields: ['amount'], rule: 'at most ' }] },
  { id: 'amount_decimals', decision: 6, topic: 'Money', open: 'Decimals of decimal strings', choice: 'As many as the currency has: `25.50`.', setting: 'amount_decimals', at: [{ path: '*', kinds: ['decimals'] }] },
  { id: 'amount_types', decision: 9, topic: 'Money', open: 'Amounts as numbers or strings', choice: 'Amounts are JSON numbers in responses and decimal strings in webhooks.', setting: 'answer_amounts', at: [{ path: '*', kinds: ['type'], money: true }] },
  { id: 'charge_fee_payer', decision: 10, topic: 'Money', unobservable: 'payer', open: 'Who pays the fee of a charge', choice: 'The merchant: the fee is deducted from the credited amount.' },
  { id: 'withdrawal_fee_payer', decision: 10, topic: 'Money', open: 'Who pays the fee of a withdrawal', choice: 'The merchant: the fee is added to the amount. Both move from available to pending, and both return if the withdrawal fails.', at: [{ in: ['cashout.confirmed'], path: 'balance' }] },
  { id: 'rounding', topic: 'Money', open: 'Rounding', choice: 'Percentage fees are rounded half up. Shares of a split and results of conversions are rounded down.', setting: 'fee_rounding', at: [{ in: ['rate'], path: 'data.estimated_amount', kinds: ['value'], byUnit: true, onlyDiffers: true }, { in: ['simulate'], path: 'data.to_amount', kinds: ['value'], byUnit: true, onlyDiffers: true }, { in: ['conversion', 'conversion.confirmed'], path: 'data.amount_to', kinds: ['value'], byUnit: true, onlyDiffers: true }] },
  { id: 'conversion_fee', decision: 10, topic: 'Money', open: 'The fee of a conversion', choice: 'The fee is in the source currency and is deducted from the amount: `amount_to` is (`amount_from` − fee) × `rate`, rounded down. There is no fee by default, because the spread is part of the rate.', setting: 'fees', at: [{ in: ['conversion', 'simulate', 'conversion.confirmed'], path: 'data.fee' }, ...['data.estimated_amount', 'data.to_amount', 'data.amount_to'].map((path) => ({ in: ['rate', 'simulate', 'conversion', 'conversion.confirmed'], path, kinds: ['value'], onlyDiffers: true }) as const)] },
  { id: 'rate_digits', decision: 10, topic: 'Money', open: 'How exact a rate is', choice: `A rate has ${ratePlaces} decimals and is rounded down. As a JSON number it has at most ${maxAmountDigits} digits.`, setting: 'rate_decimals', at: [{ path: 'data.rate', onlyAgrees: true }] },
  { id: 'quote_checks', decision: 10, topic: 'Money', open: 'Checks of a quote (`rate` and `simulate`)', choice: 'A quote has the same checks as the conversion, except the check of the balance.', at: [{ in: ['rate', 'simulate'], path: '*', codes: ['MISSING_REQUIRED_FIELD'], fields: ['amount'] }, { in: ['rate', 'simulate'], path: '*', codes: ['INVALID_AMOUNT'], fields: ['amount'] }, { in: ['rate', 'simulate'], path: 'status', codes: ['BELOW_MIN_LIMIT'] }] },
  { id: 'quote_life', topic: 'Money', tier: 'timing', open: 'How long a simulated conversion is valid', choice: `${seconds(quoteLifeMs)}.`, setting: 'quote_life', at: [{ in: ['simulate'], path: 'data.expires_at', kinds: ['value'] }] },
  { id: 'largest_amount', decision: 7, topic: 'Money', tier: 'limits', open: 'The largest possible amount', choice: `${maxAmountDigits} digits, counted in the smallest unit. A larger amount is rejected with 422 \`INVALID_AMOUNT\` on every route, including quotes and the control API.`, at: [{ path: '*', codes: ['INVALID_AMOUNT', 'EXCEEDS_MAX_LIMIT'], fields: ['amount'], rule: 'must be at most' }] },
  { id: 'refund_takes', decision: 11, topic: 'Money', unobservable: 'provider', open: 'Amount that the refund of a charge debits', choice: 'The gross amount. The platform keeps the fee. The available balance can become negative. It can also become negative when a dispute blocks money that is already spent.', at: [{ in: ['cashin.refunded'], path: 'data.new_balance', kinds: ['value'], onlyDiffers: true }] },
  { id: 'withdrawal_refund_gives', topic: 'Money', unobservable: 'provider', open: 'Amount that the refund of a withdrawal returns', choice: 'The refunded amount, without the fee: the platform keeps the fee. The same is true for the reversal of a conversion.' },
  { id: 'fees', topic: 'Money', open: 'Amounts of the fees', choice: 'The table of fees lists them.', setting: 'fees', at: [{ path: '*.fee', kinds: ['value'] }, { in: ['fees'], path: 'data.fees*' }] },
  { id: 'limits', decision: 8, topic: 'Money', tier: 'limits', open: 'Maximum amounts and daily limits', choice: 'The table of currencies lists them.', setting: 'limits', at: [{ in: ['limits'], path: 'data.limits*' }, { path: 'error.details.min_amount' }, { path: 'error.details.max_amount' }, { path: 'error.details.daily_limit' }, { path: 'error.details.remaining' }, { path: '*', codes: ['EXCEEDS_MAX_LIMIT', 'LIMIT_EXCEEDED', 'BELOW_MIN_LIMIT'] }] },
  { id: 'balance_fields', decision: 10, topic: 'Money', unobservable: 'account', open: 'What `old_balance` and `new_balance` are', choice: 'The available balance before and after the operation.', at: [{ path: 'data.old_balance' }, { path: 'data.new_balance' }] },
  { id: 'daily_limit_start', decision: 8, topic: 'Money', tier: 'limits', unobservable: 'load', open: 'Start of the day of a daily limit', choice: 'Midnight in America/Sao_Paulo.', setting: 'limit_day' },
  { id: 'daily_limit_returns', decision: 8, topic: 'Money', tier: 'limits', unobservable: 'load', open: 'Amounts that no longer count towards a daily limit', choice: 'The amounts of failed withdrawals and expired charges no longer count towards the limit of the day on which they were created. The amounts of refunds and lost disputes still count. A deposit to a fixed wallet never counts.', setting: 'daily_limit_returns' },
  { id: 'times_with_offset', decision: 17, topic: 'Money', open: 'Times with an offset', choice: 'Times have the offset -03:00. Times that are documented as UTC end in Z.', setting: 'time_offset', at: [{ path: '*', kinds: ['offset'] }] },

  { id: 'external_id_scope', decision: 13, topic: 'Charges', open: 'Scope of an `external_id`', choice: 'The account, with all its operations.', at: [{ in: ['transfer'], path: 'error.code', codes: ['DUPLICATE_EXTERNAL_ID', 'NOT_FOUND'] }] },
  { id: 'external_id_again', decision: 13, topic: 'Charges', open: 'A second call with the same `external_id`', choice: 'The same operation with the same content returns the first transaction in its current state, with the usual HTTP status, even if fees, limits or splits have changed. Its `postback_url` stays. Any other call with this `external_id` is rejected with 409 `DUPLICATE_EXTERNAL_ID` and `details.transaction_id`.', at: [{ path: 'data.transaction_id', kinds: ['value'], onlyDiffers: true }, { path: 'data.conversion_id', kinds: ['value'], onlyDiffers: true }, { path: '*', codes: ['DUPLICATE_EXTERNAL_ID'] }] },
  { id: 'chain_rules', decision: 14, topic: 'Charges', tier: 'validation', open: `A crypto charge without a chain, and a ${currenciesInWords.bank('or')} charge with a chain`, choice: `A crypto charge without a chain is rejected with 400 \`MISSING_REQUIRED_FIELD\`. A ${currenciesInWords.bank('or')} charge with a chain is rejected with 422 \`UNSUPPORTED_CHAIN\` and an empty \`details.supported\`.`, setting: 'fiat_chain', at: [{ in: ['cashin'], path: '*', codes: ['MISSING_REQUIRED_FIELD', 'UNSUPPORTED_CHAIN'], fields: ['chain'], value: 'missing' }, ...[{ rail: 'pix' } as const, { rail: 'spei' } as const].map((only) => ({ in: ['cashin'], path: '*', codes: ['UNSUPPORTED_CHAIN', 'MISSING_REQUIRED_FIELD'], fields: ['chain'], ...only }) as const)] },
  { id: 'pix_charge_life', decision: 15, topic: 'Charges', tier: 'timing', open: 'Expiry of an unpaid PIX charge', choice: `A PIX charge expires after ${seconds(pixChargeLifeMs)}.`, setting: 'pix_charge_life', at: [{ rail: 'pix', path: '*payment_info.expiration' }, { rail: 'pix', path: '*payment_info.expires_at' }, { in: ['cashin.expired'], path: 'delay' }, { rail: 'pix', path: 'expiry' }] },
  { id: 'crypto_expiry', decision: 15, topic: 'Charges', tier: 'timing', open: 'Expiry of an unpaid crypto charge', choice: `A crypto charge expires after ${minutes(cryptoAddressLifeMs)}, without an event.`, setting: 'crypto_charge_life', at: [{ rail: 'chain', path: '*payment_info.expiration', documented: about(cryptoAddressLifeMs, '§4.2, §8') }, { rail: 'chain', path: '*payment_info.expires_at' }, { rail: 'chain', path: 'expiry' }] },
  { id: 'clabe_expiry', decision: 15, topic: 'Charges', tier: 'timing', unobservable: 'duration', open: 'Expiry of an unpaid SPEI charge', choice: 'A SPEI charge does not expire.', setting: 'clabe_life', at: [{ rail: 'spei', path: 'expiry' }] },
  { id: 'payment_methods', decision: 15, topic: 'Charges', open: 'Values of `payment_method` other than `pix`', choice: '`crypto` and `spei`.', setting: 'payment_methods', at: [{ rail: 'spei', path: '*payment_method' }, { rail: 'chain', path: '*payment_method' }] },
  { id: 'split_items', decision: 16, topic: 'Charges', open: 'An item of `split`', choice: `\`{username, percentage}\` or \`{username, amount}\`. A percentage is of the net amount and has at most ${percentPlaces} decimals. The shares are paid when the charge is confirmed. An account can name itself.`, setting: 'split_base', at: [{ in: ['cashin'], path: '*', codes: ['MISSING_REQUIRED_FIELD', 'INVALID_SPLIT_CONFIG', 'INVALID_VALUE'], fields: ['split.*'] }, { in: ['cashin'], path: 'error.details.*', codes: ['MISSING_REQUIRED_FIELD', 'INVALID_SPLIT_CONFIG'], fields: ['split', 'split.*'] }] },
  { id: 'split_recipients', topic: 'Charges', unobservable: 'payer', open: 'The recipients of a split', choice: 'Recipients see only the change of their balance: they get no event and no transaction in their list. If the payer paid too little, the items are paid in order until the money is used up.' },
  { id: 'second_refund', decision: 43, topic: 'Charges', unobservable: 'provider', open: 'A second refund of a charge or a withdrawal', choice: 'A refund is final, also one of a part of the amount. A second one is rejected with 409 `INVALID_TRANSITION`.' },
  { id: 'other_amount_paid', topic: 'Charges', unobservable: 'payer', open: 'A payment of another amount', choice: 'A PIX charge can only be paid with its exact amount. Crypto and SPEI charges are confirmed with the received amount, from which the fee is calculated.' },
  { id: 'network_labels', decision: 18, topic: 'Charges', open: 'Labels of networks other than `PIX` and `TRC20`', choice: 'The table of networks lists the labels.', setting: 'network_labels', at: [{ path: '*.network', kinds: ['value'] }] },
  { id: 'confirmations', topic: 'Charges', open: 'Values of `min_confirmations`', choice: 'The table of networks lists the value for each chain. The value for PIX and SPEI is 0.', setting: 'min_confirmations', at: [{ path: '*min_confirmations' }] },

  { id: 'withdrawal_answer', decision: 19, topic: 'Withdrawals', open: 'The response to a withdrawal and its HTTP status', choice: '202 with the pending transaction.', setting: 'withdrawal_status', at: [{ in: ['cashout', 'pixPayment'], path: 'status', kinds: ['value'] }, { in: ['cashout', 'pixPayment'], path: 'data.status' }] },
  { id: 'cashout_settle', decision: 19, topic: 'Withdrawals', tier: 'timing', open: 'Time until a withdrawal settles', choice: `A withdrawal settles after ${seconds(cashoutSettleMs)}, unless a scenario changes that.`, setting: 'cashout_settle', at: [{ in: ['cashout.confirmed'], path: 'delay' }] },
  { id: 'wrong_destination', decision: 20, topic: 'Withdrawals', tier: 'validation', open: 'A destination with a wrong checksum or format', choice: 'The call is accepted. The withdrawal fails later with `cashout.failed`: `INVALID_ADDRESS` for addresses and CLABEs, `PIX_KEY_NOT_FOUND` for a PIX key that does not match its type.', setting: 'wrong_destination', at: [{ in: ['cashout', 'pixPayment'], path: 'status', codes: ['INVALID_VALUE'] }, { in: ['cashout.confirmed', 'cashout.failed'], path: 'destination' }] },
  { id: 'refunded_amount', decision: 42, topic: 'Withdrawals', open: '`refunded_amount` in `cashout.failed`', choice: 'The amount and the fee, which both return to the balance.', setting: 'refunded_amount', at: [{ in: ['cashout.failed'], path: 'data.refunded_amount' }] },
  { id: 'spei_hash', decision: 42, topic: 'Withdrawals', open: '`hash` of a SPEI withdrawal', choice: 'The tracking key. The documentation describes `hash` only for PIX and blockchains.', at: [{ in: ['transactionList'], rail: 'spei', path: 'data.items[].hash', kinds: ['value'] }, { in: ['transactionList'], rail: 'spei', path: 'data.items[].tracking_key', kinds: ['value'], onlyDiffers: true }] },
  { id: 'receiver_bank', decision: 42, topic: 'Withdrawals', open: '`receiver.bank` of a withdrawal', choice: 'The code of the bank, not its name: the one that you sent, or the one in the CLABE. `null` if there is none.', at: [{ in: ['cashout.confirmed'], path: 'data.receiver.bank' }] },
  { id: 'key_type_ignored', decision: 38, topic: 'Withdrawals', open: '`key_type` of a withdrawal that is not PIX', choice: 'The sandbox ignores the field, whatever its value. `key_type` is `null` in the response and in the events.', at: [{ rail: 'spei', path: '*key_type' }, { rail: 'chain', path: '*key_type' }] },
  { id: 'key_type_omitted', decision: 20, topic: 'Withdrawals', open: 'A missing `key_type`', choice: 'The type is inferred from the key.', at: [{ path: '*key_type', kinds: ['value'] }, { path: '*key_type', kinds: ['missing'], isNull: true, requestLacks: 'key_type' }] },
  { id: 'bank_code_mismatch', decision: 38, topic: 'Withdrawals', open: 'A `bank_code` that contradicts the CLABE', choice: 'The call is accepted. The withdrawal fails later with `cashout.failed` (`INVALID_ADDRESS`). A code that belongs to no known bank is not compared. `bank_code` is ignored unless the withdrawal is paid by SPEI.', setting: 'bank_code_mismatch', at: [{ path: 'bank_code' }] },
  { id: 'off_curve_address', topic: 'Withdrawals', unobservable: 'harm', open: 'A Solana address that is not on the curve', choice: 'The address is accepted, because programs and token accounts have such addresses. Every address that the sandbox generates is a point on ed25519.' },
  { id: 'network_omitted', decision: 18, topic: 'Withdrawals', open: 'A missing `network`', choice: '`network` is required if the currency has several networks.', at: [{ in: ['cashout'], path: '*', codes: ['MISSING_REQUIRED_FIELD'], fields: ['network'] }] },
  { id: 'legacy_body', decision: 21, topic: 'Withdrawals', open: 'The body of the legacy endpoint', choice: '`{amount, external_id, description, creditParty: {name, keyType, key, taxId}}`. In all other respects the call is a PIX withdrawal.', at: [{ in: ['pixPayment'], path: 'status', isAccepted: true }, { in: ['pixPayment'], path: '*', codes: ['MISSING_REQUIRED_FIELD', 'INVALID_VALUE'], fields: ['creditParty*'] }] },

  { id: 'second_wallet', decision: 22, topic: 'Fixed wallets, internal transfers, conversions', open: 'A second wallet of the same currency', choice: 'Each call creates a new wallet.', setting: 'second_wallet', at: [{ in: ['wallet'], path: 'data.wallet_id', isRepeated: true, onlyAgrees: true }, { in: ['wallet'], path: 'data.wallet_id', kinds: ['value'], onlyDiffers: true }, { in: ['wallet'], path: 'data.address', kinds: ['value'], onlyDiffers: true }, { in: ['wallet'], path: 'data.created_at', kinds: ['value'], onlyDiffers: true }] },
  { id: 'wallet_event_id', decision: 22, topic: 'Fixed wallets, internal transfers, conversions', open: '`transaction_id` in the envelope of `wallet.created`', choice: 'The wallet id as text.', at: [{ in: ['wallet.created'], path: 'transaction_id' }] },
  { id: 'transfer_direction', decision: 23, topic: 'Fixed wallets, internal transfers, conversions', unobservable: 'account', open: 'Value of the field `direction` for the sender of a transfer', choice: '`sent`. Sender and recipient each get an event with a transaction id of its own.', setting: 'sent_direction', at: [{ in: ['transfer.confirmed'], path: 'data.direction' }, { in: ['transactionList'], path: 'data.items[].direction', kinds: ['value'] }] },
  { id: 'transfer_fee', decision: 12, topic: 'Fixed wallets, internal transfers, conversions', unobservable: 'account', open: 'The fee of a transfer', choice: 'By default a transfer has no fee. If you configure a fee for the account, the fee is added to the amount, and the transaction list of the sender shows it as `fee`. The response and `transfer.confirmed` have no field for the fee. `old_balance` and `new_balance` include the fee.', setting: 'fees' },
  { id: 'reverted_currency', decision: 42, topic: 'Fixed wallets, internal transfers, conversions', unobservable: 'provider', open: 'The amounts in `conversion.refunded`', choice: '`amount_reverted_from` is the converted amount in the destination currency, which the account gives back. `amount_returned_to` is the amount without the fee in the source currency, which it gets.', setting: 'reverted_currency', at: [{ in: ['conversion.refunded'], path: 'data.currency_re*' }, { in: ['conversion.refunded'], path: 'data.amount_re*' }] },
  { id: 'conversion_reversal', decision: 38, topic: 'Fixed wallets, internal transfers, conversions', unobservable: 'provider', open: 'The reversal of a conversion whose result was spent', choice: 'The reversal is rejected with 422 `INSUFFICIENT_BALANCE` and changes nothing.' },
  { id: 'exchange_rates', decision: 24, topic: 'Fixed wallets, internal transfers, conversions', open: 'Exchange rates', choice: 'A fixed table, minus a spread.', setting: 'rates', at: [{ path: 'data.rate' }, { in: ['simulate'], path: 'data.spread' }] },
  { id: 'equal_currencies', topic: 'Fixed wallets, internal transfers, conversions', open: 'A conversion between equal currencies', choice: 'The call is rejected with 422 `INVALID_CURRENCY`. The same is true for `rate` and `simulate`.', setting: 'equal_currencies', at: [{ path: 'error.code', same: ['base_currency', 'destination_currency'], fields: ['destination_currency'] }, { path: 'status', same: ['base_currency', 'destination_currency'], fields: ['destination_currency'] }] },

  { id: 'account_paths', decision: 25, topic: 'Account', open: 'The paths of profile, limits and fees', choice: '`/v2/account/profile`, `/v2/account/limits`, `/v2/account/fees`.', at: [{ in: ['profile', 'limits', 'fees'], path: 'status', kinds: ['outcome'] }] },
  { id: 'pages', decision: 25, topic: 'Account', open: 'Pages', choice: `\`page\` starts at 1. \`page_size\` is ${pageSizes.default} by default and at most ${pageSizes.max}. The response has \`items\` and \`pagination\`.`, setting: 'page_size', at: [{ path: 'data.pagination*' }, { in: ['transactionList', 'infractionList'], path: '*', codes: ['INVALID_VALUE'], fields: ['page', 'page_size'] }] },
  { id: 'filter_dates', decision: 25, topic: 'Account', tier: 'validation', open: 'Dates in filters', choice: 'YYYY-MM-DD, or ISO 8601 with an offset. `to_date` is inclusive. A date that does not exist is rejected with 422 `INVALID_VALUE`.', at: [{ in: ['transactionList'], path: 'data.items[]', kinds: ['missing', 'extra'], requestHas: 'to_date' }, { in: ['transactionList'], path: 'data.items[].transaction_id', requestHas: 'to_date', onlyAgrees: true }, { in: ['transactionList'], path: '*', codes: ['INVALID_VALUE'], fields: ['from_date', 'to_date'] }] },
  { id: 'filter_day', decision: 25, topic: 'Account', tier: 'validation', unobservable: 'midnight', open: 'The time zone of days in filters', choice: 'America/Sao_Paulo.', setting: 'filter_day' },
  { id: 'filter_values', decision: 25, topic: 'Account', tier: 'validation', open: 'Filters with an unknown value', choice: 'An unknown `type`, `status`, `source` or `currency` is rejected with 422 `INVALID_VALUE` and `details.supported`. The status `cancelled` is accepted but matches no transaction. The filter `currency` finds a conversion by its source and by its destination currency.', setting: 'unknown_filters', at: [{ in: ['transactionList', 'infractionList'], path: '*', codes: ['INVALID_VALUE'], fields: ['type', 'status', 'source', 'currency'] }] },

  { id: 'dispute_states', decision: 26, topic: 'Disputes', unobservable: 'dispute', open: 'States in which a dispute can be decided', choice: '`open` and `responded`. A decision is final.' },
  { id: 'dispute_deadline', decision: 26, topic: 'Disputes', tier: 'timing', unobservable: 'dispute', open: `A dispute without a reply within ${formatDays(disputeWindowMs)}`, choice: 'The dispute is confirmed: the money returns to the payer.', setting: 'dispute_deadline', at: [{ path: 'outcome' }] },
  { id: 'dispute_refund', decision: 26, topic: 'Disputes', unobservable: 'dispute', open: 'The event that accompanies `chargeback.confirmed` and `chargeback.lost`', choice: '`cashin.refunded`, with a new `transaction_id`. `original_transaction_id` names the charge.' },
  { id: 'second_reply', decision: 26, topic: 'Disputes', unobservable: 'dispute', open: 'A second reply, and a reply after the decision or after `deadline_at`', choice: 'The reply is rejected with 409 `INVALID_TRANSITION`.', at: [{ in: ['infractionReply'], path: '*', codes: ['INVALID_TRANSITION'] }] },
  { id: 'second_dispute', decision: 38, topic: 'Disputes', unobservable: 'dispute', open: 'A second dispute of one charge', choice: 'A second dispute can be opened if the first dispute was canceled. While the first dispute is open or responded, and after the merchant won it, a second dispute is rejected with 409 `INVALID_TRANSITION`.' },
  { id: 'refund_under_dispute', decision: 38, topic: 'Disputes', unobservable: 'dispute', open: 'A refund of a charge under an open dispute', choice: 'The refund is rejected with 409 `INVALID_TRANSITION` until the dispute is decided or canceled.' },
  { id: 'dispute_after_refund', decision: 38, topic: 'Disputes', unobservable: 'dispute', open: 'A dispute of a charge that was refunded, in full or in part', choice: 'The dispute is rejected with 409 `INVALID_TRANSITION`.' },
  { id: 'reply_files', decision: 27, topic: 'Disputes', unobservable: 'dispute', open: 'Files of a reply', choice: 'PDF, JPG or PNG, recognized by their content. The sandbox stores the name, size and SHA-256 of each file, not its content.' },
  { id: 'default_reasons', topic: 'Disputes', unobservable: 'provider', open: 'Default reasons', choice: `${assumedReasons}. The default type of a dispute is \`${disputeType}\`.`, setting: 'default_reasons', at: [{ in: ['cashin.refunded', 'cashout.refunded', 'transactionList'], path: '*reason' }, { in: ['infractionList', 'infractionDetail', 'chargeback.opened'], path: '*reason' }] },

  { id: 'attempt_changes', decision: 28, topic: 'Webhooks', open: 'What changes between attempts', choice: `Only \`${webhookHeaders.timestamp}\`, because the first timestamp would be too old at the last attempt. The id and the body stay the same.`, at: [{ path: 'attempts.body' }, { path: 'attempts.id' }, { path: 'attempts.timestamp' }] },
  { id: 'first_attempt', decision: 29, topic: 'Webhooks', tier: 'timing', open: 'The first attempt', choice: 'The first attempt starts as soon as the change is stored. It does not delay the response of the call.', at: [{ path: 'delay', onlyAgrees: true }] },
  { id: 'attempt_order', topic: 'Webhooks', unobservable: 'payer', open: 'The order of attempts', choice: 'First attempts for the same object are made one after the other. First attempts for different objects start in the order of their events and run in parallel, at most 16 to one URL. A scheduled retry does not delay other events.', at: [{ path: 'order' }] },
  { id: 'failed_attempt', decision: 29, topic: 'Webhooks', unobservable: 'recording', open: 'What counts as a failure', choice: 'Any response other than 2xx. Redirects are not followed.' },
  { id: 'webhook_rate', decision: 30, topic: 'Webhooks', tier: 'limits', unobservable: 'load', open: `Attempts above ${webhookWindow.sends} a minute`, choice: `The webhooks of one credential count together. A webhook over this rate waits ${seconds(webhookWindow.deferMs)}. The wait does not count as an attempt. Retries count towards the rate too.`, setting: 'webhook_rate_key' },
  { id: 'deduplication', decision: 42, topic: 'Webhooks', unobservable: 'receiver', open: 'What identifies a duplicate', choice: `\`${webhookHeaders.id}\`, or \`transaction_id\` together with the name of the event. \`transaction_id\` alone does not: a charge that is confirmed and then disputed has several events.` },
  { id: 'http_addresses', decision: 31, topic: 'Webhooks', open: 'http:// webhook URLs', choice: 'http:// is accepted for loopback and private addresses. Any other http:// URL is rejected with 422 `INVALID_POSTBACK_URL`.', setting: 'strict_webhooks', at: [{ path: '*', codes: ['INVALID_POSTBACK_URL'], onlyDiffers: true }, { path: '*', codes: ['INVALID_POSTBACK_URL'], fields: ['postback_url'], rule: 'must be an https', onlyAgrees: true }] },
  { id: 'resent_address', decision: 44, topic: 'Webhooks', unobservable: 'dashboard', open: 'The URL of a webhook that is sent again', choice: 'The URL that it was first sent to, also if the URL of the credential has changed since.' },
  { id: 'no_address', decision: 32, topic: 'Webhooks', unobservable: 'dashboard', open: 'An event without a webhook URL', choice: 'The event is stored with the status `failed` and the outcome `no_url`. It can be redelivered when a URL is set.' },
  { id: 'account_event_address', decision: 33, topic: 'Webhooks', unobservable: 'account', open: 'The webhook URL of events without a transaction', choice: 'The webhook URL of the credential that made the call. If no credential made the call, the URL of the first active credential of the account.' },
] as const satisfies readonly Assumption[]

export type AssumptionId = (typeof assumptions)[number]['id']
export const assumptionIds = assumptions.map(({ id }) => id)

/** Returns a row. `Assumption` has the optional fields of all rows; the types in `assumptions` have those of single rows. */
export const assumptionOf = (id: string): Assumption | undefined => assumptions.find((row) => row.id === id)
export const assumptionRows: readonly Assumption[] = assumptions
