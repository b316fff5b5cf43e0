/** The requirements of a receiver of webhooks, one row a rule: report, documentation, dashboard and command line all come from here. */
import { keysOf } from '../../base/keys.js'
import type { RuleRow } from './rules.js'

const verify =
  '§6.1, rule 1: "Recompute the HMAC over the raw body and compare it in constant time with X-Webhook-Signature. On mismatch, reject with HTTP 401."'
const window =
  '§6.1, rule 2: "Reject when X-Webhook-Timestamp differs from the current time by more than 300 seconds (HTTP 401)."'
const answer = '§6.1, rule 3: "Answer HTTP 200, ideally in under 2 seconds. Heavy work must be asynchronous."'
const dedupe = '§6.1, rule 4: "Deduplicate by transaction_id or X-Webhook-Id, because duplicate delivery can occur."'
const retry =
  '§6.3: "When the endpoint does not answer 2xx (timeout, 5xx, DNS failure), delivery is retried with backoff."'
const timeouts = '§6.3: "Timeouts: 10 s total and 5 s connect."'
const events = '§6.4: the list of events'
const envelope = '§6.2: "In payloads, amounts and balances are decimal strings."'
const cycle = '§3: states and transitions'

const accepts = ['accept.signed'] as const
const checks = ['accept.signed', 'signature.checked'] as const
const timed = ['accept.signed', 'timestamp.old'] as const
const effects = ['accept.signed', 'effect.applied', 'amounts.exact'] as const
const told = [...effects, 'events.all'] as const
const doubles = [...effects, 'duplicate.in-a-row'] as const

