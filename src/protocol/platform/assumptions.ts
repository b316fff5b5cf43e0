/** How the sandbox behaves where the documentation is silent or says two things, in words for users. What tables hold already is not repeated here. */

import { maxAmountDigits } from '../../base/money.js'
import { currencies } from './currencies.js'
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
  ratePlaces,
  signatureWindowMs,
  textMaxLength,
  webhookWindow,
} from './limits.js'
import { disputeType, reasons } from './reasons.js'

const assumedReasons = Object.entries(reasons)
  .flatMap(([action, { text, basis }]) => (basis === 'assumed' ? [`\`${action}\`: "${text}"`] : []))
  .join('; ')

interface Reading {
  topic: string
  /** What is left open. */
  open: string
  /** What the sandbox does. */
  choice: string
  /** The setting that changes it: its name in the configuration file. */
  setting?: string
}

// biome-ignore format: a table, a row a line
export const readings = [
  { topic: 'Requests', open: 'The order of checks', choice: 'Route and method, token, signature, content type and JSON, required fields, types with currency and chain, repetition of an `external_id`, limits, balance, provider. The first that fails is answered.' },
  { topic: 'Requests', open: 'A compressed body', choice: 'A `Content-Encoding` other than `identity` is 415 `UNSUPPORTED_CONTENT_TYPE` with `details.content_encoding`.' },
  { topic: 'Requests', open: 'Very many large bodies at one time', choice: `What is over the limit of all bodies together is 503 \`SERVICE_UNAVAILABLE\` with \`${answerHeaders.retryAfter}: 1\`; files of a dispute reply do not count, since they are measured and hashed as they pass.` },
  { topic: 'Requests', open: 'Fields that are null', choice: 'They count as absent, at any depth.' },
  { topic: 'Requests', open: 'Values that there are not', choice: 'They are `null` in answers and events: an `external_id` that was not given, a payer without a document, a `postback_url` where none is set, the `chain` of a PIX or SPEI wallet. A field that only some rails have (`e2e_id`, `hash`, `tracking_key`) is absent in the events of the others.' },
  { topic: 'Requests', open: 'How long a text may be, and what it may look like', choice: `Texts are not empty and at most ${textMaxLength} characters, unless the field says otherwise: each bound stands beside its field, and under Endpoints and fields below. An e-mail address has to be well-formed.` },
  { topic: 'Requests', open: 'A body with something missing and something wrong', choice: 'What is missing is told first, at any depth: 400 `MISSING_REQUIRED_FIELD` before 422.' },
  { topic: 'Requests', open: 'Currency and chain names', choice: 'They are case-sensitive.' },
  { topic: 'Requests', open: 'The documents of a payer', choice: '`payer.document`, when present, must be a valid CPF or CNPJ; the alphanumeric CNPJ counts too.' },
  { topic: 'Requests', open: 'The request id', choice: `Every answer carries it in the header \`${answerHeaders.requestId}\`; error bodies hold the documented fields only.` },

  { topic: 'Errors', open: 'The values of `error.group`', choice: 'auth, signature, validation, limits, business, system.' },
  { topic: 'Errors', open: 'Which errors are retryable besides `PROVIDER_ERROR`', choice: '`SERVICE_UNAVAILABLE`, `RATE_LIMIT_EXCEEDED` and `IP_BLOCKED_TEMPORARILY`.' },
  { topic: 'Errors', open: 'A positive amount below the minimum has two documented errors', choice: `409 \`BELOW_MIN_LIMIT\` with \`details.min_amount\`; 422 \`INVALID_AMOUNT\` is for amounts that are no amounts: a string, zero, negative, too many decimals, over ${maxAmountDigits} digits. A conversion that buys nothing is below the minimum too.`, setting: 'below_minimum' },

  { topic: 'Tokens and signatures', open: 'What counts towards the lockout', choice: `Wrong client id or secret, for each client IP; a call without Basic credentials is 401 and does not count. A success starts the count anew. The first ${lockoutAttempts} are answered 401, the next ones 403 for ${seconds(lockoutMs)} even with the right secret. Blocked calls neither count nor lengthen the block.` },
  { topic: 'Tokens and signatures', open: 'The order of checks at the token endpoint', choice: 'Block, rate, credentials, then the body.' },
  { topic: 'Tokens and signatures', open: 'A call above a rate', choice: `429 \`RATE_LIMIT_EXCEEDED\` with \`${answerHeaders.retryAfter}\`.`, setting: 'rate_limits' },
  { topic: 'Tokens and signatures', open: 'The order of signature checks', choice: `Missing headers, timestamp, nonce, signature. Exactly ${seconds(signatureWindowMs)} off is accepted.` },
  { topic: 'Tokens and signatures', open: 'When a nonce counts as used', choice: `Once its signature has verified, for each credential, until ${seconds(signatureWindowMs)} after the later of receipt and timestamp; also when the call then fails for another reason.` },
  { topic: 'Tokens and signatures', open: 'Malformed signature headers', choice: 'A timestamp that is not Unix time in seconds is `INVALID_TIMESTAMP`; a nonce that is no UUID v4, or a signature in upper case, is `INVALID_SIGNATURE`.' },
  { topic: 'Tokens and signatures', open: 'Where the signing key comes from', choice: 'Each credential has its own; the sandbox prints it at start and lists it under `/_sandbox/accounts`.' },
  { topic: 'Tokens and signatures', open: 'Signatures after the clock was moved', choice: `Expiry, deadlines, retries, rates and tokens follow the clock of the sandbox; \`${callHeaders.timestamp}\`, nonces and \`${webhookHeaders.timestamp}\` follow real time, so that a correct client keeps working after a jump. Every time in a body is that of the sandbox; the header \`Date\` is real time.` },

  { topic: 'Money', open: 'Decimals of BTC, ETH, BNB and SOL', choice: `${currencies.BTC.scale}, and ${currencies.SOL.scale} for SOL: "at most ${currencies.BRL.scale} decimals" would contradict their documented minimums.` },
  { topic: 'Money', open: 'Numbers or strings in answers', choice: 'JSON numbers in answers, decimal strings in webhooks.' },
  { topic: 'Money', open: 'Who pays the fee of a charge', choice: 'It comes off what is credited.' },
  { topic: 'Money', open: 'Who pays the fee of a withdrawal', choice: 'It goes on top: amount and fee move from available to pending, and both come back when it fails.' },
  { topic: 'Money', open: 'The fee of a conversion', choice: 'It is in the source currency and comes off the amount; `amount_to` is `amount_from` less the fee times the `rate` shown, rounded down. Unless an account is given a fee there is none: the spread is in the rate.' },
  { topic: 'Money', open: 'How exact a rate is', choice: `${ratePlaces} decimals, rounded down, of the exact quotient; a JSON number of more than ${maxAmountDigits} digits shows fewer.` },
  { topic: 'Money', open: 'What a quote is held against', choice: 'The same amounts and limits as the conversion itself, the balance aside.' },
  { topic: 'Money', open: 'The largest amount there can be', choice: `${maxAmountDigits} digits of the smallest unit. More is 422 \`INVALID_AMOUNT\` at every door, quotes and the control API included.` },
  { topic: 'Money', open: 'What a refund takes', choice: 'The gross amount; the fee is kept. Here, and where a dispute blocks money that has been spent, available may go below zero.' },
  { topic: 'Money', open: 'What a refunded withdrawal gives back', choice: 'The amount, or the part of it that is refunded; the fee is kept, and so is it when a conversion is reversed.' },
  { topic: 'Money', open: 'How a share is rounded', choice: 'Fees in percent half up, shares of a split down, results of conversions down.' },
  { topic: 'Money', open: 'What `old_balance` and `new_balance` are', choice: 'The available balance before and after.' },
  { topic: 'Money', open: 'When a daily limit starts anew', choice: 'At midnight in America/Sao_Paulo.' },
  { topic: 'Money', open: 'What is given back to a daily limit', choice: 'The amount of a withdrawal that fails and of a charge that expires, to the limit of the day on which it was created. A refund or a lost dispute gives nothing back. A deposit to a fixed wallet does not count.', setting: 'daily_limit_returns' },
  { topic: 'Money', open: 'Times with an offset', choice: 'They carry -03:00; those said to be UTC end in Z.' },

  { topic: 'Charges', open: 'The same `external_id` again', choice: 'Same operation and same content: the original as it now is, with the status of the endpoint, whatever has changed in fees, limits or splits since; its `postback_url` is the one in effect for the original. Anything else: 409 `DUPLICATE_EXTERNAL_ID` with `details.transaction_id`. For each account; for withdrawals, transfers and conversions too.' },
  { topic: 'Charges', open: 'A crypto charge without a chain, or BRL or MXN with one', choice: '400 `MISSING_REQUIRED_FIELD`; 422 `UNSUPPORTED_CHAIN` with an empty `details.supported`.' },
  { topic: 'Charges', open: 'When a PIX charge expires', choice: `After ${seconds(pixChargeLifeMs)}.`, setting: 'pix_charge_life' },
  { topic: 'Charges', open: 'A crypto address that nobody paid to', choice: `The charge is expired after ${minutes(cryptoAddressLifeMs)}, without an event.` },
  { topic: 'Charges', open: 'A CLABE that nobody paid to', choice: 'It does not expire.' },
  { topic: 'Charges', open: 'Values of `payment_method` besides `pix`', choice: '`crypto` and `spei`.' },
  { topic: 'Charges', open: 'An item of `split`', choice: '`{username, percentage}` or `{username, amount}`, paid from the net amount when the charge is confirmed.' },
  { topic: 'Charges', open: 'What the recipients of a split are told', choice: 'Nothing: no event goes to them, and no transaction appears in their list; their balance grows. Where less was paid than asked for, later items get what is left.' },
  { topic: 'Charges', open: 'A payment of another amount', choice: 'A PIX charge is paid exactly. Crypto and SPEI charges are confirmed with what was really received, and the fee is of that.' },
  { topic: 'Charges', open: 'Confirmations', choice: '`min_confirmations` of a chain is the figure in the table of networks, and 0 for PIX and SPEI.' },

  { topic: 'Withdrawals', open: 'The answer and its status', choice: '202 with the transaction as it is then, pending.' },
  { topic: 'Withdrawals', open: 'When the result comes', choice: `After ${seconds(cashoutSettleMs)}, unless a scenario says otherwise.`, setting: 'cashout_settle' },
  { topic: 'Withdrawals', open: 'A destination with a wrong checksum or format', choice: 'It is accepted, and fails by event: `INVALID_ADDRESS` for addresses and CLABEs, `PIX_KEY_NOT_FOUND` for a PIX key that does not fit its type.' },
  { topic: 'Withdrawals', open: '`key_type` left out', choice: 'It is inferred from the key.' },
  { topic: 'Withdrawals', open: '`key_type` outside PIX', choice: 'It is ignored, whatever its value; `key_type` is `null` in the answer and in the events.' },
  { topic: 'Withdrawals', open: 'A `bank_code` that contradicts the CLABE', choice: 'It is accepted, and fails by event with `INVALID_ADDRESS`. A code that belongs to no known bank is not compared; outside SPEI `bank_code` is ignored.' },
  { topic: 'Withdrawals', open: 'A Solana address that is not on the curve', choice: 'It is accepted, because programs and token accounts have such addresses. Every address that the sandbox generates is a point on ed25519.' },
  { topic: 'Withdrawals', open: '`network` left out', choice: 'It is required where the currency has more than one.' },
  { topic: 'Withdrawals', open: 'The body of the legacy endpoint', choice: '`{amount, external_id, description, creditParty: {name, keyType, key, taxId}}`; otherwise as a PIX withdrawal.' },

  { topic: 'Wallets, transfers, conversions', open: 'A second wallet of one currency', choice: 'A new one at each call.' },
  { topic: 'Wallets, transfers, conversions', open: 'The `transaction_id` around `wallet.created`', choice: 'The wallet id as text.' },
  { topic: 'Wallets, transfers, conversions', open: '`direction` for the sender of a transfer', choice: '`sent`. Each side gets its own event with its own transaction id.' },
  { topic: 'Wallets, transfers, conversions', open: 'The fee of a transfer', choice: 'There is none by default. The fee that an account is given is charged on top of the amount and shows as `fee` of the sender in the transaction list. Neither the answer nor `transfer.confirmed` has a field for it; `old_balance` and `new_balance` include it.' },
  { topic: 'Wallets, transfers, conversions', open: 'The reversal of a conversion whose result was spent', choice: 'It is refused with 422 `INSUFFICIENT_BALANCE`; nothing changes.' },
  { topic: 'Wallets, transfers, conversions', open: 'Exchange rates', choice: 'A fixed table, less a spread.', setting: 'rates' },
  { topic: 'Wallets, transfers, conversions', open: 'A conversion between equal currencies', choice: '422 `INVALID_CURRENCY`, in quotes too.' },

  { topic: 'Account', open: 'The paths of profile, limits and fees', choice: '`/v2/account/profile`, `/v2/account/limits`, `/v2/account/fees`.' },
  { topic: 'Account', open: 'Pages', choice: `\`page\` starts at 1, \`page_size\` is ${pageSizes.default} and at most ${pageSizes.max}; the answer is \`{items, pagination}\`.` },
  { topic: 'Account', open: 'Dates in filters', choice: 'YYYY-MM-DD, or ISO 8601 with an offset; `to_date` is inclusive. A day `YYYY-MM-DD` is one of America/Sao_Paulo. A date that does not exist is 422 `INVALID_VALUE`.' },
  { topic: 'Account', open: 'Filters that name nothing there is', choice: 'An unknown `type`, `status`, `source` or `currency` is 422 `INVALID_VALUE` with `details.supported`. `cancelled` may be asked for, and is never found. A conversion is found under either of its currencies.' },

  { topic: 'Disputes', open: 'From which states a dispute can be decided', choice: 'From open and from responded; what is decided is final.' },
  { topic: 'Disputes', open: `A dispute not answered in ${days(disputeWindowMs)}`, choice: 'It is confirmed: the money returns to the payer.', setting: 'dispute_deadline' },
  { topic: 'Disputes', open: 'What `chargeback.confirmed` and `chargeback.lost` bring along', choice: '`cashin.refunded`, with a `transaction_id` of its own and `original_transaction_id` for the charge.' },
  { topic: 'Disputes', open: 'A second reply, one after the end, or one after `deadline_at`', choice: '409 `INVALID_TRANSITION`.' },
  { topic: 'Disputes', open: 'A second dispute of one charge', choice: 'It can be opened after one that was canceled. After one that was won, and while one is open or responded, it is 409 `INVALID_TRANSITION`.' },
  { topic: 'Disputes', open: 'A refund of a charge under an open dispute', choice: '409 `INVALID_TRANSITION` until the dispute is decided or canceled.' },
  { topic: 'Disputes', open: 'A dispute of a charge that was refunded, in full or in part', choice: '409 `INVALID_TRANSITION`.' },
  { topic: 'Disputes', open: 'Files of a reply', choice: 'PDF, JPG or PNG, told by content. Name, size and SHA-256 are kept, the content is not.' },
  { topic: 'Disputes', open: 'Reasons where nobody gives one', choice: `${assumedReasons}. The kind of a dispute is \`${disputeType}\`.` },

  { topic: 'Webhooks', open: 'What changes between attempts', choice: `Only \`${webhookHeaders.timestamp}\`: id and body stay the same, since the old timestamp would be stale before the last attempt.` },
  { topic: 'Webhooks', open: 'The first attempt', choice: 'It starts as soon as the change is stored, and does not hold up the answer.' },
  { topic: 'Webhooks', open: 'The order of attempts', choice: 'Those that tell of one object go strictly one after the other. Those of different objects start in the order of their events and go side by side, 16 to one address at most. A retry that is still to come holds up nothing.' },
  { topic: 'Webhooks', open: 'What counts as a failure', choice: 'Any answer but 2xx; redirects are not followed.' },
  { topic: 'Webhooks', open: `Sends above ${webhookWindow.sends} a minute`, choice: `They wait ${seconds(webhookWindow.deferMs)} and use up no attempt; retries count as sends.` },
  { topic: 'Webhooks', open: 'http:// addresses', choice: 'Allowed to loopback and private addresses; elsewhere 422 `INVALID_POSTBACK_URL`.', setting: 'strict_webhooks' },
  { topic: 'Webhooks', open: 'No address at all', choice: 'The event is kept, listed as failed with the outcome `no_url`, and can be sent again once there is one.' },
  { topic: 'Webhooks', open: 'Where events of an account without a transaction go', choice: 'To the credential that made the call, else to the first active one of the account.' },
] as const satisfies readonly Reading[]
