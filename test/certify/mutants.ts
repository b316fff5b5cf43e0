/** Receivers with one fault each: the edit that makes the reference wrong, and the one rule that it breaks. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the edits are pieces of source text
import type { Edit } from '../support/certify.js'

export interface Mutant {
  fault: string
  edits: readonly Edit[]
  breaks: string
  /** What the report must advise, where a rule can fail for several reasons. */
  fix?: RegExp
  /** What it must say, where it could be about another event. */
  says?: RegExp
  production?: true
}

const form = "if (!/^[0-9a-f]{64}$/.test(signature ?? '')) return false"
const expected = "const expected = createHmac('sha256', secret).update(body).digest()"
const compare = "return timingSafeEqual(expected, Buffer.from(signature, 'hex'))"
const fresh = "if (!/^\\d{1,12}$/.test(timestamp ?? '')) return false"
const window = 'Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300'
const signed = "if (!isSigned(secret, headers['x-webhook-signature'], body)) return 401"
const timely = "if (!isFresh(headers['x-webhook-timestamp'])) return 401"
const known = 'if (seen.has(id)) return 200'
const parsed = 'const accepted = { id, event: JSON.parse(body) }'
const stored = 'writeSync(log, `${JSON.stringify(accepted)}\\n`)'
const answered = 'response.writeHead(receive(request.headers, Buffer.concat(chunks))).end()'
const failed = 'if (!response.headersSent) response.writeHead(400)'
const confirmed = 'charge.credited + unitsOf(amount) })'
const paid = "'cashin.confirmed': (charge, { amount })"
const units = "BigInt(whole + fraction.padEnd(scale, '0'))"
const state = 'credited: amountOf(credited) }'
const won = "'chargeback.won': (charge, { infraction_id }) => charge.released.add(infraction_id),"
const taken = 'charge.refunded.set(transaction_id, unitsOf(amount_refunded))'
const kept = '{ disputed: new Map(), refunded: { set() {}, values: () => [].values() } }'
const expired = '(charge) => Object.assign(charge, { expired: true })'
const opened =
  "'chargeback.opened': (charge, { infraction_id, amount }) => charge.disputed.set(infraction_id, unitsOf(amount)),"
const canceled = "'chargeback.canceled': (charge, { infraction_id }) => charge.released.add(infraction_id),"
const least = 'charge.credited < taken ? 0n : '
/** Releases the money of a dispute at another event. */
const releasesAt = (event: string): Edit => [won, `${won}\n  ${won.replace('chargeback.won', event)}`]
/** Adds the amount again at each won dispute. */
const releases: readonly Edit[] = [
  [
    won,
    won.replace(
      '{ infraction_id }) => charge',
      '{ infraction_id, amount }) => Object.assign(charge, { won: (charge.won ?? -unitsOf(amount)) + unitsOf(amount) })',
    ),
  ],
  ['0n : charge.credited - taken', '0n : charge.credited - taken + (charge.won ?? 0n)'],
]
const none = '\n    const nothing = undefined'

/** Answers 500 where the condition on the event holds. */
const failsOn = (condition: string): Edit => [parsed, `${parsed}\n    if (${condition}) return 500`]

