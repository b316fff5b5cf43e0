/** The rules for a receiver of webhooks, one row each. Reports, documentation, the dashboard and the command line use this table. */
import {
  advisedResponseMs,
  minutes,
  webhookHeaders,
  webhookRetryDelaysMs,
  webhookTimeouts,
} from '../../../inside/platform.js'
import { keysOf } from '../../../inside/values.js'
import type { RuleRow } from '../report/rules.js'
import { inSeconds, slowBodyMs, stateWaitMs, windowSeconds } from './timing.js'

// Prerequisites of rules (`after`): if one of them failed, the rule is inconclusive.

const accepts = ['accept.signed'] as const
const effects = ['accept.signed', 'effect.applied', 'amounts.exact'] as const
/** Rules about other transactions are also tested with a state URL that does not report charges. */
const withoutCharges = ['accept.signed', 'amounts.exact'] as const
const effectsOfAll = [...effects, 'events.all'] as const
const refunds = [...effectsOfAll, 'refund.full', 'refund.original'] as const
const applies = [...refunds, 'different.event'] as const
const disputes = [...applies, 'effect.dispute'] as const
const checks = ['accept.signed', 'signature.checked'] as const
const timed = ['accept.signed', 'timestamp.old'] as const
const doubles = [...effects, 'duplicate.in-a-row'] as const

