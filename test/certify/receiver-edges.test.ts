/** What a certification sends to a receiver, and where its checks begin to fail: to the digit, the second and the attempt, in simulated time. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Report } from '../../src/features/certify/report/rules.js'
import { eventNames } from '../../src/protocol/platform/events.js'
import { afterMs, answered, certifyTimeless, describeReport, type Edit, withResult } from '../support/certify.js'
import { plant } from '../support/own-time.js'
import { secretsOf } from '../support/signing.js'

const opened = 'const chunks = []'
const eventId = "request.headers['x-webhook-id']"

interface Sent {
  headers: Record<string, string | undefined>
  chunks: Buffer[]
  atMs: number
}

async function sentToReceiver(edits: readonly Edit[] = []): Promise<Sent[]> {
  const sent: Sent[] = []
  await certifyTimeless([
    [answered, `${plant(sent)}.push({ headers: request.headers, chunks, atMs: Date.now() })\n        ${answered}`],
    ...edits,
  ])
  return sent
}

const counted = (texts: readonly string[]) => {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

/** How a signature differs from the right one: the wrong digits, or what is around them. */
function differenceOf({ headers, chunks }: Sent): string {
  const right = createHmac('sha256', secretsOf('merchant').webhookSecret).update(Buffer.concat(chunks)).digest('hex')
  const given = headers['x-webhook-signature']
  if (given === undefined) return 'none'
  if (given === right) return 'right'
  if (given.length !== 64) return given.replace(right, 'right').replace(right.slice(0, 16), 'first 16')
  const wrong = [...given].flatMap((digit, at) => (digit === right[at] ? [] : [at]))
  return wrong.length > 40 ? 'another' : `digits ${wrong[0]} to ${wrong.at(-1)}, ${wrong.length} wrong`
}

const ageOf = ({ headers, atMs }: Sent) => {
  const { 'x-webhook-timestamp': timestamp = 'none' } = headers
  return /^\d+$/.test(timestamp) ? `${Math.floor(atMs / 1000) - Number(timestamp)} s` : timestamp.replace(/^\d+/, '…')
}

test('a receiver is sent each wrong signature, each wrong timestamp and each repetition, and nothing else is wrong', async () => {
  const sent = await sentToReceiver()
  const { right, another, ...differences } = counted(sent.map(differenceOf))
  expect([right, another]).toEqual([283, 7])
  expect(differences).toEqual({
    none: 1,
    '': 1,
    'digits 0 to 0, 1 wrong': 1,
    'digits 63 to 63, 1 wrong': 1,
    'digits 0 to 31, 32 wrong': 1,
    'digits 32 to 63, 32 wrong': 1,
    'first 16': 1,
    right00: 1,
    '0xright': 1,
    'sha256=right': 1,
    [Object.keys(differences).find((one) => /^[\w+/]{43}=$/.test(one)) ?? 'base64']: 1,
  })
  // The body that arrives slowly takes a second.
  expect(counted(sent.map(ageOf))).toEqual({
    ...{ '0 s': 291, '1 s': 1, '250 s': 1, '298 s': 1, '301 s': 1, '-299 s': 1, '-302 s': 1 },
    ...{ none: 1, '': 1, 'just now': 1, '…abc': 1 },
  })
  const copies = Object.values(counted(sent.map(({ headers }) => headers['x-webhook-id'] ?? '')))
  expect(counted(copies.map(String))).toEqual({ 1: 244, 2: 3, 3: 15, 6: 1 })
  const names = new Set(sent.map(({ headers }) => headers['x-webhook-event']))
  expect(names).toEqual(new Set([...eventNames, 'settlement.batched']))
})

