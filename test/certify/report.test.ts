/** What a certification prints and writes about receivers that fail at the first event. */
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keysOf } from '../../src/base/keys.js'
import { receiverRuleIds } from '../../src/features/certify/receiver/rules.js'
import { exampleNames } from '../../src/features/certify/report/rules.js'
import { exampleIn, languages } from '../../src/features/certify/report/text.js'
import { built } from '../support/built.js'
import { run, withoutProgress } from '../support/program.js'
import { secretsOf } from '../support/signing.js'

const { signingKey } = secretsOf('merchant')
const files = mkdtempSync(join(tmpdir(), 'payments-sandbox-report-'))
const ownFolder = () => mkdtempSync(join(files, 'test-'))
const servers: Server[] = []
beforeAll(() => built())
afterAll(() => {
  rmSync(files, { recursive: true, force: true })
  for (const server of servers) server.close().closeAllConnections()
})

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const answering = (status: number) =>
  listen((request, response) => void request.resume().on('end', () => response.writeHead(status).end()))
const crashing = () => listen((request) => void request.on('data', () => request.socket.destroy()))
const refusing = async () => 'http://127.0.0.1:9/'

const certify = (url: string, args: readonly string[] = [], cwd = ownFolder()) =>
  run(['certify', 'receiver', '--url', url, ...args], { cwd })

const hiddenRules = receiverRuleIds.filter((id) => !['accept.signed', 'production.https'].includes(id))

