/**
 * What the sandbox does where the documentation is silent or contradicts itself, in words for users. Facts that a table
 * already has are not repeated here.
 */

import { maxAmountDigits } from '../../base/money.js'
import { type CurrencyRow, currencies } from './currencies.js'
import type { ErrorCode } from './errors.js'
import { days, minutes, seconds } from './figures.js'
import { answerHeaders, callHeaders, webhookHeaders } from './headers.js'
import {
  cashoutSettleMs,
  cryptoAddressLifeMs,
  disputeWindowMs,
  lockoutAttempts,
  lockoutMs,
  pageSizes,
  pixChargeLifeMs,
  quoteLifeMs,
  ratePlaces,
  signatureWindowMs,
  textMaxLength,
  webhookWindow,
} from './limits.js'
import { disputeType, reasons } from './reasons.js'

const assumedReasons = Object.entries(reasons)
  .flatMap(([action, { text, basis }]) => (basis === 'assumed' ? [`\`${action}\`: "${text}"`] : []))
  .join('; ')

/** How the platform and the sandbox differ; `empty`: two of absent, null and ""; `outcome`: one of them rejects the call. */
export type DifferenceKind =
  | 'missing'
  | 'extra'
  | 'renamed'
  | 'empty'
  | 'type'
  | 'offset'
  | 'decimals'
  | 'value'
  | 'outcome'

export interface AssumedPlace {
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
  asks?: string
  /** Only a difference says something: agreement does not confirm the assumption. */
  onlyDiffers?: true
  /** Only if one side answers one of these codes. */
  codes?: readonly ErrorCode[]
}

export interface Assumption {
  /** Stands for the row in profiles and comparisons. */
  id: string
  topic: string
  /** The open question. */
  open: string
  /** The sandbox's answer. */
  choice: string
  /** The setting that changes it, as named in the configuration file. */
  setting?: string
  /** Where a recording of the platform shows it. Rows above go before rows below. */
  at?: readonly AssumedPlace[]
}

