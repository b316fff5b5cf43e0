/** `payments-sandbox probe`: what it calls, records and reports, and targets that do not answer as they should. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { probeIds, probeOf, probesByRow } from '../../src/features/compare/probe/probes.js'
import { type ProbeReport, reportText } from '../../src/features/compare/probe/report.js'
import { built } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'
import { freePort } from '../support/free-port.js'
import { probeSandbox } from '../support/probed.js'
import { ended, launch, run, type Started, startHereForTest } from '../support/program.js'

beforeAll(async () => void (await built()))

interface Credential {
  client_id: string
  client_secret: string
  signing_key: string
}

const credentialOf = ({ ready }: Started): Credential => {
  const [credential] = ready.accounts[0]?.credentials ?? []
  if (credential === undefined) throw new Error('the sandbox has no credential')
  return credential
}

/** Arguments and variables of a run whose state no other run sees. */
function ofRun(target: string, { client_id: id, client_secret: secret }: Credential, ...more: string[]) {
  const args = ['probe', '--target', target, '--client-id', id, '--client-secret', secret, ...more]
  return { args, env: { PAYMENTS_SANDBOX_STATE_FOLDER: temporaryFolder() } }
}

/** Runs `probe --json`. */
async function probe(target: string, credential: Credential, ...more: string[]) {
  const { args, env } = ofRun(target, credential, '--json', ...more)
  const { code, stdout, stderr } = await run(args, { env })
  return { code, report: (stdout === '' ? null : JSON.parse(stdout)) as ProbeReport, stdout, stderr }
}

const entriesIn = (file: string) => JSON.parse(readFileSync(file, 'utf8')).log.entries as { _probe: string }[]
const resultsOf = ({ probes }: ProbeReport, ...names: string[]) =>
  probes.flatMap(({ id, result, detail }) => (names.includes(result) ? [`${id}: ${detail}`] : []))
const noCredential = { client_id: 'one', client_secret: 'two', signing_key: 'three' }