// biome-ignore format: a table, a field a line
export const receiverRules = {
  'accept.signed': {
    requirement: 'The receiver answers a correctly signed event with 2xx.',
    source: '§6.1, rule 3', severity: 'error', example: 'verify', byAnswer: true,
    check: 'Pays a charge and sends its cashin.confirmed as the platform does. If it is rejected, sends it again with common signing mistakes to find the cause.',
    fix: 'For 404, correct the path. For 401, correct the secret and the HMAC. For 5xx, read the log of the receiver.',
  },
  'accept.raw-body': {
    requirement: 'The receiver accepts a correctly signed event, however its JSON is written.',
    source: '§6.1, rule 1', severity: 'error', example: 'verify', after: accepts,
    check: 'Sends correctly signed events with unusual spacing, escapes, key order and non-ASCII characters. One body arrives in two parts, split inside a character.',
    fix: 'Read the body as bytes, compute the HMAC over those bytes, and parse the JSON afterwards. Serializing parsed JSON again changes the text.',
  },
  'signature.checked': {
    requirement: 'The receiver rejects an event whose body was changed.',
    source: '§6.1, rule 1', severity: 'error', example: 'verify', after: accepts,
    check: 'Changes one digit of the amount after signing. Sends another event with a wrong signature in the right format.',
    fix: `Compute the HMAC of every body. Answer 401 unless it equals ${webhookHeaders.signature}.`,
  },
  'signature.required': {
    requirement: 'The receiver rejects an event with a missing or empty signature.',
    source: '§6.1, rule 1', severity: 'error', example: 'verify', after: checks,
    check: `Sends one event without ${webhookHeaders.signature} and one with an empty value.`,
    fix: 'Answer 401 if the header is missing or is not 64 hexadecimal digits, before you compare.',
  },
  'signature.key': {
    requirement: 'The receiver rejects an event that is signed with another key.',
    source: '§6.1, rule 1', severity: 'error', example: 'verify', after: checks,
    check: 'Sends events signed with an unknown key, with an empty key, and with the signing_key of the API.',
    fix: 'Use webhook_secret as the only key. Do not start the receiver if it is not set.',
  },
  'signature.whole': {
    requirement: 'The receiver compares the whole signature.',
    source: '§6.1, rule 1', severity: 'error', example: 'verify', after: checks,
    check: 'Sends signatures that are wrong in the first half or the second half, that are cut off, and that have extra digits at the end.',
    fix: 'Compare all 64 digits with a constant-time comparison.',
  },
  'signature.encoding': {
    requirement: 'The receiver rejects a signature in another encoding and does not crash.',
    source: '§6.1, rule 1', severity: 'error', example: 'verify', after: checks,
    check: 'Sends the correct HMAC as base64 and with a prefix (sha256=, 0x).',
    fix: 'Accept only 64 hexadecimal digits. Check the format before decoding, because decoders throw or truncate.',
  },
  'timestamp.old': {
    requirement: `The receiver rejects an event whose timestamp is more than ${windowSeconds} seconds old.`,
    source: '§6.1, rule 2', severity: 'error', example: 'timestamp', after: accepts,
    check: `Sends a correctly signed event with an ${webhookHeaders.timestamp} that is ${windowSeconds + 1} seconds old.`,
    fix: `Compare ${webhookHeaders.timestamp}, in seconds, with the current time. Answer 401 if the difference is more than ${windowSeconds}. Synchronize the clocks of both machines.`,
  },
  'timestamp.ahead': {
    requirement: `The receiver rejects an event whose timestamp is more than ${windowSeconds} seconds in the future.`,
    source: '§6.1, rule 2', severity: 'error', example: 'timestamp', after: timed,
    check: `Sends a correctly signed event with an ${webhookHeaders.timestamp} that is ${windowSeconds + 1} seconds in the future.`,
    fix: 'Compare the absolute difference, so that future timestamps are rejected too.',
  },
  'timestamp.number': {
    requirement: 'The receiver rejects an event whose timestamp is missing or is not a number.',
    source: '§6.1, rule 2', severity: 'error', example: 'timestamp', after: timed,
    check: `Sends correctly signed events without ${webhookHeaders.timestamp}, with an empty value, with text, and with letters after the digits.`,
    fix: 'Answer 401 if the value is not all digits. A comparison with NaN is always false and lets the event through; parseInt and similar functions ignore letters after the digits.',
  },
  'timestamp.tolerance': {
    requirement: `The receiver accepts an event whose timestamp differs by less than ${windowSeconds} seconds.`,
    source: '§6.1, rule 2', severity: 'error', example: 'timestamp', after: accepts,
    check: `Sends correctly signed events with timestamps ${windowSeconds - 1} seconds in the past and in the future.`,
    fix: `Allow ${windowSeconds} seconds in both directions, because clocks differ and networks are slow.`,
  },
  'refuse.status': {
    requirement: 'The receiver answers rejected events with 401.',
    source: '§6.1, rule 1', severity: 'error', example: 'verify', after: checks,
    check: 'Reads the status of every rejected event.',
    fix: 'Answer 401 to every wrong signature and every wrong timestamp.',
  },
  'refuse.no-trace': {
    requirement: 'A rejected event changes nothing and does not block the real event.',
    source: '§6.1, rule 1', severity: 'error', example: 'dedupe', after: [...checks, ...effects],
    check: `Sends a forged copy of an event, and then the event. Reads the state of the rejected events. Then sends an expiry whose ${webhookHeaders.event} header, which is not signed, names cashin.confirmed.`,
    fix: 'Verify the signature first. Store the id and process the event only after the signature is valid.',
  },
  'answer.in-time': {
    requirement: `The receiver answers every event within ${inSeconds(webhookTimeouts.totalMs)}.`,
    source: '§6.3', severity: 'error', example: 'answer', after: accepts,
    check: 'Measures the response time of every event.',
    fix: 'Store the event, answer, and process the event afterwards.',
  },
  'answer.soon': {
    requirement: `The receiver answers every event within ${inSeconds(advisedResponseMs)}.`,
    source: '§6.1, rule 3', severity: 'warning', example: 'answer', after: accepts,
    check: 'Measures the response time of every event, including 20 at once. Single slow answers do not count, because a busy machine causes them, too.',
    fix: 'Store the event, answer, and process the event afterwards.',
  },
  'answer.first': {
    requirement: 'The receiver accepts every kind of event at the first attempt.',
    source: '§6.1, rule 3', severity: 'error', example: 'answer', after: accepts,
    check: 'Fails if a kind has three events or more, and every first attempt got an error other than 503 and 429.',
    fix: 'Answer 2xx after you have stored the event, before what may fail afterwards, such as an e-mail. Read the log of the receiver for the error.',
  },
  'answer.many': {
    requirement: 'The receiver accepts 20 events at once.',
    source: '§6.1, rule 3', severity: 'error', example: 'answer', after: accepts, alone: true,
    check: 'Sends 20 different events at the same moment on separate connections. After 503 or 429, the repetition must be accepted.',
    fix: 'Let the server handle requests concurrently, and keep each request short.',
  },
  'answer.beside-slow': {
    requirement: 'A slow request does not delay other requests.',
    source: '§6.1, rule 3', severity: 'warning', example: 'answer', after: accepts, alone: true,
    check: `Sends the body of one event slowly (${inSeconds(slowBodyMs)} of real time, or twice the usual response time), and another event meanwhile.`,
    fix: 'Use a server that handles requests concurrently (in Python: ThreadingHTTPServer, or a WSGI server with several workers).',
  },
  'events.all': {
    requirement: 'The receiver accepts every event.',
    source: '§6.4', severity: 'error', example: 'tolerate', after: accepts,
    check: 'Runs transactions in the sandbox that produce each event at least once.',
    fix: 'Answer 2xx to every event of the platform API, including events that you do not use.',
  },
  'events.rails': {
    requirement: 'The receiver accepts events of every rail, with and without optional fields.',
    source: '§6.5', severity: 'error', example: 'tolerate', after: [...accepts, 'events.all'],
    check: 'Sends events of charges, deposits and withdrawals in PIX, SPEI and crypto, without external_id, payer and other optional fields.',
    fix: 'Allow null or a missing field unless the platform API guarantees the field for that rail. For example, only PIX has e2e_id, and external_id is null if you sent none.',
  },
  'events.unknown': {
    requirement: 'The receiver accepts and ignores an unknown event name.',
    source: '§9', severity: 'error', example: 'tolerate', after: accepts,
    check: 'Sends a correctly signed event with a name that is not in the platform API, and pays a charge after it.',
    fix: 'Answer 2xx to unknown events. After an error the platform sends them again.',
  },
  'events.more-fields': {
    requirement: 'The receiver ignores unknown fields.',
    source: '§6.2', severity: 'error', example: 'tolerate', after: accepts,
    check: 'Sends a correctly signed event with additional fields in the envelope and in data.',
    fix: 'Read the fields that you need and ignore all other fields.',
  },
  'effect.applied': {
    requirement: 'The receiver applies every event that it accepts.',
    source: '§6.1, rule 3', severity: 'error', example: 'durable', after: accepts,
    check: `Pays a charge and reads the state URL until it reports a credit, for at most ${inSeconds(stateWaitMs)}.`,
    fix: 'Process the event, or store it durably, before you answer 2xx. The platform does not send accepted events again.',
  },
  'effect.rails': {
    requirement: 'The receiver credits charges in every currency, with all decimals.',
    source: '§6.5', severity: 'error', example: 'amounts', needs: 'stateUrl', after: [...effects, 'events.rails'],
    check: 'Pays charges over SPEI and in each cryptocurrency, and reads the state.',
    fix: 'Credit cashin.confirmed in every currency that you accept, and keep all decimals: BTC has 8, SOL has 9.',
  },
  'effect.unnamed': {
    requirement: 'The receiver credits charges without an external_id.',
    source: '§6.5', severity: 'error', example: 'dedupe', needs: 'stateUrl', after: [...effects, 'events.rails'],
    check: 'Pays a charge without external_id, and reads the state.',
    fix: 'Use transaction_id as the key. external_id is null if you sent none.',
  },
  'effect.deposit': {
    requirement: 'The receiver credits deposits to fixed wallets.',
    source: '§6.4', severity: 'error', example: 'durable', needs: 'stateUrl', after: [...effects, 'effect.rails', 'effect.unnamed'],
    check: 'Deposits money over PIX, over SPEI and in crypto to fixed wallets, and reads the state.',
    fix: 'Handle cashin.confirmed with source static: the deposit has a new transaction_id, and no charge of yours.',
  },
  'effect.withdrawal': {
    requirement: 'The receiver credits failed and refunded withdrawals back, and no others.',
    source: '§6.4', severity: 'error', example: 'withdrawal', needs: 'stateUrl', after: withoutCharges,
    check: 'Confirms a withdrawal, fails one, and refunds one in full and one in part. Refunds two more, whose confirmation arrives last. Reads the state. Skipped if the state URL reports none.',
    fix: 'At cashout.failed, give refunded_amount back to the customer, and at cashout.refunded amount_refunded. original_transaction_id names the withdrawal of a refund.',
  },
  'effect.transfer': {
    requirement: 'The receiver credits received transfers.',
    source: '§6.4', severity: 'error', example: 'durable', needs: 'stateUrl', after: withoutCharges,
    check: 'Transfers money to the account and from it, and reads the state. Skipped if the state URL reports none.',
    fix: 'At transfer.confirmed with direction received, credit the amount. With direction sent, credit nothing.',
  },
  'effect.conversion': {
    requirement: 'The receiver books conversions in the destination currency, and their refunds.',
    source: '§6.4', severity: 'error', example: 'amounts', needs: 'stateUrl', after: withoutCharges,
    check: 'Converts BRL to USDT, and refunds a conversion. Skipped if the state URL reports none.',
    fix: 'At conversion.confirmed, credit amount_to in currency_to. At conversion.refunded, take it back; original_conversion_id names the conversion.',
  },
  'refund.full': {
    requirement: 'A refund takes the credit of its charge back.',
    source: '§6.4', severity: 'error', example: 'order', needs: 'stateUrl', after: effectsOfAll,
    check: 'Pays and refunds charges, and reads the state.',
    fix: 'At cashin.refunded, take amount_refunded back from the charge that original_transaction_id names.',
  },
  'refund.original': {
    requirement: 'The receiver finds the charge of a refund by original_transaction_id.',
    source: '§6.5', severity: 'error', example: 'order', needs: 'stateUrl', after: [...effectsOfAll, 'refund.full'],
    check: 'Refunds a charge. The refund has its own transaction_id, and original_transaction_id names the charge.',
    fix: 'Look up the charge by original_transaction_id. The transaction_id of cashin.refunded is that of the refund.',
  },
  'refund.partial': {
    requirement: 'A partial refund takes only its part back.',
    source: '§6.5', severity: 'error', example: 'amounts', needs: 'stateUrl', after: refunds,
    check: 'Refunds 10.00 of a charge of 25.50, and parts that floats cannot subtract (5.11 of 19.99, 10.20 of 25.55), and reads the state.',
    fix: 'Take amount_refunded back. amount is the amount of the charge.',
  },
  'refund.once': {
    requirement: 'A refund that arrives several times takes the money back once.',
    source: '§6.1, rule 4', severity: 'error', example: 'dedupe', needs: 'stateUrl', after: [...refunds, 'refund.partial', 'duplicate.in-a-row', 'duplicate.answered'],
    check: 'Refunds a part of a charge, and sends the event three times.',
    fix: `Deduplicate refunds as well, by ${webhookHeaders.id}.`,
  },
  'effect.dispute': {
    requirement: 'The receiver blocks the money of an open dispute.',
    source: '§3', severity: 'error', example: 'order', needs: 'stateUrl', after: [...applies, 'different.kind'],
    check: 'Opens a dispute of a paid charge, and reads the state.',
    fix: 'At chargeback.opened, block the amount of the event; transaction_id names the charge.',
  },
  'dispute.responded': {
    requirement: 'A reply to a dispute releases nothing.',
    source: '§3', severity: 'error', example: 'order', needs: 'stateUrl', after: disputes,
    check: 'Opens a dispute and replies to it, and reads the state.',
    fix: 'Leave the money blocked at chargeback.responded: the dispute is not decided yet.',
  },
  'dispute.won': {
    requirement: 'A won dispute releases the money.',
    source: '§3', severity: 'error', example: 'order', needs: 'stateUrl', after: disputes,
    check: 'Opens and wins a dispute, and reads the state.',
    fix: `At chargeback.won, release the amount that chargeback.opened blocked. Deduplicate by ${webhookHeaders.id}: all events of a dispute have the same infraction_id.`,
  },
  'dispute.canceled': {
    requirement: 'A canceled dispute releases the money.',
    source: '§3', severity: 'error', example: 'order', needs: 'stateUrl', after: disputes,
    check: 'Opens and cancels a dispute, and reads the state.',
    fix: `At chargeback.canceled, release the amount that chargeback.opened blocked. Deduplicate by ${webhookHeaders.id}: all events of a dispute have the same infraction_id.`,
  },
  'dispute.lost': {
    requirement: 'A lost dispute takes the money back once.',
    source: '§3', severity: 'error', example: 'order', needs: 'stateUrl', after: disputes,
    check: 'Opens and loses a dispute, and reads the state after chargeback.lost and again after cashin.refunded.',
    fix: 'Release nothing at chargeback.lost. Take the money back once: chargeback.lost and cashin.refunded are about the same amount.',
  },
  'dispute.partial': {
    requirement: 'A dispute of a part blocks only that part.',
    source: '§6.5', severity: 'error', example: 'order', needs: 'stateUrl', after: [...disputes, 'dispute.lost', 'refund.partial'],
    check: 'Opens a dispute of 10.00 of a charge of 25.50, loses it, and reads the state after each.',
    fix: 'At chargeback.opened, block the amount of the event, not the amount of the charge.',
  },
  'dispute.confirmed': {
    requirement: 'A confirmed chargeback takes the money back once.',
    source: '§3', severity: 'error', example: 'order', needs: 'stateUrl', after: [...disputes, 'dispute.partial'],
    check: 'Opens a dispute of 10.00 of a charge of 25.50, confirms it, and reads the state after chargeback.confirmed and again after cashin.refunded.',
    fix: 'Release nothing at chargeback.confirmed, and end the block when you take the money back. Take it back once: chargeback.confirmed and cashin.refunded are about the same amount.',
  },
  'amounts.exact': {
    requirement: 'The receiver reads amounts exactly.',
    source: '§6.2', severity: 'error', example: 'amounts', needs: 'stateUrl', after: ['accept.signed', 'effect.applied'],
    check: 'Sends charges of 19.99, 1.15, 4.35 and other amounts that binary floating point cannot represent.',
    fix: 'Parse the decimal string into whole cents or a decimal type. Do not multiply a float by 100 and truncate it.',
  },
  'missed.late': {
    requirement: 'The receiver accepts missed events when they arrive late.',
    source: '§6.3', severity: 'error', example: 'timestamp', after: refunds,
    check: `Sends events that happened more than an hour ago and whose attempts failed, with a new ${webhookHeaders.timestamp}.`,
    fix: `Check freshness with ${webhookHeaders.timestamp}, which is new in every attempt. Do not use the times in the body.`,
  },
  'duplicate.answered': {
    requirement: 'The receiver answers a duplicate event with 2xx.',
    source: '§6.1, rule 4', severity: 'error', example: 'dedupe', after: accepts,
    check: 'Sends an event a second and a third time.',
    fix: 'Answer 200 to events that you have already processed. After any other answer the platform sends them again.',
  },
  'duplicate.in-a-row': {
    requirement: 'The receiver applies an event once when it arrives several times in a row.',
    source: '§6.1, rule 4', severity: 'error', example: 'dedupe', after: effects,
    check: 'Sends the same event three times, one after the other.',
    fix: `Store the ${webhookHeaders.id} of every event under a unique key, in the same database transaction as its effect.`,
  },
  'duplicate.at-once': {
    requirement: 'The receiver applies an event once when copies arrive at the same moment.',
    source: '§6.1, rule 4', severity: 'error', example: 'dedupe', after: doubles, alone: true,
    check: 'Sends the same event six times at once on separate connections.',
    fix: 'Use a unique key in the database, inside the transaction. A check before the write is a race, and memory is not shared between workers.',
  },
  'duplicate.kinds': {
    requirement: 'The receiver applies events of every kind once.',
    source: '§6.1, rule 4', severity: 'error', example: 'dedupe', needs: 'stateUrl',
    after: [...doubles, 'duplicate.answered', 'effect.deposit', 'effect.withdrawal', 'effect.transfer', 'effect.conversion', 'dispute.won'],
    check: 'Sends the events of deposits, disputes, withdrawals, transfers and conversions three times, and reads the state. Leaves out kinds that the state URL does not report.',
    fix: `Deduplicate every event by ${webhookHeaders.id}, also those that return money.`,
  },
  'duplicate.later': {
    requirement: 'The receiver does not apply an event again when it arrives much later.',
    source: '§6.1, rule 4', severity: 'error', example: 'dedupe', after: [...doubles, 'duplicate.at-once', 'missed.late', 'timestamp.tolerance'],
    check: `Sends an event that happened an hour ago, and sends it again, each time with a new ${webhookHeaders.timestamp}.`,
    fix: `Deduplicate by ${webhookHeaders.id} and ignore the timestamp. Keep the ids for days: the last retry alone comes ${minutes(Math.max(...webhookRetryDelaysMs))} after the one before.`,
  },
  'duplicate.memory': {
    requirement: 'The receiver still recognizes its first event at the end of the test.',
    source: '§6.1, rule 4', severity: 'error', example: 'dedupe', after: [...doubles, 'duplicate.answered', 'duplicate.later'],
    check: 'Sends the first event again at the end, and reports how many others came in between.',
    fix: `Store every ${webhookHeaders.id} in the database for days. A list of the last ids forgets an event that the platform sends again.`,
  },
  'different.event': {
    requirement: 'The receiver does not treat another event of the same transaction as a duplicate.',
    source: '§6.1, rule 4', severity: 'error', example: 'dedupe', after: refunds,
    check: 'Confirms and refunds two charges. One refund has its own transaction_id, the other has the transaction_id of the charge.',
    fix: `Deduplicate by ${webhookHeaders.id}, or by transaction and event name together.`,
  },
  'different.kind': {
    requirement: 'The receiver keeps different transactions with the same external_id apart.',
    source: '§6.1, rule 4', severity: 'error', example: 'dedupe', after: effectsOfAll,
    check: 'Sends cashin.confirmed of a charge, and cashout.failed of a withdrawal of another account with the same external_id, in both orders.',
    fix: 'Use transaction_id as the key. An external_id is unique only within one account.',
  },
  'order.refund-first': {
    requirement: 'A charge ends as refunded when the refund arrives before the confirmation.',
    source: '§3', severity: 'error', example: 'order', after: applies,
    check: 'Sends cashin.refunded before cashin.confirmed of the same charge.',
    fix: 'Let states only move forward: a refunded charge stays refunded when its confirmation arrives. Store a refund of a charge that you do not know yet.',
  },
  'order.expired-late': {
    requirement: 'A confirmed charge stays confirmed when an expiry arrives late.',
    source: '§3', severity: 'error', example: 'order', after: effectsOfAll,
    check: 'Sends cashin.expired after cashin.confirmed of the same charge.',
    fix: 'Expire only charges that are still pending.',
  },
  'order.dispute': {
    requirement: 'A dispute ends correctly when its events arrive out of order.',
    source: '§3', severity: 'error', example: 'order', after: [...disputes, 'dispute.won', 'dispute.lost', 'dispute.responded'],
    check: 'Sends chargeback.opened after chargeback.won; after cashin.refunded and chargeback.lost; after chargeback.responded; and before cashin.confirmed. Each is another dispute.',
    fix: 'Keep the result of a decided dispute: a late chargeback.opened must not block the money again. After chargeback.responded it still must: the dispute is open.',
  },
  'retry.after-failure': {
    requirement: 'After a failed attempt the receiver accepts the next one and applies the event once.',
    source: '§6.3', severity: 'error', example: 'durable', after: effects,
    check: 'Breaks the connection in the middle of an event and sends it again. Also checks up to 20 payments that the receiver accepted only after a 5xx or no answer.',
    fix: 'Store the event id and its effect in one database transaction. If the id is stored and its effect is not, the event is lost.',
  },
  'durable.restart': {
    requirement: 'Accepted events survive a crash.',
    source: '§6.1, rule 3', severity: 'error', example: 'durable', needs: 'restart', after: [...doubles, 'duplicate.at-once'], alone: true,
    check: 'Sends events while the receiver is restarted (--restart or --restart-command), and sends one again.',
    fix: 'Answer 2xx only after the event and its id are in the database. A queue in memory, and a set of ids in memory, are lost in a crash.',
  },
  'production.sandbox': {
    requirement: 'In production the receiver rejects events of a sandbox.',
    source: '§6.1, rule 6', severity: 'error', example: 'production', needs: 'productionMode', after: accepts,
    check: `With --mode production, sends all events without ${webhookHeaders.sandbox}, and one correctly signed event with it.`,
    fix: `In production, answer 401 to every request with ${webhookHeaders.sandbox}: 1.`,
  },
  'production.https': {
    requirement: 'The production URL uses https with a valid certificate and does not redirect.',
    source: '§6.1, rule 5', severity: 'error', needs: 'productionUrl',
    check: 'Sends an unsigned request to the address in --production-url. Any response but a redirect passes.',
    fix: 'Serve the URL over https with a certificate of a public authority. Register the final address, not one that redirects.',
  },
} as const satisfies Record<string, RuleRow>

export type ReceiverRule = keyof typeof receiverRules
export const receiverRuleIds = keysOf(receiverRules)
