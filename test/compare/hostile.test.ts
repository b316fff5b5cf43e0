/** Recordings of several producers, and invalid files. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { accept, isPassed, parseAccepted } from '../../src/features/compare/judge/accept.js'
import { headline, leftOutText, listed, valueText, verdictNames } from '../../src/features/compare/judge/verdicts.js'
import { compareEntries, compareText, copy, differences, find } from '../support/compared.js'
import { effortOfFourfold } from '../support/effort.js'
import { inheritedNames, withNameIn } from '../support/inherited-names.js'
import { playTransfers, recordTraffic } from '../support/recorded-traffic.js'
import { type HarEntry, harOf } from '../support/recording.js'

let recorded: Promise<HarEntry[]> | undefined
const entriesOf = async () => {
  recorded ??= recordTraffic({}, playTransfers)
  return copy(await recorded)
}

const reasons = async (text: string) =>
  (await compareText(text)).left_out.map(({ reason, entries }) => [reason, entries])

test.each([
  ['an empty file', '', 'the file is empty'],
  ['a text that is not JSON', 'hello', 'it is not a HAR file'],
  ['a list', '[]', 'it is not a HAR file'],
  ['JSON without a log', '{"a":1}', 'it has no log.entries'],
  ['a log without entries', '{"log":{"version":"1.2"}}', 'it has no log.entries'],
  ['a log with an empty list of entries', '{"log":{"entries":[]}}', 'there is nothing to compare'],
  ['a recording cut before its first entry', '{"log":{"entries":[', 'there is nothing to compare'],
  ['a recording of other hosts', '{"log":{"entries":[{"a":1}]}}', 'there is nothing to compare'],
])('a recording is rejected with a sentence that says what is missing: %s', async (_what, text, message) => {
  await expect(compareText(text)).rejects.toThrow(message)
})

test('an incomplete recording is compared up to its last complete exchange, and the report says so', async () => {
  const text = harOf(await entriesOf())
  const report = await compareText(text.slice(0, text.length - 200))
  expect(report.left_out).toContainEqual({ reason: 'the rest of the file, which is truncated', entries: 1 })
  expect(report.exchanges).toBeGreaterThan(2)
})

test('exchanges that the recorder did not write are counted in the report', async () => {
  const text = harOf(await entriesOf(), { _omitted: 3 })
  expect(await reasons(text)).toContainEqual(['exchanges or parts of them that the recorder left out', 3])
})

test('a call whose body the recorder did not write is not repeated without it', async () => {
  const entries = copy(await entriesOf())
  const call = find(entries, '/internal_transfers/payment')
  call.request.postData = { mimeType: 'application/json', text: '', _omitted: true }
  call.response.content.text = call.response.content.text.replace(
    /.*/s,
    '{"success":false,"error":{"code":"INVALID_JSON"}}',
  )
  expect(await reasons(harOf(entries))).toContainEqual(['calls whose body is not recorded', 1])
})

test('traffic of other hosts and paths, WebSockets and preflights are excluded and counted', async () => {
  const entries = await entriesOf()
  const [first] = entries
  const like = (url: string, more: object = {}) => ({
    ...first,
    _webhook: undefined,
    request: { ...first.request, url, ...more },
  })
  entries.push(
    like('https://other.example/v2/account/balance', { method: 'GET' }),
    like('wss://other.example/socket'),
    like(first.request.url, { method: 'OPTIONS' }),
    like(new URL('/favicon.ico', first.request.url).href, { method: 'GET' }),
    { ...first, response: { ...first.response, status: 0 } },
    { nonsense: true },
  )
  const report = await compareEntries(entries)
  expect(report.left_out).toEqual([
    { reason: 'WebSocket connections', entries: 1 },
    { reason: 'OPTIONS requests', entries: 1 },
    { reason: 'requests without a response', entries: 1 },
    { reason: 'entries without a method or a URL', entries: 1 },
    { reason: 'exchanges with other hosts', entries: 1 },
    { reason: 'exchanges with other paths of the platform', entries: 1 },
  ])
  expect(differences(report)).toEqual([])
})

test('a webhook that is not a POST request is excluded and counted', async () => {
  const entries = await entriesOf()
  const webhook = entries.find((entry) => entry._webhook === true)
  entries.push({ ...webhook, request: { ...webhook?.request, method: 'GET' } })
  const report = await compareEntries(entries)
  expect(report.left_out).toEqual([{ reason: 'webhooks that are not POST requests', entries: 1 }])
  expect(differences(report)).toEqual([])
})

