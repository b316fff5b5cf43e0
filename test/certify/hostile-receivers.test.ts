/** Receivers that are not there, hang, break off, talk nonsense or send elsewhere: each ends in a report, and nobody else notices. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { receiverRuleIds } from '../../src/features/certify/receiver/rules.js'
import type { Report } from '../../src/features/certify/report/rules.js'
import {
  certify,
  certifySilent,
  certifyTimeless,
  describeReport,
  type Edit,
  openTried,
  withResult,
} from '../support/certify.js'
import { answer } from '../support/hostile-answers.js'
import { type Behave, startHostile } from '../support/hostile-receiver.js'
import { send } from '../support/http.js'
import { openReceiver } from '../support/receiver.js'
import { closeChecked, openForFile, openSandbox, type TestSandbox } from '../support/sandbox.js'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await openForFile()
})
afterAll(() => closeChecked(sandbox))

const certifyHostile = async (onRequest: Behave) => {
  const hostile = await startHostile({ onRequest })
  const report = await certify(sandbox, { url: `${hostile.url}/webhooks` })
  await hostile.close()
  return report
}
const seenOf = (report: { rules: { id: string; observed: string }[] }, id: string) =>
  report.rules.find((rule) => rule.id === id)?.observed

describe.concurrent('a receiver', () => {
  const brokenBy: [string, Behave, string, RegExp][] = [
    ['closes the connection', (socket) => socket.destroy(), 'accept.signed', /^the receiver closed the connection/],
    [
      'resets the connection',
      (socket) => socket.resetAndDestroy(),
      'accept.signed',
      /^the receiver closed the connection/,
    ],
    [
      'answers garbage',
      (socket) => socket.end('\0\x01garbage\r\n\r\n'),
      'accept.signed',
      /^the receiver closed the connection/,
    ],
    ['redirects', (socket) => socket.write(answer(302, '', 'Location: /x\r\n')), 'accept.signed', /302.*not followed/],
    ['is another program', (socket) => socket.write(answer(404, 'nothing here')), 'accept.signed', /^answered 404$/],
    ['always fails', (socket) => socket.write(answer(500, '')), 'accept.signed', /^answered 500$/],
  ]
  for (const [what, behave, breaks, says] of brokenBy)
    test(`that ${what} fails one rule, and the others are inconclusive`, async () => {
      const report = await certifyHostile(behave)
      expect(withResult(report, 'failed'), describeReport(report)).toEqual([breaks])
      expect(withResult(report, 'passed')).toEqual([])
      expect(report.verdict).toBe('failed')
      expect(seenOf(report, breaks)).toMatch(says)
    })

  test('that never answers fails one rule, and the others are inconclusive', async () => {
    const report = await certifySilent()
    expect(withResult(report, 'failed'), describeReport(report)).toEqual(['answer.in-time'])
    expect(withResult(report, 'passed')).toEqual([])
    expect(report.verdict).toBe('failed')
    expect(seenOf(report, 'answer.in-time')).toMatch(/^no response within 10 s$/)
  })

  test('that does not exist fails one rule', async () => {
    const report = await certify(sandbox, { url: 'http://127.0.0.1:9/webhooks' })
    expect(withResult(report, 'failed')).toEqual(['accept.signed'])
    expect(seenOf(report, 'accept.signed')).toMatch(/^nothing listens at this URL/)
  })
})

describe.concurrent('a state URL', () => {
  const accusesNobody = (report: Report, says: RegExp) => {
    expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
    expect(seenOf(report, 'effect.applied'), describeReport(report)).toMatch(says)
  }

  test('that cannot be called makes rules inconclusive, not failed', async () => {
    const tried = await openTried()
    const report = await certify(sandbox, { url: tried.url, state_url: 'http://127.0.0.1:9/state' })
    await tried.close()
    accusesNobody(report, /^the state URL cannot be read: refused/)
  })

  const unreadable: [what: string, edits: readonly Edit[], statePath: string, says: RegExp][] = [
    ['does not exist', [], 'webhooks', /^the state URL answered every request with 404/],
    [
      'answers HTML',
      [['JSON.stringify(stateOf(', '"<p>" + (String(']],
      'state',
      /^the state URL .* unknown format: <p>/,
    ],
  ]
  for (const [what, edits, statePath, says] of unreadable)
    test(`that ${what} makes rules inconclusive, not failed, and no rule passes by it`, async () => {
      const report = await certifyTimeless(edits, { statePath })
      accusesNobody(report, says)
      expect(report.state_error).toMatch(says)
      const needState = receiverRuleIds.filter((id) =>
        /^(effect|amounts|missed|different|order|retry|durable)/.test(id),
      )
      expect(withResult(report, 'inconclusive')).toEqual(expect.arrayContaining(needState))
      expect(report.rules.filter(({ observed }) => says.test(observed)).map(({ id }) => id)).toEqual(['effect.applied'])
    })

  test('that fails now and then is read again', async () => {
    const type = "response.setHeader('Content-Type', 'application/json')"
    const report = await certifyTimeless([
      ['const seen = new Set()', 'const seen = new Set()\n  const reads = new Set()'],
      [
        type,
        `if (!reads.has(request.url) && reads.add(request.url).size % 5 === 0) return request.socket.destroy()\n        ${type}`,
      ],
    ])
    accusesNobody(report, /^credited/)
    expect(report.state_error).toBeUndefined()
  })
})

describe('the production URL', () => {
  test('must be https with a trusted certificate', async () => {
    const tls = await startHostile({ certificate: 'self-signed', onRequest: (socket) => socket.write(answer(401, '')) })
    for (const [production_url, says] of [
      ['http://shop.example/webhooks', /is not an https/],
      [`${tls.url}/webhooks`, /^the certificate is not valid/],
    ] as const) {
      const report = await certify(sandbox, { url: 'http://127.0.0.1:9/', production_url })
      expect(withResult(report, 'failed')).toEqual(['accept.signed', 'production.https'])
      expect(seenOf(report, 'production.https')).toMatch(says)
    }
    await tls.close()
  })
})

describe('a certification', () => {
  test('leaves transactions, workspaces, the clock and balances unchanged', async () => {
    const state = async () =>
      Promise.all(
        ['/transactions', '/webhooks', '/clock', '/accounts', '/workspaces', '/disputes', '/wallets', '/ledger'].map(
          async (path) => (await sandbox.control('GET', path)).body,
        ),
      )
    const before = await state()
    const tried = await openTried()
    await certify(sandbox, { url: tried.url })
    await tried.close()
    expect(await state()).toEqual(before)
  })

  test('publishes each result on the event stream, under the requested name', async () => {
    const stop = new AbortController()
    const stream = await fetch(`${sandbox.url}/_sandbox/stream?types=certify`, { signal: stop.signal })
    const report = await sandbox.control('POST', '/certify/receiver', { url: 'http://127.0.0.1:9/', run: 'mine' })
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (text.split('event: certify').length <= report.body.rules.length) text += (await reader?.read())?.value ?? ''
    stop.abort()
    expect(text).toContain('{"type":"certify","id":"mine","status":"failed","rule":"accept.signed"')
  })

  test('uses the given secret (default: that of its workspace)', async () => {
    const tried = await openTried()
    const wrong = await sandbox.control('POST', '/certify/receiver', { url: tried.url, webhook_secret: 'whsec_other' })
    await tried.close()
    expect(wrong.body.rules[0]).toMatchObject({
      observed: 'answered 401; it accepts a signature with the demonstration secret',
      fix: expect.stringMatching(/^Configure the receiver with the current webhook_secret/),
    })
  })

  test('rejects blocked addresses, unknown modes and unknown fields', async () => {
    const refused = async (given: object) => {
      const { status, body } = await sandbox.control('POST', '/certify/receiver', given)
      return [status, body.error.code, body.error.details.field]
    }
    expect(await refused({})).toEqual([400, 'MISSING_REQUIRED_FIELD', 'url'])
    expect(await refused({ url: 'http://shop.example/' })).toEqual([422, 'INVALID_POSTBACK_URL', 'url'])
    const url = 'http://127.0.0.1:9/'
    expect(await refused({ url, state_url: 'ftp://x/' })).toEqual([422, 'INVALID_POSTBACK_URL', 'state_url'])
    expect(await refused({ url, mode: 'live' })).toEqual([422, 'INVALID_VALUE', 'mode'])
    expect(await refused({ url, state_uri: url })).toEqual([422, 'INVALID_VALUE', 'state_uri'])
  })

  test('against a shared sandbox reaches no private address, neither the receiver nor its state URL', async () => {
    const adminToken = 'a-token-for-this-test'
    const shared = await openSandbox({}, { host: '0.0.0.0', adminToken })
    const tried = await openTried()
    const { body } = await send(
      'POST',
      `${shared.url}/_sandbox/certify/receiver`,
      { url: tried.url, state_url: tried.stateUrl },
      { 'X-Sandbox-Admin-Token': adminToken },
    )
    await tried.close()
    expect(withResult(body, 'failed'), describeReport(body)).toEqual(['accept.signed'])
    expect(seenOf(body, 'accept.signed')).toContain('loopback address, which this sandbox is not allowed to call')
  })

  test('a load test of a private address from a shared sandbox sends nothing', async () => {
    const adminToken = 'a-token-for-this-test'
    const shared = await openSandbox({}, { host: '0.0.0.0', adminToken })
    const posts = await openReceiver()
    const certifyLoad = (url: string) =>
      send(
        'POST',
        `${shared.url}/_sandbox/certify/receiver`,
        { url, load: '5/s' },
        { 'X-Sandbox-Admin-Token': adminToken },
      )
    const { status, body } = await certifyLoad(posts.url)
    expect([status, body.verdict, body.load]).toEqual([200, 'failed', undefined])
    expect(body.rules[0]).toMatchObject({
      id: 'accept.signed',
      result: 'failed',
      observed: '127.0.0.1 is a loopback address, which this sandbox is not allowed to call',
      fix: expect.stringContaining('certify the receiver from a sandbox on your own machine'),
    })
    expect((await certifyLoad('http://shop.example/')).body.error.message).toBe('url is not an allowed webhook URL.')
    expect(posts.all).toEqual([])
  })
})