/** A server that answers what the test wants, and otherwise passes the call on to a sandbox. */
async function openTarget(
  sandbox: string | null,
  answer: (number: number, request: IncomingMessage, response: ServerResponse, body: Buffer) => boolean,
): Promise<string> {
  let calls = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (answer(++calls, request, response, Buffer.concat(chunks))) return
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
    const body = request.method === 'GET' ? null : Buffer.concat(chunks)
    const passed = await fetch(`${sandbox}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      body,
    })
    response.writeHead(passed.status, Object.fromEntries(passed.headers)).end(await passed.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a run of the probes', () => {
  test('agrees with the sandbox itself in every probe, and observes at least 85 % of what probes can observe', async () => {
    const port = await freePort()
    const sandbox = await startHereForTest(['--webhook-url', `http://127.0.0.1:${port}/hooks`])
    const credential = credentialOf(sandbox)
    const file = join(temporaryFolder(), 'probe.har')
    const flags = ['--money', 'small', '--withdrawals', '--webhooks-port', String(port), '--out', file]
    const key = ['--signing-key', credential.signing_key]
    const { code, report, stdout, stderr } = await probe(sandbox.url, credential, ...flags, ...key)
    expect(resultsOf(report, 'differed', 'failed', 'not_run')).toEqual([])
    expect(resultsOf(report, 'skipped')).toEqual(['dispute: a dispute in the account'])
    expect(code, stderr).toBe(0)
    const sum = (name: 'observed' | 'of') => Object.values(report.coverage).reduce((all, one) => all + one[name], 0)
    expect(sum('observed') / sum('of')).toBeGreaterThanOrEqual(0.85)
    expect(sum('of')).toBe(probesByRow().size)
    // Each row that a probe names agrees in a place where it could have differed.
    expect(report.rows.not_observed).toEqual(['dispute-uuid'])
    expect(Object.values(report.divergence).map(({ differs }) => differs)).toEqual([0, 0, 0, 0, 0, 0])
    const recorded = readFileSync(file, 'utf8')
    for (const secret of [credential.client_secret, credential.signing_key, 'at_'])
      expect([recorded, stdout, stderr].filter((text) => text.includes(secret))).toEqual([])
    // The file is a recording like any other.
    expect((await run(['compare', file])).code).toBe(0)
  })

  test('only reads, and makes calls that are rejected, unless money is allowed', async () => {
    const sandbox = await startHereForTest()
    const credential = credentialOf(sandbox)
    const { code, report } = await probe(sandbox.url, credential, '--signing-key', credential.signing_key)
    expect(resultsOf(report, 'differed', 'failed', 'not_run')).toEqual([])
    expect(code).toBe(0)
    expect((await (await fetch(`${sandbox.url}/_sandbox/transactions`)).json()).data).toEqual([])
    expect((await (await fetch(`${sandbox.url}/_sandbox/wallets`)).json()).data).toEqual([])
  })

  test('makes charges and fixed wallets with --money small, but no withdrawal and no conversion', async () => {
    const sandbox = await startHereForTest()
    const credential = credentialOf(sandbox)
    const key = ['--signing-key', credential.signing_key]
    const { code, report } = await probe(sandbox.url, credential, '--money', 'small', ...key)
    expect(resultsOf(report, 'differed', 'failed', 'not_run')).toEqual([])
    expect(code).toBe(0)
    const { data } = await (await fetch(`${sandbox.url}/_sandbox/transactions?limit=100`)).json()
    expect([...new Set(data.map(({ type }: { type: string }) => type))]).toEqual(['cashin'])
    expect(data.length).toBeGreaterThan(10)
  })

  test('agrees on an account with charges of an earlier run and an old dispute, which it says it does not compare', async () => {
    const sandbox = await startHereForTest()
    const credential = credentialOf(sandbox)
    const earlier = await probe(sandbox.url, credential, '--money', 'small')
    expect(earlier.code, earlier.stderr).toBe(0)
    const opened = await fetch(`${sandbox.url}/_sandbox/trigger`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ action: 'dispute.open', create: true }),
    })
    expect(opened.status, await opened.text()).toBe(200)
    const { code, report } = await probe(sandbox.url, credential, '--money', 'small')
    expect(resultsOf(report, 'differed', 'failed', 'not_run')).toEqual([])
    expect(code).toBe(0)
    const skipped = 'not compared: calls about a dispute'
    expect(report.comparison?.left_out.map(({ reason }) => reason).join()).toContain(skipped)
    expect(resultsOf(report, 'skipped')).toContainEqual(expect.stringContaining(`dispute: ${skipped}`))
    expect(report.rows).toMatchObject({ differ: [], not_observed: expect.arrayContaining(['dispute-uuid']) })
    expect(reportText(report)).toMatch(/not observed: .+, .+ and \d+ more|not observed: \S/)
  })

  test('waits once for webhooks that do not arrive, says so, and names the probes that saw none', async () => {
    const waits: string[] = []
    const report = await probeSandbox(
      { cashoutSettle: '150ms' },
      {
        webhookProxy: async () => `http://127.0.0.1:${await freePort()}`,
        config: { cashoutSettle: 'auto', cashoutSettleMs: 150 },
        webhookMs: 1000,
        onWait: (text) => waits.push(text),
      },
    )
    expect(waits).toEqual([
      expect.stringMatching(/^waiting for webhooks of wallets \(wallet\.created\) until \d\d:\d\d:\d\d UTC$/),
    ])
    expect(report).toMatchObject({ status: 'incomplete', stopped: null })
    expect(resultsOf(report, 'differed', 'not_run')).toEqual([])
    const silent = probeIds.filter((id) => probeOf(id).webhooks !== undefined)
    expect(report.without_webhooks).toEqual(silent)
    expect(reportText(report)).toContain(`${silent.join(', ')}: no webhook arrived within 1 s`)
  })

  test('prints what it does and costs with --dry-run, without any call', async () => {
    const target = `http://127.0.0.1:${await freePort()}`
    const plain = await run(['probe', '--target', target, '--dry-run'])
    expect(plain.code, plain.stderr).toBe(0)
    expect(plain.stdout).toMatch(new RegExp(`probes {2}\\d+ of ${probeIds.length}, \\d+ calls to`))
    expect(plain.stdout).toContain('costs   nothing')
    const flags = ['--money', 'small', '--withdrawals', '--signing-key', 'one', '--json']
    const { stdout } = await run(['probe', '--target', target, '--dry-run', ...flags])
    const { probes, costs } = JSON.parse(stdout)
    expect(probes.length).toBe(probeIds.length)
    expect(costs.join()).toMatch(/\d+ charges.*5 BRL.*20 MXN.*9 withdrawals.*1 conversion/)
  })

  test('refuses to run twice within a minute against one target', async () => {
    const sandbox = await startHereForTest()
    const { args, env } = ofRun(sandbox.url, credentialOf(sandbox))
    expect((await run(args, { env })).code).toBe(0)
    const again = await run(args, { env })
    expect(again.code).toBe(2)
    expect(again.stderr).toMatch(/the last run against .* was \d+ s ago; try again in \d+ s/)
  })

  test('that is interrupted leaves a report and a recording, and --resume makes only the probes that are left', async () => {
    const sandbox = await startHereForTest()
    const file = join(temporaryFolder(), 'probe.har')
    let child: ReturnType<typeof launch> | undefined
    const target = await openTarget(sandbox.url, (number) => {
      if (number === 40) child?.kill('SIGINT')
      return number === 40
    })
    const { args, env } = ofRun(target, credentialOf(sandbox), '--out', file, '--json')
    child = launch(args, { env })
    const { code, stdout, stderr } = await ended(child)
    expect(code, stderr).toBe(4)
    const first = JSON.parse(stdout) as ProbeReport
    expect(first).toMatchObject({ status: 'incomplete', stopped: 'it was interrupted' })
    expect(resultsOf(first, 'differed', 'failed')).toEqual([])
    const before = new Set(entriesIn(file).map(({ _probe: id }) => id))
    expect(before.size).toBeGreaterThan(8)
    const resumed = await run([...args, '--resume'], { env })
    expect(resumed.code, resumed.stderr + resumed.stdout).toBe(0)
    const second = JSON.parse(resumed.stdout) as ProbeReport
    expect(second.status).toBe('complete')
    const ids = entriesIn(file).map(({ _probe: id }) => id)
    // Whether the account has a dispute shows only in a call.
    const called = second.probes.filter(({ id, result }) => result === 'agreed' || id === 'dispute').map(({ id }) => id)
    expect([...new Set(ids)].sort()).toEqual(called.sort())
    // Each probe that was complete before has its entries once.
    expect(ids.filter((id) => id === 'balance').length).toBe(1)
  })

  test('that is interrupted while it fetches its token leaves a report, and is incomplete', async () => {
    let child: ReturnType<typeof launch> | undefined
    const target = await openTarget(null, () => child?.kill('SIGINT') ?? true)
    const file = join(temporaryFolder(), 'probe.har')
    const { args, env } = ofRun(target, noCredential, '--out', file)
    child = launch(args, { env })
    const { code, stdout, stderr } = await ended(child)
    expect(code, stderr).toBe(4)
    expect(stdout).toMatch(/The run ended early: it was interrupted\.\nContinue it with --resume\./)
    expect((await run([...args, '--resume', '--dry-run'], { env })).code).toBe(0)
  })

  test('that is interrupted while it prints its plan says that nothing was done, and can start again', async () => {
    const target = await openTarget(null, () => true)
    const file = join(temporaryFolder(), 'probe.har')
    const { args, env } = ofRun(target, noCredential, '--out', file)
    // The signal arrives before the plan is written.
    const inside = `const {write} = process.stdout; process.stdout.write = (text, ...more) => {
      if (String(text).includes('costs ')) process.emit('SIGINT', 'SIGINT') || process.kill(process.pid, 'SIGINT')
      return write.call(process.stdout, text, ...more)
    }`
    const preload = `--import=data:text/javascript,${encodeURIComponent(inside)}`
    const { code, stdout, stderr } = await run(args, { env: { ...env, NODE_OPTIONS: preload } })
    expect(code, stderr).toBe(4)
    expect(stdout).toContain('The run ended early: it was interrupted before its first call.\n')
    expect(stdout).toContain('Nothing was called or written. Start it again.\n')
    expect(existsSync(file)).toBe(false)
    const planned = await run([...args, '--dry-run'], { env })
    expect(planned.code, planned.stderr).toBe(0)
  })

  test('continued after an interrupted withdrawal says that it is made again, and invents no difference of a balance', async () => {
    const port = await freePort()
    const sandbox = await startHereForTest(['--webhook-url', `http://127.0.0.1:${port}/hooks`])
    const credential = credentialOf(sandbox)
    const file = join(temporaryFolder(), 'probe.har')
    let child: ReturnType<typeof launch> | undefined
    const target = await openTarget(sandbox.url, (_number, { url }, _response, body) => {
      // The platform makes the withdrawal all the same.
      if (url?.endsWith('/cashout') === true && body.includes('unknown-key')) child?.kill('SIGKILL')
      return false
    })
    const flags = ['--money', 'small', '--withdrawals', '--webhooks-port', String(port), '--out', file]
    const { args, env } = ofRun(target, credential, ...flags, '--signing-key', credential.signing_key, '--json')
    child = launch(args, { env })
    await ended(child)
    const done = JSON.parse(readFileSync(file, 'utf8')).log._probe.done.length
    const left = `probes  ${probeIds.length - done} of ${probeIds.length}, `
    const planned = await run([...args, '--resume', '--dry-run'], { env })
    expect(JSON.parse(planned.stdout).probes.filter((one: { runs: boolean }) => one.runs).length).toBe(
      probeIds.length - done,
    )
    expect(JSON.parse(planned.stdout).costs.join()).not.toContain('charge')
    const { code, stdout, stderr } = await run([...args, '--resume'], { env })
    expect(stderr).toContain(left)
    expect(stderr).toContain(`done    ${done} probes`)
    expect(stderr).toContain('again   unknown_key: interrupted')
    const report = JSON.parse(stdout) as ProbeReport
    expect(resultsOf(report, 'differed', 'failed', 'not_run')).toEqual([])
    const reason = 'balances are not compared, because a withdrawal was interrupted'
    expect(resultsOf(report, 'skipped').filter((row) => row.includes('balance'))).toEqual([`balance_after: ${reason}`])
    expect(report.comparison?.left_out.filter((one) => one.reason === reason).length).toBe(1)
    expect(code, stderr).toBe(0)
  })

  test('continued after charges compares no texts of before, which have other pseudonyms', async () => {
    const sandbox = await startHereForTest()
    const credential = credentialOf(sandbox)
    const file = join(temporaryFolder(), 'probe.har')
    let child: ReturnType<typeof launch> | undefined
    const target = await openTarget(sandbox.url, (_number, _request, _response, body) => {
      if (body.includes('-14"')) child?.kill('SIGKILL')
      return false
    })
    const { args, env } = ofRun(target, credential, '--money', 'small', '--out', file, '--json')
    child = launch(args, { env })
    await ended(child)
    const { code, stdout, stderr } = await run([...args, '--resume'], { env })
    const report = JSON.parse(stdout) as ProbeReport
    expect(resultsOf(report, 'differed', 'failed', 'not_run')).toEqual([])
    expect(code, stderr).toBe(0)
  })

  test('does not continue a file of another program or another target', async () => {
    const file = join(temporaryFolder(), 'probe.har')
    writeFileSync(
      file,
      '{"log":{"version":"1.2","creator":{"name":"payments-sandbox record","version":"1"},"entries":[]}}',
    )
    const { code, stderr } = await probe('http://127.0.0.1:9', noCredential, '--out', file, '--resume')
    expect(code).toBe(2)
    expect(stderr).toContain('it is not a recording of payments-sandbox probe')
  })
})