test('the report says in words what it left out', () => {
  const texts = [
    { reason: 'exchanges with other hosts', entries: 25 },
    { reason: 'duplicate entries', entries: 1 },
    { reason: 'the entries were out of order and have been sorted', entries: 0 },
  ].map((one) => leftOutText(one))
  expect(texts).toEqual([
    'Left out: exchanges with other hosts (25 entries).',
    'Left out: duplicate entries (1 entry).',
    'The entries were out of order and have been sorted.',
  ])
})

test('the report counts in words, and says how many names it leaves out', () => {
  expect(headline({ exchanges: 1, webhooks: 2, fields: 0, recordings: 1 })).toBe(
    '1 call, 2 webhooks and 0 fields of 1 recording compared',
  )
  expect([listed(['a', 'b'], 2), listed(['a', 'b', 'c', 'd'], 2)]).toEqual(['a, b', 'a, b and 2 more'])
  const finding = { platform: null, sandbox: '5', absent: 'platform' }
  expect([valueText(finding, 'platform'), valueText(finding, 'sandbox')]).toEqual(['absent', '"5"'])
})

const known = { verdict: 'unknown_field', call: 'POST /v2/a', path: 'data.b', reason: 'harmless', date: '2026-11-21' }

test.each<[string, unknown, string]>([
  ['no list', 'none', 'the file must be a list of accepted differences'],
  ['too many entries', Array.from({ length: 1001 }, () => known), 'the file must have at most 1000 entries'],
  ['an entry that is no object', [known, 'b'], 'entry 2 must be an object'],
  ['an unknown field', [{ ...known, since: 1 }], 'entry 1 has no field since'],
  ['another verdict', [{ ...known, verdict: 'no' }], `entry 1, verdict must be one of ${verdictNames.join(', ')}`],
  ['an empty text', [{ ...known, call: '' }], 'entry 1, call must not be empty'],
  ['a long text', [{ ...known, reason: 'x'.repeat(501) }], 'entry 1, reason must be at most 500 characters'],
  ['a day that does not exist', [{ ...known, date: '2026-02-30' }], 'entry 1, date must be a day such as 2026-11-21'],
])('a list of accepted differences is rejected with the place of the mistake: %s', (_what, value, mistake) => {
  expect(parseAccepted(value)).toEqual({ mistakes: [mistake] })
})

test('a list of accepted differences can be empty, and as long and with texts as long as documented', () => {
  expect(parseAccepted(null)).toEqual({ accepted: [] })
  const accepted = Array.from({ length: 1000 }, () => ({ ...known, call: 'x', reason: 'x'.repeat(500) }))
  expect(parseAccepted(accepted)).toEqual({ accepted })
})

test('a comparison passes if all its differences are accepted, and each accepted difference still occurs', async () => {
  const entries = await entriesOf()
  const confirmed = await compareEntries(entries)
  const { call } = confirmed.findings[0] ?? expect.fail()
  const [finding] = confirmed.findings.map((one) => ({ ...one, verdict: 'unknown_field' as const, path: 'data.b' }))
  const report = { ...confirmed, findings: [...confirmed.findings, finding ?? expect.fail()] }
  const outcome = (...paths: string[]) => {
    const list = paths.map((path) => ({ ...known, verdict: 'unknown_field' as const, call, path }))
    const { report: marked, stale } = accept(report, list)
    return [isPassed(marked, stale), stale.map(({ path }) => path)]
  }
  expect(outcome()).toEqual([false, []])
  expect(outcome('data.b')).toEqual([true, []])
  expect(outcome('data.b', 'data.c')).toEqual([false, ['data.c']])
})

test('duplicate entries count once, and entries out of order are sorted', async () => {
  const entries = await entriesOf()
  const report = await compareEntries([...entries.toReversed(), ...copy(entries)])
  expect(differences(report)).toEqual([])
  expect(report.left_out).toContainEqual({ reason: 'duplicate entries', entries: entries.length })
})

test('bodies in base64, compressed and in chunks are read', async () => {
  const entries = await entriesOf()
  const { response } = find(entries, '/conversions/rate')
  response.headers.push({ name: 'content-encoding', value: 'gzip' })
  response.content = { text: gzipSync(response.content.text).toString('base64'), encoding: 'base64' }
  const other = find(entries, '/conversions/simulate').response
  const { length } = Buffer.from(other.content.text)
  other.headers.push({ name: 'transfer-encoding', value: 'chunked' })
  other.content.text = `${length.toString(16)}\r\n${other.content.text}\r\n0\r\n\r\n`
  const report = await compareEntries(entries)
  expect(differences(report)).toEqual([])
  expect(report.left_out).toEqual([])
})