// biome-ignore format: a table, a row a line
export const readings = [
  { id: 'order_of_checks', topic: 'Requests', open: 'The order of checks', choice: 'Route and method, token, signature, content type and JSON, required fields, types with currency and chain, repetition of an `external_id`, limits, balance, provider. The first check that fails decides the error.' },
  { id: 'compressed_body', topic: 'Requests', open: 'A compressed body', choice: 'A `Content-Encoding` other than `identity` is 415 `UNSUPPORTED_CONTENT_TYPE` with `details.content_encoding`.' },
  { id: 'body_budget', topic: 'Requests', open: 'Very many large bodies at the same time', choice: `If the bodies of all calls together exceed the limit, further calls get 503 \`SERVICE_UNAVAILABLE\` with \`${answerHeaders.retryAfter}: 1\`. Files of a dispute reply are streamed and do not count.` },
  { id: 'null_fields', topic: 'Requests', open: 'Fields that are null', choice: 'A field that is null counts as missing, at any depth.' },
  { id: 'missing_values', topic: 'Requests', open: 'Missing values in answers', choice: 'They are `null` in answers and events: an `external_id` that you did not send, a payer without a document, a missing `postback_url`, the `chain` of a PIX or SPEI wallet. A field of another rail (`e2e_id`, `hash`, `tracking_key`) is not in the event at all.', setting: 'empty_fields', at: [{ path: '*', kinds: ['empty'] }] },
  { id: 'text_bounds', topic: 'Requests', open: 'Length and form of texts', choice: `A text has 1 to ${textMaxLength} characters, unless its field says otherwise; the section on endpoints and fields lists each limit. An e-mail address must be well-formed.` },
  { id: 'missing_before_wrong', topic: 'Requests', open: 'A body with missing and invalid fields', choice: 'Missing fields are reported first, at any depth: 400 `MISSING_REQUIRED_FIELD` before 422.' },
  { id: 'case_of_names', topic: 'Requests', open: 'Currency and chain names', choice: 'They are case-sensitive.' },
  { id: 'payer_document', topic: 'Requests', open: 'The documents of a payer', choice: '`payer.document`, when present, must be a valid CPF or CNPJ; the alphanumeric CNPJ is valid too.', setting: 'payer_document', at: [{ in: ['cashin'], path: 'status', asks: 'payer.document', codes: ['INVALID_VALUE'] }] },
  { id: 'request_id_header', topic: 'Requests', open: 'The request id', choice: `Every answer has it in the header \`${answerHeaders.requestId}\`; error bodies have only the documented fields.`, at: [{ path: `headers.${answerHeaders.requestId}` }] },
  { id: 'undocumented_fields', topic: 'Requests', open: 'Fields that the documentation does not show', choice: 'Those marked under Endpoints and fields below.' },

  { id: 'error_codes', topic: 'Errors', open: 'Error codes that the documentation does not list', choice: 'Those under Error codes below.' },
  { id: 'error_groups', topic: 'Errors', open: 'The values of `error.group`', choice: 'auth, signature, validation, limits, business, system.', setting: 'error_groups', at: [{ path: 'error.group' }] },
  { id: 'retryable_errors', topic: 'Errors', open: 'Which errors are retryable besides `PROVIDER_ERROR`', choice: '`SERVICE_UNAVAILABLE`, `RATE_LIMIT_EXCEEDED` and `IP_BLOCKED_TEMPORARILY`.', setting: 'retryable_errors', at: [{ path: 'error.retryable' }] },
  { id: 'below_minimum', topic: 'Errors', open: 'A positive amount below the minimum has two documented errors', choice: `409 \`BELOW_MIN_LIMIT\` with \`details.min_amount\`; 422 \`INVALID_AMOUNT\` is for invalid amounts: a string, zero, negative, too many decimals, over ${maxAmountDigits} digits. A conversion whose result is zero is also below the minimum.`, setting: 'below_minimum', at: [{ path: 'error.code', codes: ['BELOW_MIN_LIMIT', 'INVALID_AMOUNT'] }] },

  { id: 'lockout_count', topic: 'Tokens and signatures', open: 'What counts towards the lockout', choice: `Wrong client id or secret, for each client IP; a call without Basic credentials is 401 and does not count. A success resets the count. The first ${lockoutAttempts} are answered 401, the next ones 403 for ${seconds(lockoutMs)} even with the right secret. Blocked calls neither count nor lengthen the block.` },
  { id: 'token_checks', topic: 'Tokens and signatures', open: 'The order of checks at the token endpoint', choice: 'Lockout, rate limit, credentials, body.' },
  { id: 'rate_exceeded', topic: 'Tokens and signatures', open: 'A call above a rate limit', choice: `429 \`RATE_LIMIT_EXCEEDED\` with \`${answerHeaders.retryAfter}\`.`, setting: 'rate_limits', at: [{ path: `headers.${answerHeaders.retryAfter}` }] },
  { id: 'signature_checks', topic: 'Tokens and signatures', open: 'The order of signature checks', choice: `Missing headers, timestamp, nonce, signature. Exactly ${seconds(signatureWindowMs)} off is accepted.` },
  { id: 'nonce_use', topic: 'Tokens and signatures', open: 'When a nonce counts as used', choice: `When its signature was valid, even if the call then fails for another reason. It stays used for that credential until ${seconds(signatureWindowMs)} after the receipt or the timestamp, whichever is later.` },
  { id: 'signature_headers', topic: 'Tokens and signatures', open: 'Malformed signature headers', choice: 'A timestamp that is not Unix time in seconds is `INVALID_TIMESTAMP`; a nonce that is not a UUID v4, or a signature in upper case, is `INVALID_SIGNATURE`.' },
  { id: 'signing_key_source', topic: 'Tokens and signatures', open: 'Where the signing key comes from', choice: 'Each credential has its own; the sandbox prints it at start and lists it under `/_sandbox/accounts`.' },
  { id: 'clock_of_signatures', topic: 'Tokens and signatures', open: 'Signatures after the clock was moved', choice: `Expiry, deadlines, retries, rates and tokens follow the clock of the sandbox; \`${callHeaders.timestamp}\`, nonces and \`${webhookHeaders.timestamp}\` follow real time, so that a correct client keeps working after an advance. All times in bodies follow the clock of the sandbox; the header \`Date\` is real time.` },

  { id: 'decimals_of_coins', topic: 'Money', open: 'Decimals of BTC, ETH, BNB and SOL', choice: `${currencies.BTC.scale}, and ${currencies.SOL.scale} for SOL: "at most ${currencies.BRL.scale} decimals" would contradict their documented minimums.` },
  { id: 'amount_decimals', topic: 'Money', open: 'Decimals of decimal strings', choice: 'As many as the currency has: `25.50`.', setting: 'amount_decimals', at: [{ path: '*', kinds: ['decimals'] }] },
  { id: 'amount_types', topic: 'Money', open: 'Numbers or strings in answers', choice: 'JSON numbers in answers, decimal strings in webhooks.', setting: 'answer_amounts', at: [{ path: '*', kinds: ['type'], money: true }] },
  { id: 'charge_fee_payer', topic: 'Money', open: 'Who pays the fee of a charge', choice: 'The merchant: the fee is deducted from the credited amount.' },
  { id: 'withdrawal_fee_payer', topic: 'Money', open: 'Who pays the fee of a withdrawal', choice: 'The merchant: the fee is added to the amount. Both move from available to pending, and both return if the withdrawal fails.' },
  { id: 'conversion_fee', topic: 'Money', open: 'The fee of a conversion', choice: 'The fee is in the source currency and is deducted from the amount: `amount_to` is (`amount_from` − fee) × `rate`, rounded down. There is no fee by default, because the spread is part of the rate.', setting: 'fees', at: [{ in: ['conversion', 'simulate', 'conversion.confirmed'], path: 'data.fee' }] },
  { id: 'rate_digits', topic: 'Money', open: 'How exact a rate is', choice: `It has ${ratePlaces} decimals, rounded down; as a JSON number it is shown with at most ${maxAmountDigits} digits.`, setting: 'rate_decimals' },
  { id: 'quote_checks', topic: 'Money', open: 'Checks of a quote', choice: 'Those of the conversion itself, except the balance.' },
  { id: 'quote_life', topic: 'Money', open: 'How long a simulated conversion is valid', choice: `${seconds(quoteLifeMs)}.`, setting: 'quote_life', at: [{ in: ['simulate'], path: 'data.expires_at', kinds: ['value'] }] },
  { id: 'largest_amount', topic: 'Money', open: 'The largest possible amount', choice: `${maxAmountDigits} digits, counted in the smallest unit. More is 422 \`INVALID_AMOUNT\` on every route, quotes and the control API included.` },
  { id: 'refund_takes', topic: 'Money', open: 'What a refund of a charge takes', choice: 'The gross amount; the platform keeps the fee. The available balance can become negative, as it can when a dispute blocks money that is already spent.' },
  { id: 'withdrawal_refund_gives', topic: 'Money', open: 'What a refund of a withdrawal returns', choice: 'The refunded amount. The platform keeps the fee, also when a conversion is reversed.' },
  { id: 'fees', topic: 'Money', open: 'How high the fees are', choice: 'Those under Currencies, networks, fees below.', setting: 'fees', at: [{ path: '*.fee', kinds: ['value'] }, { in: ['fees'], path: 'data.fees*' }] },
  { id: 'limits', topic: 'Money', open: 'Maximum amounts and daily limits', choice: 'Those under Currencies, networks, fees below.', setting: 'limits', at: [{ in: ['limits'], path: 'data.limits*' }, { path: 'error.details.min_amount' }, { path: 'error.details.max_amount' }, { path: 'error.details.daily_limit' }, { path: 'error.details.remaining' }, { path: '*', codes: ['EXCEEDS_MAX_LIMIT', 'LIMIT_EXCEEDED', 'BELOW_MIN_LIMIT'] }] },
  { id: 'rounding', topic: 'Money', open: 'Rounding', choice: 'Percentage fees are rounded half up; shares of a split and results of conversions are rounded down.', setting: 'fee_rounding' },
  { id: 'balance_fields', topic: 'Money', open: 'What `old_balance` and `new_balance` are', choice: 'The available balance before and after.', at: [{ path: 'data.old_balance' }, { path: 'data.new_balance' }] },
  { id: 'daily_limit_start', topic: 'Money', open: 'When a daily limit begins again', choice: 'At midnight in America/Sao_Paulo.', setting: 'limit_day' },
  { id: 'daily_limit_returns', topic: 'Money', open: 'What no longer counts towards a daily limit', choice: 'The amount of a failed withdrawal and of an expired charge, on the day on which it was created. Refunds and lost disputes still count. A deposit to a fixed wallet never counts.', setting: 'daily_limit_returns' },
  { id: 'times_with_offset', topic: 'Money', open: 'Times with an offset', choice: 'Times have the offset -03:00; times that are documented as UTC end in Z.', setting: 'time_offset', at: [{ path: '*', kinds: ['offset'] }] },

  { id: 'external_id_again', topic: 'Charges', open: 'The same `external_id` again', choice: 'The same operation with the same content returns the original in its current state, with the usual HTTP status of the endpoint, even if fees, limits or splits have changed. Its `postback_url` is the one that the original uses. Anything else is 409 `DUPLICATE_EXTERNAL_ID` with `details.transaction_id`. An `external_id` is unique within an account, across charges, withdrawals, transfers and conversions.', at: [{ path: 'data.transaction_id', kinds: ['value'] }, { path: 'data.conversion_id', kinds: ['value'] }, { path: '*', codes: ['DUPLICATE_EXTERNAL_ID'] }] },
  { id: 'chain_rules', topic: 'Charges', open: 'A crypto charge without a chain, and a BRL or MXN charge with one', choice: 'Without a chain: 400 `MISSING_REQUIRED_FIELD`. BRL or MXN with a chain: 422 `UNSUPPORTED_CHAIN` with an empty `details.supported`.', setting: 'fiat_chain', at: [{ in: ['cashin'], path: '*', codes: ['UNSUPPORTED_CHAIN', 'MISSING_REQUIRED_FIELD'] }] },
  { id: 'pix_charge_life', topic: 'Charges', open: 'When a PIX charge expires', choice: `After ${seconds(pixChargeLifeMs)}.`, setting: 'pix_charge_life', at: [{ rail: 'pix', path: '*payment_info.expiration' }, { rail: 'pix', path: '*payment_info.expires_at' }, { in: ['cashin.expired'], path: 'delay' }, { rail: 'pix', path: 'expiry' }] },
  { id: 'crypto_expiry', topic: 'Charges', open: 'An unpaid crypto charge', choice: `It expires after ${minutes(cryptoAddressLifeMs)}, without an event.`, setting: 'crypto_charge_life', at: [{ rail: 'chain', path: '*payment_info.expiration' }, { rail: 'chain', path: '*payment_info.expires_at' }, { rail: 'chain', path: 'expiry' }] },
  { id: 'clabe_expiry', topic: 'Charges', open: 'An unpaid CLABE', choice: 'It does not expire.', setting: 'clabe_life', at: [{ rail: 'spei', path: 'expiry' }] },
  { id: 'payment_methods', topic: 'Charges', open: 'Values of `payment_method` besides `pix`', choice: '`crypto` and `spei`.', setting: 'payment_methods', at: [{ rail: 'spei', path: '*payment_method' }, { rail: 'chain', path: '*payment_method' }] },
  { id: 'split_items', topic: 'Charges', open: 'An item of `split`', choice: '`{username, percentage}` or `{username, amount}`, paid from the net amount when the charge is confirmed.' },
  { id: 'split_recipients', topic: 'Charges', open: 'What the recipients of a split see', choice: 'Only their balance: they get no event and no transaction in their list. If the payer paid too little, the items are paid in order until the money is used up.' },
  { id: 'other_amount_paid', topic: 'Charges', open: 'A payment of another amount', choice: 'A PIX charge is paid exactly. Crypto and SPEI charges are confirmed with the received amount, from which the fee is calculated.' },
  { id: 'network_labels', topic: 'Charges', open: 'Labels of networks besides `PIX` and `TRC20`', choice: 'Those under Currencies, networks, fees below.', setting: 'network_labels', at: [{ path: '*.network', kinds: ['value'] }] },
  { id: 'confirmations', topic: 'Charges', open: 'Confirmations', choice: '`min_confirmations` of a chain is the figure in the table of networks, and 0 for PIX and SPEI.', setting: 'min_confirmations', at: [{ path: '*min_confirmations' }] },

  { id: 'withdrawal_answer', topic: 'Withdrawals', open: 'The answer and its status', choice: '202 with the pending transaction.', setting: 'withdrawal_status', at: [{ in: ['cashout', 'pixPayment'], path: 'status', kinds: ['value'] }, { in: ['cashout', 'pixPayment'], path: 'data.status' }] },
  { id: 'cashout_settle', topic: 'Withdrawals', open: 'When the result comes', choice: `After ${seconds(cashoutSettleMs)}, unless a scenario says otherwise.`, setting: 'cashout_settle', at: [{ in: ['cashout.confirmed'], path: 'delay' }] },
  { id: 'wrong_destination', topic: 'Withdrawals', open: 'A destination with a wrong checksum or format', choice: 'It is accepted and fails later with `cashout.failed`: `INVALID_ADDRESS` for addresses and CLABEs, `PIX_KEY_NOT_FOUND` for a PIX key that does not match its type.', setting: 'wrong_destination', at: [{ in: ['cashout', 'pixPayment'], path: 'status', codes: ['INVALID_VALUE'] }] },
  { id: 'key_type_omitted', topic: 'Withdrawals', open: 'A missing `key_type`', choice: 'It is inferred from the key.', at: [{ path: '*key_type', kinds: ['value'] }] },
  { id: 'key_type_ignored', topic: 'Withdrawals', open: '`key_type` outside PIX', choice: 'It is ignored, whatever its value; `key_type` is `null` in the answer and in the events.' },
  { id: 'bank_code_mismatch', topic: 'Withdrawals', open: 'A `bank_code` that contradicts the CLABE', choice: 'It is accepted and fails later with `cashout.failed` (`INVALID_ADDRESS`). A code that belongs to no known bank is not compared; outside SPEI `bank_code` is ignored.', setting: 'bank_code_mismatch' },
  { id: 'off_curve_address', topic: 'Withdrawals', open: 'A Solana address that is not on the curve', choice: 'It is accepted, because programs and token accounts have such addresses. Every address that the sandbox generates is a point on ed25519.' },
  { id: 'network_omitted', topic: 'Withdrawals', open: 'A missing `network`', choice: 'It is required if the currency has several networks.' },
  { id: 'legacy_body', topic: 'Withdrawals', open: 'The body of the legacy endpoint', choice: '`{amount, external_id, description, creditParty: {name, keyType, key, taxId}}`; in all other respects it is a PIX withdrawal.' },

  { id: 'second_wallet', topic: 'Wallets, transfers, conversions', open: 'A second wallet of the same currency', choice: 'Each call creates a new one.', setting: 'second_wallet', at: [{ in: ['wallet'], path: 'data.wallet_id', kinds: ['value'], onlyDiffers: true }, { in: ['wallet'], path: 'data.address', kinds: ['value'], onlyDiffers: true }, { in: ['wallet'], path: 'data.created_at', kinds: ['value'], onlyDiffers: true }] },
  { id: 'wallet_event_id', topic: 'Wallets, transfers, conversions', open: '`transaction_id` in the envelope of `wallet.created`', choice: 'The wallet id as text.', at: [{ in: ['wallet.created'], path: 'transaction_id' }] },
  { id: 'transfer_direction', topic: 'Wallets, transfers, conversions', open: '`direction` for the sender of a transfer', choice: '`sent`. Each side gets its own event with its own transaction id.', setting: 'sent_direction', at: [{ in: ['transfer.confirmed'], path: 'data.direction' }, { in: ['transactionList'], path: 'data.items[].direction', kinds: ['value'] }] },
  { id: 'transfer_fee', topic: 'Wallets, transfers, conversions', open: 'The fee of a transfer', choice: 'There is none by default. If you configure a fee for the account, it is added to the amount and shown as `fee` of the sender in the transaction list. Neither the answer nor `transfer.confirmed` has a field for it; `old_balance` and `new_balance` include it.', setting: 'fees' },
  { id: 'conversion_reversal', topic: 'Wallets, transfers, conversions', open: 'The reversal of a conversion whose result was spent', choice: 'It is rejected with 422 `INSUFFICIENT_BALANCE`; nothing changes.' },
  { id: 'exchange_rates', topic: 'Wallets, transfers, conversions', open: 'Exchange rates', choice: 'A fixed table, minus a spread.', setting: 'rates', at: [{ path: 'data.rate' }, { in: ['simulate'], path: 'data.spread' }] },
  { id: 'equal_currencies', topic: 'Wallets, transfers, conversions', open: 'A conversion between equal currencies', choice: '422 `INVALID_CURRENCY`, also for `rate` and `simulate`.', setting: 'equal_currencies', at: [{ in: ['conversion', 'rate', 'simulate'], path: '*', codes: ['INVALID_CURRENCY', 'INVALID_VALUE'] }] },

  { id: 'account_paths', topic: 'Account', open: 'The paths of profile, limits and fees', choice: '`/v2/account/profile`, `/v2/account/limits`, `/v2/account/fees`.', at: [{ in: ['profile', 'limits', 'fees'], path: 'status', kinds: ['outcome'] }] },
  { id: 'pages', topic: 'Account', open: 'Pages', choice: `\`page\` starts at 1, \`page_size\` is ${pageSizes.default} and at most ${pageSizes.max}; the answer is \`{items, pagination}\`.`, setting: 'page_size', at: [{ path: 'data.pagination*' }] },
  { id: 'filter_dates', topic: 'Account', open: 'Dates in filters', choice: 'YYYY-MM-DD, or ISO 8601 with an offset; `to_date` is inclusive. Days are in the time zone America/Sao_Paulo. A date that does not exist is 422 `INVALID_VALUE`.', setting: 'filter_day' },
  { id: 'filter_values', topic: 'Account', open: 'Filters with an unknown value', choice: 'An unknown `type`, `status`, `source` or `currency` is 422 `INVALID_VALUE` with `details.supported`. `cancelled` is accepted but matches nothing. A conversion is found under either of its currencies.', setting: 'unknown_filters', at: [{ in: ['transactionList', 'infractionList'], path: '*', codes: ['INVALID_VALUE'] }] },

  { id: 'dispute_states', topic: 'Disputes', open: 'From which states a dispute can be decided', choice: 'From open and from responded; a decision is final.' },
  { id: 'dispute_deadline', topic: 'Disputes', open: `A dispute without a reply within ${days(disputeWindowMs)}`, choice: 'It is confirmed: the money returns to the payer.', setting: 'dispute_deadline', at: [{ path: 'outcome' }] },
  { id: 'dispute_refund', topic: 'Disputes', open: 'The event that accompanies `chargeback.confirmed` and `chargeback.lost`', choice: '`cashin.refunded`, with a `transaction_id` of its own and `original_transaction_id` for the charge.' },
  { id: 'second_reply', topic: 'Disputes', open: 'A second reply, or one after the decision or after `deadline_at`', choice: '409 `INVALID_TRANSITION`.', at: [{ in: ['infractionReply'], path: '*', codes: ['INVALID_TRANSITION'] }] },
  { id: 'second_dispute', topic: 'Disputes', open: 'A second dispute of one charge', choice: 'It can be opened after a canceled one. While the first is open or responded, and after it was won, a second is 409 `INVALID_TRANSITION`.' },
  { id: 'refund_under_dispute', topic: 'Disputes', open: 'A refund of a charge under an open dispute', choice: '409 `INVALID_TRANSITION` until the dispute is decided or canceled.' },
  { id: 'dispute_after_refund', topic: 'Disputes', open: 'A dispute of a charge that was refunded, in full or in part', choice: '409 `INVALID_TRANSITION`.' },
  { id: 'reply_files', topic: 'Disputes', open: 'Files of a reply', choice: 'PDF, JPG or PNG, recognised by their content. The sandbox stores name, size and SHA-256, not the content.' },
  { id: 'default_reasons', topic: 'Disputes', open: 'Default reasons', choice: `${assumedReasons}. The default type of a dispute is \`${disputeType}\`.`, setting: 'default_reasons', at: [{ in: ['cashin.refunded', 'transactionList'], path: '*reason' }] },

  { id: 'attempt_changes', topic: 'Webhooks', open: 'What changes between attempts', choice: `Only \`${webhookHeaders.timestamp}\`: id and body stay the same, since the old timestamp would be stale before the last attempt.`, at: [{ path: 'attempts.body' }, { path: 'attempts.id' }] },
  { id: 'first_attempt', topic: 'Webhooks', open: 'The first attempt', choice: 'It starts as soon as the change is stored, and does not delay the answer.' },
  { id: 'attempt_order', topic: 'Webhooks', open: 'The order of attempts', choice: 'First attempts for the same object are made one after the other. Those for different objects start in the order of their events and run in parallel, at most 16 to one URL. A scheduled retry does not delay other events.', at: [{ path: 'order' }] },
  { id: 'failed_attempt', topic: 'Webhooks', open: 'What counts as a failure', choice: 'Any answer but 2xx; redirects are not followed.' },
  { id: 'webhook_rate', topic: 'Webhooks', open: `Attempts above ${webhookWindow.sends} a minute`, choice: `They wait ${seconds(webhookWindow.deferMs)} without using up an attempt; retries count too.` },
  { id: 'http_addresses', topic: 'Webhooks', open: 'http:// webhook URLs', choice: 'Allowed for loopback and private addresses; others are 422 `INVALID_POSTBACK_URL`.', setting: 'strict_webhooks', at: [{ path: '*', codes: ['INVALID_POSTBACK_URL'] }] },
  { id: 'no_address', topic: 'Webhooks', open: 'No webhook URL at all', choice: 'The event is stored, listed as failed with the outcome `no_url`, and can be redelivered once there is a URL.' },
  { id: 'account_event_address', topic: 'Webhooks', open: 'The webhook URL of events without a transaction', choice: 'That of the credential that made the call; otherwise that of the first active credential of the account.' },
] as const satisfies readonly Assumption[]

export type AssumptionId = (typeof readings)[number]['id']
export const assumptionIds = readings.map(({ id }) => id)

/** A row without the literal types of each. */
export const assumptionOf = (id: string): Assumption | undefined => readings.find((row) => row.id === id)
export const assumptionRows: readonly Assumption[] = readings