describe('signatures', () => {
  test('made with a wrong key agree with nothing: the probes that need the right one are not observed', async () => {
    const sandbox = await startHereForTest()
    const { code, report } = await probe(sandbox.url, credentialOf(sandbox), '--signing-key', 'another')
    expect(code).toBe(4)
    expect(report).toMatchObject({ status: 'incomplete', stopped: null })
    expect(resultsOf(report, 'differed', 'not_run')).toEqual([])
    expect(resultsOf(report, 'failed')).toEqual([
      'timestamp_window: POST /v2/internal_transfers/payment answered 401 INVALID_SIGNATURE; check --signing-key',
      'signature_headers: POST /v2/internal_transfers/payment answered 401 INVALID_SIGNATURE; check --signing-key',
      'signed_body: POST /v2/transactions/cashout answered 401 INVALID_SIGNATURE; check --signing-key',
      'nonce: POST /v2/internal_transfers/payment answered 401 INVALID_SIGNATURE; check --signing-key',
      'signed_requests: POST /v2/pix/payment answered 401 INVALID_SIGNATURE; check --signing-key',
    ])
  })
})

describe('a target', () => {
  test('whose error code or Retry-After is a secret does not get it printed', async () => {
    const secret = 'secret_4f9b1c7d'
    const sandbox = await startHereForTest()
    const target = await openTarget(sandbox.url, (number, _request, response) => {
      if (number > 6) response.writeHead(number === 7 ? 500 : 429, { 'Retry-After': secret })
      if (number > 6) response.end(JSON.stringify({ error: { code: secret } }))
      return number > 6
    })
    const file = join(temporaryFolder(), 'probe.har')
    const { args, env } = ofRun(target, credentialOf(sandbox), '--out', file)
    const { code, stdout, stderr } = await run(args, { env })
    expect(code).toBe(4)
    expect(stdout).toContain('answered 500\n')
    expect(stdout).toContain('answered 429.')
    expect(stdout + stderr + readFileSync(file, 'utf8')).not.toContain(secret)
  })

  test('that nothing answers at ends the run with 3', async () => {
    const { code, report } = await probe(`http://127.0.0.1:${await freePort()}`, noCredential)
    expect(code).toBe(3)
    expect(report.stopped).toMatch(/^POST \/v2\/oauth\/token: no answer; the target refused the connection$/)
  })

  test('that hangs ends the run with 3 and a report', async () => {
    const target = await openTarget(null, () => true)
    const { code, report } = await probe(target, noCredential)
    expect(code).toBe(3)
    expect(report.stopped).toContain('no answer within 10 s')
  })

  test('that answers every call with a page accuses nobody, because it gives no token', async () => {
    const target = await openTarget(null, (_number, _request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome</h1>')
      return true
    })
    const { code, report } = await probe(target, noCredential)
    expect(code).toBe(4)
    expect(report).toMatchObject({ stopped: 'POST /v2/oauth/token answered 200 without an access_token' })
    expect(resultsOf(report, 'agreed', 'differed')).toEqual([])
  })

  test.each([
    [
      'closes connections',
      (response: ServerResponse) => response.destroy(),
      /no answer; the target closed the connection\n/,
    ],
    ['answers 500', (response: ServerResponse) => response.writeHead(500).end('<h1>Oops</h1>'), /answered 500/],
    [
      'answers 429',
      (response: ServerResponse) => response.writeHead(429, { 'Retry-After': '30' }).end(),
      /answered 429, with Retry-After: 30/,
    ],
  ] as const)('that %s in the middle of a run leaves a readable report and 4', async (_name, answer, reason) => {
    const sandbox = await startHereForTest()
    const file = join(temporaryFolder(), 'probe.har')
    const target = await openTarget(sandbox.url, (number, _request, response) => {
      if (number > 30) answer(response)
      return number > 30
    })
    const { args, env } = ofRun(target, credentialOf(sandbox), '--out', file)
    const { code, stdout } = await run(args, { env })
    expect(code, stdout).toBe(4)
    expect(stdout).toMatch(reason)
    expect(stdout).toMatch(/\d+ agrees/)
    expect(stdout).toContain('Continue it with --resume')
    expect(entriesIn(file).length).toBeGreaterThan(25)
  })

  test.each([
    ['answers 500', (response: ServerResponse) => response.writeHead(500).end('{}')],
    ['closes the connection', (response: ServerResponse) => response.destroy()],
  ] as const)('that %s once makes a probe that is not observed, and no difference', async (_name, answer) => {
    const sandbox = await startHereForTest()
    const target = await openTarget(sandbox.url, (number, _request, response) => {
      if (number === 6) answer(response)
      return number === 6
    })
    const credential = credentialOf(sandbox)
    const { code, report } = await probe(target, credential, '--signing-key', credential.signing_key)
    expect(code).toBe(4)
    expect(report).toMatchObject({ status: 'incomplete', stopped: null })
    expect(resultsOf(report, 'failed').length).toBe(1)
    expect(resultsOf(report, 'differed', 'not_run')).toEqual([])
    expect(Object.keys(report.comparison?.summary ?? {})).toEqual(['assumption_confirmed'])
  })

  test('that rejects the credentials ends the run with 2, and the secret is printed nowhere', async () => {
    const sandbox = await startHereForTest()
    const wrong = { ...noCredential, client_secret: 'my-own-secret-of-production' }
    const file = join(temporaryFolder(), 'probe.har')
    const { code, stdout, stderr } = await probe(sandbox.url, wrong, '--out', file)
    expect(code).toBe(2)
    expect(stdout).toContain('401 INVALID_CREDENTIALS')
    expect(stdout + stderr + (existsSync(file) ? readFileSync(file, 'utf8') : '')).not.toContain(wrong.client_secret)
  })
})

test('wrong flags are explained', async () => {
  const target = ['--target', 'http://127.0.0.1:9']
  const lineOf = async (...flags: string[]) => {
    const { code, stderr } = await run(['probe', ...flags])
    expect(code).toBe(2)
    return stderr
  }
  expect(await lineOf('--target', 'http://ana:pw@127.0.0.1')).toContain('must not contain a user name')
  expect(await lineOf(...target)).toContain('--client-id is required')
  expect(await lineOf(...target, '--withdrawals')).toContain('--withdrawals requires --money small')
  expect(await lineOf(...target, '--resume')).toContain('--resume requires --out')
  expect(await lineOf(...target, '--money', 'large')).toContain('small')
})