export const mutants: readonly Mutant[] = [
  {
    fault: 'takes timestamps for milliseconds',
    edits: [
      [fresh, fresh.replace('12', '13')],
      [window, 'Math.abs(Date.now() - Number(timestamp)) <= 300_000'],
    ],
    breaks: 'accept.signed',
    fix: /in seconds, not in milliseconds/,
  },
  {
    fault: 'takes the signature for base64',
    edits: [
      [form, "if (typeof signature !== 'string') return false"],
      [compare, "return expected.toString('base64') === signature"],
    ],
    breaks: 'accept.signed',
  },
  {
    fault: 'signs the timestamp along',
    edits: [
      [
        signed,
        "if (!isSigned(secret, headers['x-webhook-signature'], `${headers['x-webhook-timestamp']}.${body}`)) return 401",
      ],
    ],
    breaks: 'accept.signed',
  },
  {
    fault: 'refuses everything as if it were in production',
    edits: [["production && headers['x-sandbox']", "headers['x-sandbox']"]],
    breaks: 'accept.signed',
    fix: /runs in production mode/,
  },
  {
    fault: 'answers with a redirect',
    edits: [[answered, "response.writeHead(307, { Location: '/elsewhere' }).end()"]],
    breaks: 'accept.signed',
  },
  {
    fault: 'hashes a body that it parsed and wrote again',
    edits: [[expected, expected.replace('update(body)', 'update(JSON.stringify(JSON.parse(body)))')]],
    breaks: 'accept.raw-body',
  },
  {
    fault: 'reads the body as text, piece by piece',
    edits: [['chunks.push(chunk)', 'chunks.push(Buffer.from(chunk.toString()))']],
    breaks: 'accept.raw-body',
  },
  {
    fault: 'decodes the body as Latin-1',
    edits: [[expected, expected.replace('update(body)', "update(body.toString('latin1'))")]],
    breaks: 'accept.raw-body',
    fix: /bytes/,
  },
  {
    fault: 'trims the body',
    edits: [['Buffer.concat(chunks)))', 'Buffer.concat(chunks).toString().trim()))']],
    breaks: 'accept.raw-body',
  },
  { fault: 'checks no signature', edits: [[signed, none]], breaks: 'signature.checked' },
  {
    fault: 'checks that there is a signature, and nothing more',
    edits: [[compare, 'return expected !== undefined']],
    breaks: 'signature.checked',
  },
  {
    fault: 'checks the signature only where there is one',
    edits: [[form, `if (signature === undefined) return true\n  ${form}`]],
    breaks: 'signature.required',
  },
  {
    fault: 'takes an empty signature for none needed',
    edits: [[form, `if (signature === '') return true\n  ${form}`]],
    breaks: 'signature.required',
  },
  {
    fault: 'goes on with an empty key',
    edits: [
      [
        compare,
        "return timingSafeEqual(expected, Buffer.from(signature, 'hex')) || createHmac('sha256', '').update(body).digest('hex') === signature",
      ],
    ],
    breaks: 'signature.key',
  },
  {
    fault: 'compares the first sixteen digits',
    edits: [[compare, "return expected.toString('hex').slice(0, 16) === signature.slice(0, 16)"]],
    breaks: 'signature.whole',
  },
  {
    fault: 'compares the last eight digits',
    edits: [[compare, "return expected.toString('hex').slice(-8) === signature.slice(-8)"]],
    breaks: 'signature.whole',
  },
  {
    fault: 'accepts a signature that was cut off',
    edits: [
      [form, "if (!/^[0-9a-f]{8,64}$/.test(signature ?? '')) return false"],
      [compare, "return expected.toString('hex').startsWith(signature)"],
    ],
    breaks: 'signature.whole',
  },
  {
    fault: 'accepts a signature with something behind it',
    edits: [
      [form, "if (!/^[0-9a-f]{64,}$/.test(signature ?? '')) return false"],
      [compare, "return signature.startsWith(expected.toString('hex'))"],
    ],
    breaks: 'signature.whole',
  },
  {
    fault: 'accepts base64 as well',
    edits: [
      [form, `if (signature === createHmac('sha256', secret).update(body).digest('base64')) return true\n  ${form}`],
    ],
    breaks: 'signature.encoding',
  },
  {
    fault: 'fails over a signature that is no hex',
    edits: [[signed, `if (/[^0-9a-f]/.test(headers['x-webhook-signature'] ?? '')) return 500\n    ${signed}`]],
    breaks: 'signature.encoding',
  },
  {
    fault: 'breaks the connection over a signature that is no hex',
    edits: [
      [
        answered,
        `if (/[^0-9a-f]/.test(request.headers['x-webhook-signature'] ?? '')) return request.socket.destroy()\n        ${answered}`,
      ],
    ],
    breaks: 'signature.encoding',
  },
  {
    fault: 'checks no timestamp',
    edits: [[timely, none]],
    breaks: 'timestamp.old',
    says: /^an event from 301 seconds ago was accepted/,
  },
  { fault: 'allows ten minutes', edits: [[window, window.replace('300', '600')]], breaks: 'timestamp.old' },
  {
    fault: 'looks back only',
    edits: [[window, 'Date.now() / 1000 - Number(timestamp) <= 300']],
    breaks: 'timestamp.ahead',
    says: /^an event 301 seconds ahead was accepted/,
  },
  {
    fault: 'lets through what is not a number',
    edits: [
      [fresh, none],
      [window, '!(Math.abs(Date.now() / 1000 - Number(timestamp)) > 300)'],
    ],
    breaks: 'timestamp.number',
  },
  {
    fault: 'checks the timestamp only where there is one',
    edits: [[timely, "if (headers['x-webhook-timestamp'] && !isFresh(headers['x-webhook-timestamp'])) return 401"]],
    breaks: 'timestamp.number',
  },
  {
    fault: 'reads the timestamp with parseInt',
    edits: [
      [fresh, 'if (timestamp === undefined) return false'],
      [window, window.replace('Number(', 'Number.parseInt(')],
    ],
    breaks: 'timestamp.number',
  },
  {
    fault: 'allows one minute',
    edits: [[window, window.replace('300', '60')]],
    breaks: 'timestamp.tolerance',
    says: /^an event from 299 seconds ago: answered 401$/,
  },
  {
    fault: 'allows one minute ahead',
    edits: [[window, `Number(timestamp) - Date.now() / 1000 <= 60 && ${window}`]],
    breaks: 'timestamp.tolerance',
    says: /^an event 299 seconds ahead: answered 401$/,
  },
  {
    fault: 'answers 403 to a wrong signature',
    edits: [[signed, signed.replace('401', '403')]],
    breaks: 'refuse.status',
  },
  {
    fault: 'answers 400 to an old timestamp',
    edits: [[timely, timely.replace('401', '400')]],
    breaks: 'refuse.status',
  },
  {
    fault: 'remembers the id before it verifies',
    edits: [
      [signed, `const early = seen.has(headers['x-webhook-id'])\n    seen.add(headers['x-webhook-id'])\n    ${signed}`],
      [known, 'if (early) return 200'],
    ],
    breaks: 'refuse.no-trace',
  },
  {
    fault: 'works on what it refuses',
    edits: [
      [
        signed,
        `if (!isSigned(secret, headers['x-webhook-signature'], body)) {\n      take({ id: 'forged', event: JSON.parse(body) })\n      return 401\n    }`,
      ],
    ],
    breaks: 'refuse.no-trace',
  },
  {
    fault: 'answers some events after more than two seconds',
    edits: [
      [
        answered,
        `if (/^(wallet|conversion)/.test(request.headers['x-webhook-event'])) await new Promise((resolve) => setTimeout(resolve, 2100))\n        ${answered}`,
      ],
    ],
    breaks: 'answer.soon',
  },
  {
    fault: 'answers 500 to each refund after it has booked it, and 200 to its repetition',
    edits: [
      [
        'take(accepted)\n    return 200',
        "take(accepted)\n    return accepted.event.event === 'cashin.refunded' ? 500 : 200",
      ],
    ],
    breaks: 'answer.first',
    fix: /before what may fail/,
  },
  {
    fault: 'fails on more than ten at once',
    edits: [
      [
        'const chunks = []',
        'const chunks = []\n        open.count++\n        response.once("close", () => open.count--)\n        await new Promise((resolve) => setTimeout(resolve, 15))\n        if (open.count > 10) return response.writeHead(500).end()',
      ],
      ['const seen = new Set()', 'const seen = new Set()\n  const open = { count: 0 }'],
    ],
    breaks: 'answer.many',
  },
  {
    fault: 'reads one body at a time',
    edits: [
      [
        'const chunks = []',
        'const chunks = []\n        const before = turn.last\n        turn.last = new Promise((resolve) => response.once("close", resolve))\n        await before',
      ],
      ['const seen = new Set()', 'const seen = new Set()\n  const turn = { last: null }'],
    ],
    breaks: 'answer.beside-slow',
  },
  {
    fault: 'fails on disputes',
    edits: [failsOn("accepted.event.event.startsWith('chargeback.')")],
    breaks: 'events.all',
  },
  { fault: 'knows no expiry', edits: [failsOn("accepted.event.event === 'cashin.expired'")], breaks: 'events.all' },
  {
    fault: 'fails where there is no external_id',
    edits: [failsOn('accepted.event.data.external_id === null')],
    breaks: 'events.rails',
  },
  {
    fault: 'fails on crypto',
    edits: [failsOn("accepted.event.data.currency_type === 'crypto'")],
    breaks: 'events.rails',
  },
  {
    fault: 'fails on events that it does not know',
    edits: [failsOn("accepted.event.event.startsWith('settlement')")],
    breaks: 'events.unknown',
  },
  {
    fault: 'refuses fields that it does not know',
    edits: [failsOn("Object.keys(accepted.event).length > 4 || 'risk_score' in accepted.event.data")],
    breaks: 'events.more-fields',
  },
  { fault: 'answers and does nothing', edits: [[confirmed, 'charge.credited })']], breaks: 'effect.applied' },
  {
    fault: 'cuts off floats',
    edits: [[units, 'BigInt(Math.trunc(Number(`${whole}.${fraction}`) * 100)) * 10n ** 7n']],
    breaks: 'amounts.exact',
    fix: /into whole cents/,
  },
  {
    fault: 'calculates in floats',
    edits: [[state, 'credited: Number(credited / 10n ** 7n) * 0.01 }']],
    breaks: 'amounts.exact',
  },
  {
    fault: 'reads whole units alone',
    edits: [[units, 'BigInt(whole) * 10n ** 9n']],
    breaks: 'amounts.exact',
  },
  {
    fault: 'judges freshness by the time in the body',
    edits: [[timely, `${timely}\n    if (Date.now() - Date.parse(JSON.parse(body).timestamp) > 600_000) return 401`]],
    breaks: 'missed.late',
  },
  { fault: 'answers 409 to a duplicate', edits: [[known, known.replace('200', '409')]], breaks: 'duplicate.answered' },
  { fault: 'knows no duplicates', edits: [[known, none]], breaks: 'duplicate.in-a-row' },
  ...['cashout', 'transfer', 'conversion'].map(
    (kind): Mutant => ({
      fault: `knows no duplicates of ${kind}`,
      edits: [[known, `if (seen.has(id) && !JSON.parse(body).event.startsWith('${kind}')) return 200`]],
      breaks: 'duplicate.kinds',
    }),
  ),
  {
    fault: 'knows no duplicates of chargeback.won',
    edits: [[known, "if (seen.has(id) && JSON.parse(body).event !== 'chargeback.won') return 200"], ...releases],
    breaks: 'duplicate.kinds',
    says: /^a charge after a won dispute whose chargeback\.won arrived three times: /,
  },
  {
    fault: 'knows no duplicates of deposits',
    edits: [[known, "if (seen.has(id) && JSON.parse(body).data.source !== 'static') return 200"]],
    breaks: 'duplicate.kinds',
    fix: /Deduplicate every event/,
  },
  {
    fault: 'looks first and remembers later',
    edits: [
      ['function receive(', 'async function receive('],
      [answered, 'response.writeHead(await receive(request.headers, Buffer.concat(chunks))).end()'],
      [known, `${known}\n    await new Promise((resolve) => setTimeout(resolve, 5))`],
    ],
    breaks: 'duplicate.at-once',
  },
  {
    fault: 'remembers in the memory of one worker',
    edits: [
      [
        'const chunks = []',
        `const chunks = []
        request.headers.worker = workers.busy++
        response.once('finish', () => workers.busy--)`,
      ],
      ['const seen = new Set()', 'const seen = new Set()\n  const workers = { busy: 0 }'],
      [known, 'const mark = `${headers.worker} ${id}`\n    if (seen.has(mark)) return 200\n    seen.add(mark)'],
      [answered, `await new Promise((resolve) => setTimeout(resolve, workers.busy > 1 ? 20 : 0))\n        ${answered}`],
    ],
    breaks: 'duplicate.at-once',
  },
  {
    fault: 'deduplicates by id and time',
    edits: [
      ["const id = headers['x-webhook-id']", "const id = headers['x-webhook-id'] + headers['x-webhook-timestamp']"],
    ],
    breaks: 'duplicate.later',
  },
  {
    fault: 'deduplicates by transaction alone',
    edits: [["const id = headers['x-webhook-id']", 'const id = JSON.parse(body).transaction_id']],
    breaks: 'different.event',
  },
  {
    fault: 'takes one external_id for one transaction',
    edits: [
      [
        "const id = headers['x-webhook-id']",
        "const { event, data } = JSON.parse(body)\n    const id = `${data.external_id ?? JSON.parse(body).transaction_id} ${event.split('.')[1] === 'refunded'}`",
      ],
    ],
    breaks: 'different.kind',
  },
  {
    fault: 'lets a late confirmation overwrite a refund',
    edits: [[confirmed, 'charge.credited + unitsOf(amount), refunded: new Map() })']],
    breaks: 'order.refund-first',
  },
  {
    fault: 'fails on the refund of a charge that it does not know',
    edits: [
      failsOn(
        "accepted.event.event === 'cashin.refunded' && !charges.has(accepted.event.data.original_transaction_id)",
      ),
    ],
    breaks: 'order.refund-first',
  },
  {
    fault: 'lets an expiry take back a payment',
    edits: [[expired, expired.replace('expired: true', 'expired: true, credited: 0n')]],
    breaks: 'order.expired-late',
  },
  {
    fault: 'blocks money of a dispute that is over',
    edits: [
      [won, won.replace('released.add', 'disputed.delete')],
      [canceled, canceled.replace('released.add', 'disputed.delete')],
    ],
    breaks: 'order.dispute',
  },
  {
    fault: 'drops disputes of charges that it does not know',
    edits: [
      [
        'if (change === undefined) return',
        "if (change === undefined || (event.event.startsWith('chargeback.') && !charges.has(event.transaction_id))) return",
      ],
    ],
    breaks: 'order.dispute',
    fix: /Store a dispute/,
  },
  {
    fault: 'subtracts the fee twice',
    edits: [
      [paid, paid.replace('amount', 'amount_net, fee')],
      [confirmed, 'charge.credited + unitsOf(amount_net) - unitsOf(fee) })'],
    ],
    breaks: 'amounts.exact',
    fix: /amount_net is already/,
  },
  {
    fault: 'credits some amounts twice',
    edits: [[confirmed, "charge.credited + unitsOf(amount) * (amount === '1000.10' ? 2n : 1n) })"]],
    breaks: 'amounts.exact',
    fix: /applied more than once/,
  },
  {
    fault: 'does not credit small amounts',
    edits: [[confirmed, "charge.credited + (amount === '1.15' ? 0n : unitsOf(amount)) })"]],
    breaks: 'amounts.exact',
    fix: /store it durably/,
  },
  {
    fault: 'reports a refunded charge as confirmed',
    edits: [["refunded > 0n ? 'refunded'", "refunded > 0n ? 'confirmed'"]],
    breaks: 'different.event',
    fix: /^Only the status is wrong/,
  },
  {
    fault: 'applies nothing any more after an unknown event',
    edits: [
      [
        'if (change === undefined) return',
        'if (change === undefined) Object.assign(seen, { stopped: true })\n    if (seen.stopped) return',
      ],
    ],
    breaks: 'events.unknown',
    fix: /applies none any more/,
  },
  {
    fault: 'loses one event that it accepted',
    edits: [
      [
        'response.end(JSON.stringify(',
        "if (!seen.asked) charges.delete(searchParams.get('transaction_id'))\n        seen.asked = true\n        response.end(JSON.stringify(",
      ],
    ],
    breaks: 'effect.applied',
    fix: /store it durably/,
  },
  {
    fault: 'takes the money of a lost dispute again if its refund arrived first',
    edits: [
      [
        opened,
        `${opened}\n  'chargeback.lost': (charge) => Object.assign(charge, { twice: charge.refunded.size > 0 }),`,
      ],
      [least, ''],
      ['charge.credited - taken\n', 'charge.credited - (charge.twice ? taken + taken : taken)\n'],
    ],
    breaks: 'order.dispute',
    fix: /./,
  },
  { fault: 'keeps money blocked after a canceled dispute', edits: [[canceled, '']], breaks: 'dispute.canceled' },
  { fault: 'keeps money blocked after a won dispute', edits: [[won, '']], breaks: 'dispute.won' },
  {
    fault: 'releases the money when the merchant replies',
    edits: [releasesAt('chargeback.responded')],
    breaks: 'dispute.responded',
  },
  {
    fault: 'keeps the money of a lost dispute',
    edits: [[won, `${won}\n  'chargeback.lost': (charge) => Object.assign(charge, ${kept}),`]],
    breaks: 'dispute.lost',
  },
  {
    fault: 'takes the money of a lost dispute back twice',
    edits: [
      [won, `${won}\n  'chargeback.lost': (charge, { amount }) => charge.refunded.set('lost', unitsOf(amount)),`],
      [least, ''],
    ],
    breaks: 'dispute.lost',
  },
  {
    fault: 'releases the money of a lost dispute until its refund arrives',
    edits: [releasesAt('chargeback.lost')],
    breaks: 'dispute.lost',
  },
  {
    fault: 'blocks the whole charge for a dispute of a part',
    edits: [['const taken = refunded > blocked', 'const taken = blocked > 0n ? charge.credited : refunded > blocked']],
    breaks: 'dispute.partial',
  },
  {
    fault: 'releases the money at a confirmed chargeback until its refund arrives',
    edits: [releasesAt('chargeback.confirmed')],
    breaks: 'dispute.confirmed',
  },
  {
    fault: 'keeps the money of a confirmed chargeback',
    edits: [[won, `${won}\n  'chargeback.confirmed': (charge) => Object.assign(charge, ${kept}),`]],
    breaks: 'dispute.confirmed',
  },
  {
    fault: 'keeps money blocked beside the refund of a confirmed chargeback',
    edits: [
      [won, `${won}\n  'chargeback.lost': (charge) => Object.assign(charge, { lost: true }),`],
      ['const taken = refunded > blocked', 'const taken = !charge.lost ? refunded + blocked : refunded > blocked'],
    ],
    breaks: 'dispute.confirmed',
    fix: /end the block/,
  },
  {
    fault: 'credits BRL only',
    edits: [
      [paid, paid.replace('amount', 'currency, amount')],
      [confirmed, "charge.credited + (currency === 'BRL' ? unitsOf(amount) : 0n) })"],
    ],
    breaks: 'effect.rails',
  },
  {
    fault: 'never credits crypto',
    edits: [
      [paid, paid.replace('amount', 'currency_type, amount')],
      [confirmed, "charge.credited + (currency_type === 'fiat' ? unitsOf(amount) : 0n) })"],
    ],
    breaks: 'effect.rails',
  },
  {
    fault: 'keeps two decimals of every currency',
    edits: [[state, "credited: amountOf(credited).replace(/(\\.\\d\\d)\\d*/, '$1') }"]],
    breaks: 'effect.rails',
    fix: /every decimal/,
  },
  {
    fault: 'drops charges without external_id',
    edits: [
      [paid, paid.replace('amount', 'external_id, amount')],
      [confirmed, 'charge.credited + (external_id === null ? 0n : unitsOf(amount)) })'],
    ],
    breaks: 'effect.unnamed',
  },
  {
    fault: 'ignores deposits',
    edits: [
      [paid, paid.replace('amount', 'source, amount')],
      [confirmed, "charge.credited + (source === 'static' ? 0n : unitsOf(amount)) })"],
    ],
    breaks: 'effect.deposit',
  },
  {
    fault: 'ignores failed withdrawals',
    edits: [["book(withdrawal, 'failed', refunded_amount)", 'undefined']],
    breaks: 'effect.withdrawal',
  },
  {
    fault: 'gives the whole withdrawal back when a part was refunded',
    edits: [
      ['(withdrawal, { amount_refunded })', '(withdrawal, { amount })'],
      ["'refunded', amount_refunded)", "'refunded', amount)"],
    ],
    breaks: 'effect.withdrawal',
    fix: /amount is the amount of the withdrawal/,
  },
  {
    fault: 'gives failed withdrawals back, and no refunded ones',
    edits: [["'refunded', amount_refunded)", "'refunded', '0')"]],
    breaks: 'effect.withdrawal',
    fix: /amount_refunded/,
    says: /^a refunded withdrawal: credited 0\.00, status refunded instead of credited 10\.00$/,
  },
  {
    fault: 'gives refunded withdrawals back, and no failed ones',
    edits: [["'failed', refunded_amount)", "'failed', '0')"]],
    breaks: 'effect.withdrawal',
    fix: /refunded_amount/,
  },
  {
    fault: 'does not know that withdrawals can fail',
    edits: [
      ["  'cashout.failed': (withdrawal, { refunded_amount }) => book(withdrawal, 'failed', refunded_amount),\n", ''],
    ],
    breaks: 'effect.withdrawal',
  },
  {
    fault: 'takes a failed withdrawal for a confirmed one',
    edits: [["book(withdrawal, 'failed', refunded_amount)", "book(withdrawal, 'confirmed', '0')"]],
    breaks: 'effect.withdrawal',
  },
  {
    fault: 'takes the money of a received transfer away',
    edits: [["book(transfer, 'confirmed', amount)", "book(transfer, 'confirmed', `-${amount}`)"]],
    breaks: 'effect.transfer',
  },
  {
    fault: 'credits received transfers twice',
    edits: [["book(transfer, 'confirmed', amount)", "[1, 2].map(() => book(transfer, 'confirmed', amount))"]],
    breaks: 'effect.transfer',
    fix: /applied more than once/,
  },
  {
    fault: 'credits what was converted, not the result',
    edits: [
      ['(conversion, { amount_to })', '(conversion, { amount_from })'],
      ["'completed', amount_to)", "'completed', amount_from)"],
    ],
    breaks: 'effect.conversion',
  },
  {
    fault: 'credits sent transfers as well',
    edits: [["direction === 'received' && book", "direction !== 'none' && book"]],
    breaks: 'effect.transfer',
  },
  {
    fault: 'takes a late confirmation for the end of a refunded withdrawal',
    edits: [["booked: entry.booked === 'refunded' ? 'refunded' : status", 'booked: status']],
    breaks: 'effect.withdrawal',
    fix: /only move forward/,
    says: /arrived last: credited 10\.00, status confirmed instead of credited 10\.00, status refunded$/,
  },
  {
    fault: 'loses the fee of a failed withdrawal',
    edits: [
      ['(withdrawal, { refunded_amount })', '(withdrawal, { amount })'],
      ["'failed', refunded_amount)", "'failed', amount)"],
    ],
    breaks: 'effect.withdrawal',
  },
  {
    fault: 'blocks nothing at the opening of a dispute that was replied to',
    edits: [
      [
        opened,
        `${opened.replace('=> charge', '=> charge.replied || charge')}\n  'chargeback.responded': (charge) => Object.assign(charge, { replied: true }),`,
      ],
    ],
    breaks: 'order.dispute',
  },
  {
    fault: 'reads the first kilobyte of a body',
    edits: [[answered, answered.replace('Buffer.concat(chunks)', 'Buffer.concat(chunks).subarray(0, 1024)')]],
    breaks: 'events.rails',
    fix: /Read the whole body/,
  },
  {
    fault: 'takes the name of the event from its header',
    edits: [[parsed, `${parsed}\n    accepted.event.event = headers['x-webhook-event']`]],
    breaks: 'refuse.no-trace',
    fix: /from the signed body/,
  },
  { fault: 'ignores refunds', edits: [[taken, 'undefined']], breaks: 'refund.full' },
  {
    fault: 'looks for the charge of a refund by transaction_id',
    edits: [
      [
        'data.original_transaction_id ??',
        "(event.event === 'cashin.refunded' ? null : data.original_transaction_id) ??",
      ],
    ],
    breaks: 'refund.original',
  },
  {
    fault: 'subtracts partial refunds as floats',
    edits: [[state, 'credited: credited === 0n ? 0 : Number(amountOf(charge.credited)) - Number(amountOf(taken)) }']],
    breaks: 'refund.partial',
    fix: /decimal type/,
  },
  {
    fault: 'books a partial refund in full',
    edits: [['{ transaction_id, amount_refunded }', '{ transaction_id, amount: amount_refunded }']],
    breaks: 'refund.partial',
    fix: /amount is the amount of the charge/,
    says: /^a charge of 25\.50 of which 10\.00 was refunded: credited 0\.00/,
  },
  {
    fault: 'subtracts partial refunds as floats, and cuts off what is less than a cent',
    edits: [
      [
        state,
        "credited: taken === 0n || credited === 0n ? amountOf(credited) : String(Number(amountOf(charge.credited)) - Number(amountOf(taken))).replace(/(\\.\\d\\d)\\d*/, '$1') }",
      ],
    ],
    breaks: 'refund.partial',
    fix: /With floats/,
  },
  {
    fault: 'takes every refund back twice',
    edits: [[taken, taken.replace('unitsOf', '2n * unitsOf')]],
    breaks: 'refund.partial',
    fix: /applied more than once/,
  },
  {
    fault: 'books one copy of a refund',
    edits: [
      [known, "if (seen.has(id) && JSON.parse(body).event !== 'cashin.refunded') return 200"],
      [taken, taken.replace('transaction_id', 'Math.min(charge.refunded.size, 1)')],
    ],
    breaks: 'refund.once',
    fix: /Deduplicate refunds as well/,
    says: /^a charge of 25\.50 of which 10\.00 was refunded, with the event sent three times: credited 5\.50/,
  },
  ...[8, 100].map((size) => ({
    fault: `remembers the last ${size} events`,
    edits: [
      ['seen.add(id)\n', `seen.add(id)\n    if (seen.size > ${size}) seen.delete(seen.values().next().value)\n`],
    ] as const,
    breaks: 'duplicate.memory',
  })),
  { fault: 'ignores disputes', edits: [[opened, '']], breaks: 'effect.dispute' },
  {
    fault: 'remembers an event that broke off',
    edits: [[failed, `seen.add(request.headers['x-webhook-id'])\n      ${failed}`]],
    breaks: 'retry.after-failure',
  },
  {
    fault: 'fails now and then, but stores the id',
    edits: [
      [parsed, `${parsed}\n    if (++fails.count % 40 === 0) {\n      seen.add(id)\n      return 500\n    }`],
      ['const seen = new Set()', 'const seen = new Set()\n  const fails = { count: 0 }'],
    ],
    breaks: 'retry.after-failure',
  },
  {
    fault: 'answers before it stores',
    edits: [
      [stored, 'later.push(accepted)'],
      ['const seen = new Set()', 'const seen = new Set()\n  const later = []'],
    ],
    breaks: 'durable.restart',
  },
  {
    fault: 'forgets at a restart what it has seen',
    edits: [["const log = openSync(file, 'a')", "const log = openSync(file, 'a')\n  seen.clear()"]],
    breaks: 'durable.restart',
  },
  {
    fault: 'takes events of a sandbox in production',
    edits: [["if (production && headers['x-sandbox'] === '1') return 401", 'const nothing = production']],
    breaks: 'production.sandbox',
    production: true,
  },
]