test('a receiver is sent the first half of an event, and then the whole event', async () => {
  const begun: { id: string; chunks: Buffer[] }[] = []
  await certifyTimeless([[opened, `${opened}\n        ${plant(begun)}.push({ id: ${eventId}, chunks })`]])
  const requests = begun.map(({ id, chunks }) => ({ id, bytes: Buffer.concat(chunks).length }))
  const largest = new Map<string, number>()
  for (const { id, bytes } of requests) largest.set(id, Math.max(bytes, largest.get(id) ?? 0))
  const shares = requests.map(({ id, bytes }) => bytes / (largest.get(id) ?? 0)).filter((share) => share < 1)
  expect(shares).toEqual([expect.closeTo(0.5, 2)])
})

test('a receiver that needs two seconds is sent timestamps that are wrong, and right, also two seconds later', async () => {
  const ages = counted((await sentToReceiver(afterMs(2000))).map(ageOf))
  expect(ages).toMatchObject({ '250 s': 1, '296 s': 1, '301 s': 1, '-299 s': 1, '-304 s': 1 })
})

test('a receiver is sent the same event in seven formats, one of them in two pieces, cut inside a character', async () => {
  const bodies = (await sentToReceiver()).filter(({ chunks }) =>
    /andú|and\\u00fa/.test(Buffer.concat(chunks).toString()),
  )
  const texts = bodies.map(({ chunks }) => Buffer.concat(chunks).toString())
  const compact = (text = '') => JSON.stringify(JSON.parse(text))
  const [plain, indented, spaced, broken, ordered, escaped, cut] = texts
  expect(texts).toHaveLength(7)
  expect([plain, cut]).toEqual([compact(plain), compact(cut)])
  expect(indented).toBe(JSON.stringify(JSON.parse(indented ?? ''), null, 2))
  expect(spaced).toMatch(/^\{"event": "cashin\.confirmed", "timestamp": /)
  expect(broken).toBe(`${compact(broken)}\n`)
  expect(ordered).toMatch(/^\{"data":\{"confirmed_at":.*\},"transaction_id":.*,"event":"cashin\.confirmed"\}$/)
  expect(escaped).toMatch(/^[ -~]*Jo\\u00e3o \\u201cZ\\u00e9\\u201d \\ud83d\\udcb8 \\u00d1and\\u00fa[ -~]*$/)
  expect(bodies.map(({ chunks }) => chunks.length)).toEqual([1, 1, 1, 1, 1, 1, 2])
  // The first byte of a letter in two.
  expect(bodies[6]?.chunks[0]?.toString('latin1')).toMatch(/Jo\u00c3$/)
})

const before = (code: string): Edit => [answered, `${code}\n        ${answered}`]
/** Delays the answers to `count` events of a kind, after the first `from`. */
const slow = (kind: string, count: number, from = 0): readonly Edit[] => {
  const state = plant({ count: -from })
  const isSlow = `${state}.count++ >= 0 && ${state}.count <= ${count}`
  return [
    before(
      `if (request.headers['x-webhook-event'] === '${kind}' && ${isSlow}) await new Promise((resolve) => setTimeout(resolve, 2500))`,
    ),
  ]
}
/** Delays one of so many answers, to events of any kind. */
const slowAtTimes = (every: number): Edit =>
  before(
    `if (++${plant({ count: 0 })}.count % ${every} === 0) await new Promise((resolve) => setTimeout(resolve, 2500))`,
  )
/** Does something at the first attempt of up to `most` events of a kind. */
const atFirst = (kind: string, reaction: string, most = 100): readonly Edit[] => {
  const ids = `${plant({ ids: new Set() })}.ids`
  const isFirst = `request.headers['x-webhook-event'] === '${kind}' && ${ids}.size < ${most} && !${ids}.has(${eventId})`
  return [before(`if (${isFirst}) { ${ids}.add(${eventId}); ${reaction} }`)]
}
const answers = (status: number) => `return response.writeHead(${status}).end()`
const waits = (delayMs: number) => `await new Promise((resolve) => setTimeout(resolve, ${delayMs}))`
const hangs = waits(11_000)

/** Does something to the first requests of which the condition holds. */
const toFirst = (count: number, condition: string, reaction: string): readonly Edit[] => [
  before(`if (${condition} && ${plant({ count: 0 })}.count++ < ${count}) { ${reaction} }`),
]
const ahead = "(Number(request.headers['x-webhook-timestamp']) - Date.now() / 1000)"
const isLittleAhead = `${ahead} > 200 && ${ahead} < 300`
const isNoHex = "/[^0-9a-f]/.test(request.headers['x-webhook-signature'] ?? '')"
/** Numbers the requests that are open at once, so that `condition` can name their `nth`. */
const toOpen = (condition: string, reaction: string): readonly Edit[] => {
  const open = plant({ count: 0, second: 0, seventh: 0 })
  return [
    [
      opened,
      `${opened}
        const open = ${open}
        const nth = ++open.count
        if (nth === 2) open.second++
        if (nth === 7) open.seventh++
        response.once('close', () => open.count--)`,
    ],
    before(`if (${condition}) { ${reaction} }`),
  ]
}
/** Rejects most of the events at once; does something to most of them at the second attempt. */
const inBurst = (reaction: string) =>
  toOpen('nth > 6', `if (open.seventh === 1) ${answers(500)}\n if (open.seventh === 2) { ${reaction} }`)
/** Answers an event beside a slow one too late, so many times. */
const besideSlow = (times: number) => toOpen(`nth === 2 && open.second <= ${times}`, waits(1600))

const parsed = 'const accepted = { id, event: JSON.parse(body) }'
/** Asks once for the repetition of each payment of an amount. */
const repeatsPayments = (isAmount: string): readonly Edit[] => {
  const ids = `${plant({ ids: new Set() })}.ids`
  const isFirst = `accepted.event.event === 'cashin.confirmed' && !${ids}.has(id)`
  return [[parsed, `${parsed}\n    if (${isFirst} && ${isAmount}) return ${ids}.add(id) && 503`]]
}
const isOfRefund = '/^(12\\.30|3\\.21|19\\.99)$/.test(accepted.event.data.amount)'
const isOfOthers = '!/^(25|12\\.30|3\\.21|19\\.99)/.test(accepted.event.data.amount)'
/** Applies the copies of the events of one kind. */
const appliesAgain = (kind: string): readonly Edit[] => [
  ['if (seen.has(id)) return 200', `if (seen.has(id) && !JSON.parse(body).event.startsWith('${kind}.')) return 200`],
]
const failsOnUnknown: readonly Edit[] = [
  before(
    `const { event, data } = JSON.parse(Buffer.concat(chunks))
        if (event === 'cashin.refunded' && !charges.has(data.original_transaction_id) && !charges.has(data.transaction_id))
          return response.writeHead(500).end()`,
  ),
]

/** Rejects the copies of an event if six of them arrive within 50 ms. */
const rejectsSix = (): readonly Edit[] => {
  const counts = `${plant({ counts: {} })}.counts`
  return [
    before(`const id = ${eventId}\n ${counts}[id] = (${counts}[id] ?? 0) + 1
        if (${counts}[id] <= 6) { ${waits(50)}\n if (${counts}[id] === 6) ${answers(500)} }`),
  ]
}

const edges: [what: string, edits: readonly Edit[], failed: string[], inconclusive?: string[]][] = [
  ['answers everything after 2,000 ms', afterMs(2000), []],
  ['answers everything after 2,001 ms', afterMs(2001), ['answer.soon']],
  ['answers everything after 3,333 ms', afterMs(3333), ['answer.soon']],
  ['answers everything after 3,334 ms', afterMs(3334), ['answer.soon'], ['answer.beside-slow']],
  ['is slow for one new wallet of four', slow('wallet.created', 1), []],
  ['is slow for two new wallets of four', slow('wallet.created', 2), ['answer.soon']],
  ['is slow for two refunded conversions of five', slow('conversion.refunded', 2), []],
  ['is slow for three refunded conversions of five', slow('conversion.refunded', 3), ['answer.soon']],
  ['is slow for six refunds', slow('cashin.refunded', 6), []],
  ['is slow for seven refunds', slow('cashin.refunded', 7), ['answer.soon']],
  ['is slow for twelve payments', slow('cashin.confirmed', 12, 100), []],
  ['is slow for thirteen payments', slow('cashin.confirmed', 13, 100), ['answer.soon']],
  ['is slow for one of fifteen events', [slowAtTimes(15)], []],
  ['is slow for one of fifteen, and for two new wallets', [slowAtTimes(15), ...slow('wallet.created', 2)], []],
  ['is slow for one of fifteen, and for three new wallets', [slowAtTimes(15), ...slow('wallet.created', 3)], []],
  ['is slow for one of fifteen, and for all wallets', [slowAtTimes(15), ...slow('wallet.created', 4)], ['answer.soon']],
  ['fails first on both of two kinds', atFirst('chargeback.canceled', answers(500)), []],
  ['fails first on all three of a kind', atFirst('conversion.refunded', answers(500)), ['answer.first']],
  ['fails first on two of three of a kind', atFirst('conversion.refunded', answers(500), 2), []],
  ['asks with 429 for the repetition of all of a kind', atFirst('conversion.refunded', answers(429)), []],
  ['asks with 503 for the repetition of all of a kind', atFirst('conversion.refunded', answers(503)), []],
  ['answers two events beside slow ones too late', besideSlow(2), []],
  ['answers three events beside slow ones too late', besideSlow(3), ['answer.beside-slow']],
  ['rejects all six copies of an event that arrive at once', rejectsSix(), []],
  ['rejects many at once, and is slow at the second attempt', inBurst(waits(2500)), []],
  ['fails once over a signature that is no hex', toFirst(1, isNoHex, answers(500)), []],
  ['fails twice over a signature that is no hex', toFirst(2, isNoHex, answers(500)), ['signature.encoding']],
  [
    'accepts one event from the future after 499 ms',
    toFirst(1, `${ahead} > 300`, `${waits(499)}\n ${answers(200)}`),
    ['timestamp.ahead'],
  ],
  [
    'accepts one event from the future after 500 ms',
    toFirst(1, `${ahead} > 300`, `${waits(500)}\n ${answers(200)}`),
    [],
  ],
  ['rejects an event a little ahead twice', toFirst(2, isLittleAhead, answers(401)), []],
  [
    'rejects an event a little ahead three times',
    toFirst(3, isLittleAhead, answers(401)),
    ['timestamp.tolerance'],
    ['duplicate.later', 'duplicate.memory'],
  ],
  ['asks for the repetition of payments that are refunded later', repeatsPayments(isOfRefund), []],
  ['fails on refunds of unknown charges, and accepts them later', failsOnUnknown, ['order.refund-first']],
  [
    'fails first on replies, and then does not block what is disputed later',
    [
      ...atFirst('chargeback.responded', answers(500)),
      [
        "'chargeback.opened': (charge, ",
        "'chargeback.responded': (charge) => Object.assign(charge, { replied: true }),\n  'chargeback.opened': (charge, ",
      ],
      ['amount }) => charge.disputed', 'amount }) => charge.replied || charge.disputed'],
    ],
    ['answer.first', 'order.dispute'],
  ],
  [
    'fails on its first payment, and then takes it for known',
    atFirst('cashin.confirmed', `seen.add(${eventId}); ${answers(500)}`, 1),
    ['retry.after-failure'],
    ['duplicate.memory'],
  ],
  [
    'fails first on won disputes, and then takes them for known',
    atFirst('chargeback.won', `seen.add(${eventId}); ${answers(500)}`),
    ['answer.first'],
    ['dispute.won', 'duplicate.kinds', 'order.dispute'],
  ],
  ['calls its transactions open', [['charge.booked ??', "(charge.booked && 'open') ??"]], []],
  [
    'tells no failed withdrawal, and no effect of the others',
    [
      ["  'cashout.failed': (withdrawal, { refunded_amount }) => book(withdrawal, 'failed', refunded_amount),\n", ''],
      ["'refunded', amount_refunded)", "'refunded', '0')"],
    ],
    ['effect.withdrawal'],
    ['duplicate.kinds'],
  ],
  ['books conversions again', appliesAgain('conversion'), ['duplicate.kinds']],
  ['books transfers again', appliesAgain('transfer'), ['duplicate.kinds']],
  ['does not answer one first attempt', atFirst('cashin.refunded', hangs, 1), []],
  ['does not answer two first attempts', atFirst('cashin.refunded', hangs, 2), ['answer.in-time']],
]
test.each(edges)('a receiver that %s', async (_what, edits, failed, inconclusive = []) => {
  const report = await certifyTimeless(edits)
  expect(withResult(report, 'failed'), describeReport(report)).toEqual(failed)
  expect(withResult(report, 'inconclusive'), describeReport(report)).toEqual(inconclusive)
})

test.each<[string, readonly Edit[], string[]]>([
  ['one of three events, of any kind', [slowAtTimes(3)], ['answer.soon']],
  ['one of five events, and for all refunded conversions', [slowAtTimes(5), ...slow('conversion.refunded', 5)], []],
])('a receiver that is slow for %s', async (_what, edits, failed) => {
  const report = await certifyTimeless(edits, { more: { time_limit: '10m' } })
  expect(withResult(report, 'failed'), describeReport(report)).toEqual(failed)
})

test('a receiver that credits twice what was sent once gets the advice to store the id of each event', async () => {
  const report = await certifyTimeless([
    [parsed, `${parsed}\n    if (accepted.event.data.amount === '12.35') accepted.event.data.amount = '24.70'`],
  ])
  const [{ id, fix } = { id: '', fix: '' }] = report.rules.filter(({ result }) => result === 'failed')
  expect([id, fix]).toEqual(['effect.unnamed', expect.stringContaining('Store the X-Webhook-Id of every event')])
})

test.each([
  [300, 'answered 300; redirects are not followed'],
  [399, 'answered 399; redirects are not followed'],
  [400, 'answered 400'],
])('a receiver that always answers %i', async (status, observed) => {
  const report = await certifyTimeless([[answered, `response.writeHead(${status}).end()`]])
  expect(report.rules[0]).toMatchObject({ id: 'accept.signed', result: 'failed', observed })
})

const remembered = 'credited once, still known after 232 other events; more were not sent'

const reports: [what: string, edits: readonly Edit[], observed: Record<string, unknown>][] = [
  [
    'is right',
    [],
    {
      'refund.full': 'nothing credited any more',
      'refund.once': '10.00 taken back',
      'effect.dispute': 'a charge with an open dispute: nothing credited',
      'dispute.won': 'a charge after chargeback.won: credited',
      'retry.after-failure': 'credited once',
      'duplicate.memory': remembered,
    },
  ],
  [
    'is slow once',
    slow('wallet.created', 1),
    { 'answer.soon': expect.stringMatching(/^the slowest took 2\.5 s, and 1 of \d+ longer than 2 s$/) },
  ],
  [
    'is slow each time',
    afterMs(3334),
    { 'answer.beside-slow': 'the receiver answers too slowly for this check, usually after 3.3 s' },
  ],
  [
    'rejects many at once, and none of them at the second attempt',
    inBurst(''),
    { 'answer.many': '20 accepted at the second attempt', 'duplicate.memory': remembered },
  ],
  [
    'fails on a conversion from ETH',
    [before(`if (JSON.parse(Buffer.concat(chunks)).data.currency_from === 'ETH') ${answers(500)}`)],
    { 'events.rails': 'conversion.confirmed in ETH, without optional fields: answered 500' },
  ],
  [
    'asks for the repetition of more than twenty payments',
    repeatsPayments(isOfOthers),
    { 'retry.after-failure': 'credited once, 20 after errors of the receiver' },
  ],
]
test.each(reports)('the report on a receiver that %s says what was observed', async (_what, edits, observed) => {
  const report = await certifyTimeless(edits)
  const all = Object.fromEntries(report.rules.map((rule) => [rule.id, rule.observed]))
  expect(all, describeReport(report)).toMatchObject(observed)
})

test('without a state URL the receiver is sent events all the same, and the report says what nobody could read', async () => {
  const report = await certifyTimeless([], { statePath: null })
  expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
  expect(withResult(report, 'inconclusive'), describeReport(report)).toEqual([])
  const without = 'the result requires the state URL (--state-url or --state-command)'
  expect(observedOf(report, 'effect.applied')).toBe(`accepted; ${without}`)
  expect(observedOf(report, 'retry.after-failure')).toBe(`accepted after a broken connection; ${without}`)
  expect(observedOf(report, 'durable.restart')).toBe(`not tested; ${without}`)
})

const observedOf = (report: Report, id: string) => report.rules.find((rule) => rule.id === id)?.observed

test('a receiver is sent fifty events while it restarts, and awaited for ten seconds', async () => {
  const restarted = (restartMs: number, downMs: number) => certifyTimeless([], { restartMs, downMs })
  const inTime = await restarted(2000, 10_000)
  expect(withResult(inTime, 'failed'), describeReport(inTime)).toEqual([])
  expect(observedOf(inTime, 'durable.restart')).toBe('51 credited once')
  expect(observedOf(inTime, 'events.rails')).toBe('20 accepted')
  expect(observedOf(await restarted(500, 1), 'durable.restart')).toBe('26 credited once')
  const late = await restarted(2000, 10_001)
  expect(withResult(late, 'failed'), describeReport(late)).toEqual(['durable.restart'])
  expect(observedOf(late, 'durable.restart')).toBe('after the restart no event was accepted for 10 seconds')
})

test('what a receiver rejects while it is stopped need not survive the restart', async () => {
  const state = plant({ atMs: 0 })
  // During the restart an event is sent every 20 ms.
  const stopping = before(
    `const gapMs = Date.now() - ${state}.atMs\n ${state}.atMs = Date.now()\n if (gapMs === 20) ${answers(503)}`,
  )
  const report = await certifyTimeless([stopping], { restartMs: 500, downMs: 1 })
  expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
  expect(observedOf(report, 'durable.restart')).toBe('2 credited once')
})

test.each([
  [299, 'passed'],
  [300, 'inconclusive'],
])('a restart that is answered with %i makes its rule %s', async (status, result) => {
  const report = await certifyTimeless([['response.writeHead(404).end()', `response.writeHead(${status}).end()`]], {
    more: { restart: 'http://127.0.0.1:3000/again' },
  })
  expect(report.rules.find(({ id }) => id === 'durable.restart')?.result, describeReport(report)).toBe(result)
})

test('a receiver in production, which rejects events of a sandbox, is sent them without its header', async () => {
  const more = { production_url: 'https://127.0.0.1:3000/final' }
  const report = await certifyTimeless([], { production: true, more })
  expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
})

test.each([
  [299, 'passed'],
  [300, 'failed'],
  [399, 'failed'],
  [400, 'passed'],
])('a production URL that answers %i has %s', async (status, result) => {
  const report = await certifyTimeless([['response.writeHead(404).end()', `response.writeHead(${status}).end()`]], {
    more: { production_url: 'https://127.0.0.1:3000/final' },
  })
  expect(report.rules.find(({ id }) => id === 'production.https')?.result, describeReport(report)).toBe(result)
})