describe.concurrent('a receiver that accepts no event', () => {
  const cases: [what: string, open: () => Promise<string>, fix: RegExp, not: RegExp][] = [
    ['crashes with 500', () => answering(500), /reports an error of its own\. Read the receiver's own log/, /secret/],
    ['is behind a proxy that answers 502', () => answering(502), /A proxy answers so/, /secret/],
    ['has another path', () => answering(404), /no handler at this path/, /secret|log/],
    ['takes no POST', () => answering(405), /does not accept POST/, /secret|log/],
    ['rejects every signature', () => answering(401), /webhook_secret of the sandbox/, /own log/],
    ['redirects', () => answering(302), /Use the address that the redirect names/, /secret|log/],
    ['closes the connection', crashing, /connection ended before a response.*Read the receiver's own log/, /secret/],
    ['is not there', refusing, /Start the receiver, and check the host/, /secret|log/],
  ]
  for (const [what, open, expected, not] of cases)
    test(`that ${what} gets a short report with the fix for it`, async () => {
      const { code, stdout, stderr } = await certify(await open())
      expect([code, withoutProgress(stderr)]).toEqual([1, ''])
      const fix = /^ {3}fix .*$/m.exec(stdout)?.[0]
      expect(fix).toMatch(expected)
      expect(fix).not.toMatch(not)
      expect(stdout.match(/not tested/g)).toHaveLength(1)
      expect(stdout).toContain(`? ${hiddenRules.length} requirements were not tested because accept.signed failed\n`)
      expect(stdout.split('\n').length).toBeLessThan(45)
    })
})

test('a receiver that accepted events and then stopped is not reported as one that was never there', async () => {
  let left = 3
  const server = createServer((request, response) => {
    if (left-- > 0) return void request.resume().on('end', () => response.end())
    request.socket.destroy()
    server.close().closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { stdout } = await certify(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ['--json'])
  const stopped = JSON.parse(stdout).rules.filter(({ observed }: { observed: string }) => observed.includes('listens'))
  expect(stopped).toMatchObject([
    {
      observed: expect.stringContaining('nothing listens at this URL any more'),
      fix: expect.stringMatching(/^The receiver has stopped\. Read the receiver's own log/),
    },
  ])
})

test('JSON lists each rule with its result and the group; JUnit and Markdown show the group as one line', async () => {
  const url = await answering(500)
  const folder = ownFolder()
  const [xml, md] = [join(folder, 'out.xml'), join(folder, 'out.md')]
  const report = JSON.parse((await certify(url, ['--json', '--junit', xml, '--markdown', md])).stdout)
  expect(report.rules.map(({ id }: { id: string }) => id)).toEqual(receiverRuleIds)
  expect(report.not_tested).toEqual([
    { blocked_by: 'accept.signed', reason: 'not tested because accept.signed failed', rules: hiddenRules },
  ])
  const hidden = report.rules.filter((rule: { blocked_by?: string }) => rule.blocked_by === 'accept.signed')
  expect(hidden.map(({ id, result }: { id: string; result: string }) => [id, result])).toEqual(
    hiddenRules.map((id) => [id, 'inconclusive']),
  )
  const junit = readFileSync(xml, 'utf8')
  expect(junit).toContain('tests="3" failures="1" errors="0" skipped="2"')
  expect(junit.match(/<testcase /g)).toHaveLength(3)
  expect(junit).toContain(`name="${hiddenRules.length} requirements were not tested because accept.signed failed"`)
  const markdown = readFileSync(md, 'utf8')
  expect(markdown.match(/not tested because/g)).toHaveLength(1)
  expect(markdown).toContain('own log')
})

test('the fix follows the mistake that the finding names', async () => {
  const url = await listen((request, response) => {
    const parts: Buffer[] = []
    request
      .on('data', (part) => parts.push(part))
      .on('end', () => {
        const right = createHmac('sha256', signingKey).update(Buffer.concat(parts)).digest('hex')
        response.writeHead(request.headers['x-webhook-signature'] === right ? 200 : 401).end()
      })
  })
  const { stdout } = await certify(url)
  expect(stdout).toContain('answered 401; it uses signing_key as the key; webhooks are signed with webhook_secret\n')
  expect(stdout).toContain(
    'fix     Use webhook_secret as the key, not signing_key; payments-sandbox env prints both.\n',
  )
})

describe.concurrent('example code', () => {
  test('exists in every language for every name that a requirement can have', () => {
    for (const language of keysOf(languages)) {
      const missing = exampleNames.filter((name) => (exampleIn(language, name) ?? '') === '')
      expect(missing, language).toEqual([])
    }
  })

  test('is shown in the language of --language, and names the others', async () => {
    const { stdout } = await certify(await answering(401), ['--language', 'python'])
    expect(stdout).toContain('Example code in Python (others: --language node, --language php)')
    expect(stdout).toContain('hmac.compare_digest')
    expect(stdout).not.toContain('timingSafeEqual')
    expect((await certify('http://127.0.0.1:9/', ['--language', 'cobol'])).code).toBe(2)
  })

  test('is shown in the language of the current folder, else for Node', async () => {
    const folder = ownFolder()
    const url = await answering(401)
    expect((await certify(url, [], folder)).stdout).toContain('Example code in Node')
    writeFileSync(join(folder, 'composer.json'), '{}')
    expect((await certify(url, [], folder)).stdout).toContain('Example code in PHP')
  })

  test('is omitted when code is not the cause', async () => {
    expect((await certify('http://127.0.0.1:9/')).stdout).not.toContain('Example code')
  })
})

test('a client report shows each warning of its calls once', async () => {
  const program = `const { env } = process
    const basic = btoa(env.PAYMENTS_SANDBOX_CLIENT_ID + ':' + env.PAYMENTS_SANDBOX_CLIENT_SECRET)
    const post = (path, authorization, body) => fetch(env.PAYMENTS_SANDBOX_URL + path, { method: 'POST', body: JSON.stringify(body),
      headers: { Authorization: authorization, 'Content-Type': 'application/json' } }).then((answer) => answer.json())
    for (let at = 0; at < 4; at++) {
      const { access_token } = await post('/v2/oauth/token', 'Basic ' + basic, { grant_type: 'client_credentials' })
      await post('/v2/transactions/cashin', 'Bearer ' + access_token, { amount: 5, ammount: 3, currency: 'BRL' })
    }`
  const words = ['--', 'node', '--input-type=module', '-e', program]
  const { stdout } = await run(['certify', 'client', '--observe', ...words], { cwd: ownFolder() })
  expect(stdout).toMatch(
    /Warnings\n(.*\n)* {2}! unknown_field: POST .*cashin \(4 calls, first req_\w+\): .* did you mean amount\?/,
  )
  expect(stdout).toMatch(/! token_per_call: POST \/v2\/oauth\/token \(2 calls/)
  const { warnings } = JSON.parse((await run(['certify', 'client', '--observe', '--json', ...words])).stdout)
  expect(warnings).toHaveLength(3)
  expect(warnings[0]).toMatchObject({ code: 'no_external_id', path: '/v2/transactions/cashin', calls: 4 })
})