// biome-ignore format: a table, a field a line
export const receiverRules = {
  'accept.signed': {
    requirement: 'A correctly signed event is answered with 2xx.',
    source: answer, severity: 'error', example: 'verify', byAnswer: true,
    check: 'A charge is paid, and its cashin.confirmed is sent as the platform sends it. Where it is refused, it is sent again in the ways that receivers are known to mistake.',
    fix: 'Do what the table of observed answers says: for 404 correct the path, for 401 the secret and the HMAC, for 5xx read the log of the receiver.',
  },
  'accept.raw-body': {
    requirement: 'The signature is checked over the bytes of the body as they came.',
    source: verify, severity: 'error', example: 'verify', after: accepts,
    check: 'The same kind of event, correctly signed, with unusual spacing, escapes, another order of keys, and letters and emoji beyond ASCII that arrive cut in two.',
    fix: 'Read the body as bytes, compute the HMAC over those bytes, and parse JSON only afterwards. JSON that was parsed and written again is another text.',
  },
  'signature.checked': {
    requirement: 'A body that was changed is refused.',
    source: verify, severity: 'error', example: 'verify', after: accepts,
    check: 'A signed event in which one digit of the amount was changed afterwards, and one with another signature of the right form.',
    fix: 'Compute the HMAC of every body yourself and answer 401 unless X-Webhook-Signature equals it.',
  },
  'signature.required': {
    requirement: 'An event without a signature, or with an empty one, is refused.',
    source: verify, severity: 'error', example: 'verify', after: checks,
    check: 'An event without X-Webhook-Signature, and one where it is empty.',
    fix: 'Refuse before comparing when the header is missing or is not 64 hexadecimal digits.',
  },
  'signature.key': {
    requirement: 'An event that was signed with another key is refused.',
    source: verify, severity: 'error', example: 'verify', after: checks,
    check: 'Events signed with a foreign key, with an empty key, and with the signing_key of the API.',
    fix: 'Take the key from webhook_secret alone, and do not start where it is not set.',
  },
  'signature.whole': {
    requirement: 'The whole signature counts, not a part of it.',
    source: verify, severity: 'error', example: 'verify', after: checks,
    check: 'Signatures of the right length that begin or end rightly, one that was cut off, and one with something behind it.',
    fix: 'Compare all 64 digits, with a comparison that takes the same time wherever they differ.',
  },
  'signature.encoding': {
    requirement: 'A signature in another encoding is refused, and nothing breaks over it.',
    source: verify, severity: 'error', example: 'verify', after: checks,
    check: 'The right HMAC as base64, and behind a prefix (sha256=, 0x).',
    fix: 'Accept 64 hexadecimal digits and nothing else; check the form before decoding, since decoders throw or cut off.',
  },
  'timestamp.old': {
    requirement: 'An event whose timestamp is more than 300 seconds old is refused.',
    source: window, severity: 'error', example: 'timestamp', after: accepts,
    check: 'A correctly signed event with an X-Webhook-Timestamp of 301 seconds ago.',
    fix: 'Compare X-Webhook-Timestamp, in seconds, with the present time, and answer 401 beyond 300. Both clocks must be right.',
  },
  'timestamp.ahead': {
    requirement: 'An event whose timestamp lies more than 300 seconds ahead is refused.',
    source: window, severity: 'error', example: 'timestamp', after: timed,
    check: 'A correctly signed event with an X-Webhook-Timestamp 301 seconds ahead.',
    fix: 'Compare the absolute difference: a time in the future is as wrong as one in the past.',
  },
  'timestamp.number': {
    requirement: 'An event whose timestamp is missing or is no number is refused.',
    source: window, severity: 'error', example: 'timestamp', after: timed,
    check: 'Correctly signed events without X-Webhook-Timestamp, with an empty one, and with words in it.',
    fix: 'Refuse what is not digits before calculating: a comparison with NaN is never true, so it lets everything through.',
  },
  'timestamp.tolerance': {
    requirement: 'An event whose timestamp is off by less than 300 seconds is accepted.',
    source: window, severity: 'error', example: 'timestamp', after: accepts,
    check: 'Correctly signed events 299 seconds old and 299 seconds ahead.',
    fix: 'Allow the documented 300 seconds either way: clocks differ, and so does the network.',
  },
  'refuse.status': {
    requirement: 'What is refused is answered with 401.',
    source: verify, severity: 'error', example: 'verify', after: checks,
    check: 'The answers to everything that was refused are looked at.',
    fix: 'Answer 401 to a wrong signature or timestamp, whatever is wrong with it.',
  },
  'refuse.no-trace': {
    requirement: 'What was refused leaves no trace: it has no effect, and does not stand in the way of the true event.',
    source: verify, severity: 'error', example: 'dedupe', after: [...checks, ...effects],
    check: 'A forged copy is sent before the true event with the same id; then the effects of all refused events are asked for.',
    fix: 'Verify first. Remember an id, and work on an event, only once its signature has held.',
  },
  'answer.in-time': {
    requirement: 'Every event is answered within 10 seconds.',
    source: timeouts, severity: 'error', example: 'answer', after: accepts,
    check: 'The answer times of everything that was sent.',
    fix: 'Store the event, answer, and work on it afterwards.',
  },
  'answer.soon': {
    requirement: 'Every event is answered within 2 seconds.',
    source: answer, severity: 'warning', example: 'answer', after: accepts,
    check: 'The answer times of everything that was sent, twenty at once included.',
    fix: 'Store the event, answer, and work on it afterwards.',
  },
  'answer.many': {
    requirement: 'Twenty events at once are all accepted.',
    source: answer, severity: 'error', example: 'answer', after: accepts, alone: true,
    check: 'Twenty different events in the same moment, on connections of their own.',
    fix: 'Let the server take calls side by side, and keep what each one does short.',
  },
  'answer.beside-slow': {
    requirement: 'A call that arrives slowly does not hold up the others.',
    source: answer, severity: 'warning', example: 'answer', after: accepts, alone: true,
    check: 'The body of one event takes 1.5 seconds to arrive; meanwhile another event is sent. This is waited for in earnest.',
    fix: 'Use a server that takes calls side by side (in Python ThreadingHTTPServer or a WSGI server with several workers).',
  },
  'events.all': {
    requirement: 'Each of the sixteen events is accepted.',
    source: events, severity: 'error', example: 'tolerate', after: accepts,
    check: 'Real transactions are made to tell each event of the list once.',
    fix: 'Answer 2xx to every event of the list, also to those that you do nothing about.',
  },
  'events.rails': {
    requirement: 'Events are accepted on every rail, and where optional fields are absent.',
    source: '§6.5: payload fields', severity: 'error', example: 'tolerate', after: [...accepts, 'events.all'],
    check: 'Charges, deposits and withdrawals in PIX, SPEI and crypto, without external_id, payer and other optional fields.',
    fix: 'Expect null or nothing in every field that the interface does not promise for that rail: e2e_id is there for PIX alone, and external_id only where you gave one.',
  },
  'events.unknown': {
    requirement: 'An event of an unknown name is accepted and ignored.',
    source: '§9: "The webhook envelope is called V2"', severity: 'error', example: 'tolerate', after: accepts,
    check: 'A correctly signed event of a name that is not in the list.',
    fix: 'Answer 2xx to events that you do not know: an error only makes the platform send them again.',
  },
  'events.more-fields': {
    requirement: 'Unknown fields are tolerated.',
    source: '§6.2: the envelope', severity: 'error', example: 'tolerate', after: accepts,
    check: 'A correctly signed event with additional fields in the envelope and in data.',
    fix: 'Read the fields that you need and leave the others alone.',
  },
  'effect.applied': {
    requirement: 'An event that was accepted has its effect.',
    source: answer, severity: 'error', example: 'durable', after: accepts,
    check: 'A charge is paid, and the effects are asked for until they tell a credit, for at most 3 seconds.',
    fix: 'Do the work, or store it durably, before answering 2xx; nobody sends an event again that was accepted.',
  },
  'amounts.exact': {
    requirement: 'Amounts are read exactly.',
    source: envelope, severity: 'error', example: 'amounts', after: ['accept.signed', 'effect.applied'],
    check: 'Charges of 19.99, 1.15, 4.35 and other amounts that binary fractions cannot hold.',
    fix: 'Read the decimal string into whole cents or into a decimal type; never multiply a float by a hundred and cut it off.',
  },
  'missed.late': {
    requirement: 'What was missed is accepted when it comes late.',
    source: '§6.3: "After 5 failed retries delivery stops. Manual redelivery is requested through the Dashboard or support."',
    severity: 'error', example: 'timestamp', after: effects,
    check: 'Events of more than an hour ago, for whose whole ladder of attempts nobody was there, are sent again now.',
    fix: 'Judge freshness by X-Webhook-Timestamp, which is new in every attempt, and never by the times in the body.',
  },
  'duplicate.answered': {
    requirement: 'An event that comes again is answered with 2xx.',
    source: dedupe, severity: 'error', example: 'dedupe', after: accepts,
    check: 'An event is sent a second and a third time.',
    fix: 'Answer 200 to what you have already: any other answer makes the platform send it again.',
  },
  'duplicate.in-a-row': {
    requirement: 'The same event several times in a row has its effect once.',
    source: dedupe, severity: 'error', example: 'dedupe', after: effects,
    check: 'An event is sent three times, one after the other.',
    fix: 'Keep the X-Webhook-Id of every event in your database under a unique key, in the same transaction as its effect.',
  },
  'duplicate.at-once': {
    requirement: 'The same event several times at the same moment has its effect once.',
    source: dedupe, severity: 'error', example: 'dedupe', after: doubles, alone: true,
    check: 'An event is sent six times at once, on connections of their own.',
    fix: 'Looking and then writing is a race, and memory is another one in each worker: let a unique key in the database decide, inside the transaction.',
  },
  'duplicate.later': {
    requirement: 'The same event much later has no second effect.',
    source: dedupe, severity: 'error', example: 'dedupe', after: [...doubles, 'duplicate.at-once', 'missed.late', 'timestamp.tolerance'],
    check: 'An event of an hour ago is sent, and then again under another X-Webhook-Timestamp.',
    fix: 'Deduplicate by X-Webhook-Id alone, without the timestamp, and keep the ids for days: the ladder alone takes over twelve minutes.',
  },
  'different.event': {
    requirement: 'Another event of the same transaction is not taken for a duplicate.',
    source: dedupe, severity: 'error', example: 'dedupe', after: told,
    check: 'A charge is confirmed and then refunded, the refund once with a transaction_id of its own and once with that of the charge.',
    fix: 'Deduplicate by X-Webhook-Id, or by transaction and event together.',
  },
  'different.kind': {
    requirement: 'Transactions of different kinds with the same external_id are kept apart.',
    source: dedupe, severity: 'error', example: 'dedupe', after: told,
    check: 'A charge is confirmed, and a withdrawal with the same external_id fails; the same the other way round.',
    fix: 'Key transactions by transaction_id; external_id is yours, and means something only together with the kind.',
  },
  'order.refund-first': {
    requirement: 'A refund that overtakes its confirmation ends as a refund.',
    source: cycle, severity: 'error', example: 'order', after: told,
    check: 'cashin.refunded is sent before cashin.confirmed of the same charge.',
    fix: 'Let states only move forward: what is refunded stays refunded, whatever comes late; answer no error meanwhile.',
  },
  'order.expired-late': {
    requirement: 'An expiry that comes late does not take back a confirmation.',
    source: cycle, severity: 'error', example: 'order', after: told,
    check: 'cashin.expired is sent after cashin.confirmed of the same charge.',
    fix: 'Only what is still pending can expire.',
  },
  'order.dispute': {
    requirement: 'A dispute whose end overtakes its beginning ends right.',
    source: cycle, severity: 'error', example: 'order', after: told,
    check: 'chargeback.won, and in another dispute chargeback.lost, are sent before chargeback.opened.',
    fix: 'A decided dispute stays decided: chargeback.opened must not block money again that its end has released or taken.',
  },
  'retry.after-failure': {
    requirement: 'After an attempt that failed, the next one is accepted and has its effect, once.',
    source: retry, severity: 'error', example: 'durable', after: effects,
    check: 'The connection breaks in the middle of an event, which is then sent again; and whatever the receiver itself answered with an error, or did not answer, is sent again and followed.',
    fix: 'Remember an event only together with its effect, in one transaction: what was remembered and not done is lost for good.',
  },
  'durable.restart': {
    requirement: 'What was accepted survives a crash.',
    source: answer, severity: 'error', example: 'durable', after: [...doubles, 'duplicate.at-once'], alone: true,
    check: 'An event is accepted, the receiver is restarted at once by the command or URL given for it, and the event is sent again.',
    fix: 'Answer 2xx only once the event is in the database; a queue in memory is no place for it.',
  },
  'production.sandbox': {
    requirement: 'In production, events of a sandbox are refused.',
    source: '§6.1, rule 6: "Events sent from the sandbox carry the header X-Sandbox: 1, and production systems should reject them."',
    severity: 'error', example: 'production', after: accepts,
    check: 'In production mode everything is sent without X-Sandbox; one correctly signed event carries it.',
    fix: 'In production, answer 401 to whatever carries X-Sandbox: 1.',
  },
  'production.https': {
    requirement: 'The production URL is https with a valid certificate, and does not redirect.',
    source: '§6.1, rule 5: "The URL must be HTTPS with a valid certificate. http:// and self-signed are rejected."',
    severity: 'error',
    check: 'An unsigned call goes to the production URL; it should be refused, but it must get through.',
    fix: 'Serve it under https with a certificate of a public authority, and register the address that redirects lead to.',
  },
} as const satisfies Record<string, RuleRow>

export type ReceiverRule = keyof typeof receiverRules
export const receiverRuleIds = keysOf(receiverRules)