/** The reference, and others that are as right. */
export const rights: readonly { difference: string; edits: readonly Edit[] }[] = [
  { difference: 'the reference', edits: [] },
  { difference: 'answers 204', edits: [['if (seen.has(id)) return 200', 'if (seen.has(id)) return 204']] },
  {
    difference: 'closes every connection',
    edits: [['const chunks = []', "const chunks = []\n        response.setHeader('Connection', 'close')"]],
  },
  {
    difference: 'works a little later than it answers',
    edits: [
      ['take(accepted)\n    return 200', 'seen.add(id)\n    setTimeout(() => take(accepted), 150)\n    return 200'],
    ],
  },
  {
    difference: 'credits what is left after the fee',
    edits: [["'cashin.confirmed': (charge, { amount })", "'cashin.confirmed': (charge, { amount_net: amount })"]],
  },
  {
    difference: 'answers after 1.2 seconds',
    edits: [[answered, `await new Promise((resolve) => setTimeout(resolve, 1200))\n        ${answered}`]],
  },
  {
    difference: 'tells no status',
    edits: [['return { status, credited: amountOf(credited) }', 'return { credited: amountOf(credited) }']],
  },
  {
    difference: 'tells its own words for statuses, and no effect of withdrawals',
    edits: [
      ["book(withdrawal, 'confirmed', '0')", "book(withdrawal, 'paid', '0')"],
      ["book(withdrawal, 'failed', refunded_amount)", "book(withdrawal, 'bounced', '0')"],
      ["book(withdrawal, 'refunded', amount_refunded)", "book(withdrawal, 'refunded', '0')"],
      ["book(conversion, 'completed', amount_to)", "book(conversion, 'exchanged', amount_to)"],
      [
        "book(conversion, 'refunded', `-${amount_reverted_from}`)",
        "book(conversion, 'returned', `-${amount_reverted_from}`)",
      ],
    ],
  },
  {
    difference: 'tells what withdrawals and transfers took away, with the fee, and no status',
    edits: [
      ['return { status, credited: amountOf(credited) }', 'return { credited: amountOf(credited) }'],
      [least, ''],
      [
        "(withdrawal) => book(withdrawal, 'confirmed', '0')",
        "(withdrawal, { amount, fee }) =>\n    [amount, fee].map((one) => book(withdrawal, 'confirmed', `-${one}`))",
      ],
      ["book(withdrawal, 'failed', refunded_amount)", "book(withdrawal, 'failed', '0')"],
      [
        "direction === 'received' && book(transfer, 'confirmed', amount)",
        "book(transfer, 'confirmed', direction === 'received' ? amount : `-${amount}`)",
      ],
    ],
  },
  {
    difference: 'asks for a repetition when it has three events in work',
    edits: [
      ['const seen = new Set()', 'const seen = new Set()\n  const work = { count: 0 }'],
      [
        answered,
        `if (work.count >= 3) return response.writeHead(503).end()
        work.count++
        await new Promise((resolve) => setTimeout(resolve, 20))
        work.count--
        ${answered}`,
      ],
    ],
  },
  { difference: 'tells credits as numbers', edits: [[state, 'credited: Number(amountOf(credited)) }']] },
  {
    difference: 'asks with 503 for the repetition of what is about an unknown charge or dispute',
    edits: [
      [
        parsed,
        `${parsed}
    const { event, data } = accepted.event
    const charge = charges.get(data.original_transaction_id ?? data.transaction_id)
    const later = /^chargeback.(?!opened)/.test(event)
    if (later ? !charge?.disputed.has(data.infraction_id) : /^(cashin.refunded|chargeback)/.test(event) && !charge) return 503`,
      ],
    ],
  },
  {
    difference: 'puts off refunds of charges that it does not know',
    edits: [
      [
        parsed,
        `${parsed}\n    if (accepted.event.event === 'cashin.refunded' && !charges.has(accepted.event.data.original_transaction_id) && !charges.has(accepted.event.data.transaction_id)) return 409`,
      ],
    ],
  },
  {
    difference: 'accepts the signature in upper case',
    edits: [[form, "if (!/^[0-9a-f]{64}$/i.test(signature ?? '')) return false"]],
  },
]