test('webhooks of other producers are recognized by their headers', async () => {
  const entries = (await entriesOf()).map(({ _webhook, ...entry }) => entry)
  const report = await compareEntries(entries)
  expect(differences(report)).toEqual([])
  expect(report.webhooks).toBeGreaterThan(2)
})

test('a recording without webhooks is compared by its responses alone', async () => {
  const entries = (await entriesOf()).filter(({ _webhook }) => _webhook !== true)
  expect(differences(await compareEntries(entries))).toEqual([])
})

test('a recording without calls is compared by its webhooks alone', async () => {
  const entries = (await entriesOf()).filter(({ _webhook }) => _webhook === true)
  const report = await compareEntries(entries)
  expect(report.exchanges).toBe(0)
  expect(differences(report).every(({ verdict }) => verdict === 'unexplained')).toBe(true)
})

test('hostile values in a recording cause findings, not errors', async () => {
  const entries = await entriesOf()
  const texts = [
    '{"__proto__":{"a":1}}',
    '[[[[',
    '"text"',
    'null',
    '{"data":null}',
    `{"data":${'['.repeat(100)}${']'.repeat(100)}}`,
  ]
  for (const [at, text] of texts.entries()) {
    const entry = entries[at + 1]
    if (entry?._webhook === true) entry.request.postData.text = text
    else if (entry !== undefined) entry.response.content.text = text
  }
  const report = await compareEntries(entries)
  expect(report.findings.length).toBeGreaterThan(0)
})

test('many calls are compared in time that grows with their number', async () => {
  const entries = await entriesOf()
  const rate = find(entries, '/conversions/rate')
  const from = Date.parse(rate.startedDateTime)
  const many = Array.from({ length: 500 }, (_, at) => ({
    ...rate,
    startedDateTime: new Date(from + at * 1000).toISOString(),
  }))
  const timesAsMuch = await effortOfFourfold(async (times) => {
    const report = await compareEntries(many.slice(0, 125 * times))
    expect(report.exchanges).toBe(125 * times)
  })
  expect(timesAsMuch).toBeLessThan(8)
})

test('a field of a response, a request or a webhook whose name every object inherits is compared like any other field', async () => {
  const entries = await entriesOf()
  const [call, hook] = [entries.find(({ _webhook }) => !_webhook), entries.find(({ _webhook }) => _webhook)]
  const bodies: { holder: HarEntry; text: string }[] = [
    { holder: call.response.content, text: call.response.content.text },
    { holder: call.request.postData, text: call.request.postData.text },
    { holder: hook.request.postData, text: hook.request.postData.text },
  ]
  for (const { holder, text } of bodies)
    for (const body of withNameIn(JSON.parse(text))) {
      const findingsFor = async (name: string) => {
        holder.text = body(name)
        return JSON.stringify(await compareText(harOf(entries))).replaceAll(name, 'NAME')
      }
      const other = await findingsFor(inheritedNames[0][1])
      for (const [name] of inheritedNames) expect(await findingsFor(name), name).toBe(other)
      holder.text = text
    }
})

test('a recorded form is repeated as it was sent, with quotes in names and its boundary within a text', async () => {
  const message = '--Delivered, see "receipt".'
  const entries = await recordTraffic({}, async ({ sandbox, api }) => {
    const charge = await api.cashin({ amount: 60, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', { id: charge.transaction_id })
    await sandbox.clock.advance(0)
    const { object } = await sandbox.trigger('dispute.open', { id: charge.transaction_id })
    await sandbox.clock.advance(0)
    const files = [{ name: 'a "b".pdf', content: '%PDF-1.4\n%%EOF\n' }]
    await api.infractionReply({ id: object.infraction_id, message }, { files } as never)
    await sandbox.clock.advance(0)
    await api.infractionDetail({ id: object.infraction_id })
  })
  const { request } = entries.find((entry) => entry.request.postData?.text.includes(message)) ?? expect.fail()
  const boundary = request.postData.text.slice(2, request.postData.text.indexOf('\r\n'))
  request.postData.text = request.postData.text.replaceAll(boundary, 'Delivered').replaceAll('%22', '\\"')
  for (const header of request.headers) header.value = header.value.replaceAll(boundary, 'Delivered')
  const report = await compareEntries(entries)
  expect(differences(report)).toEqual([])
})
