/** Certification from the command line, from a test suite and for a receiver in Python; the page that tells of it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certifyPage, chaosPage } from '../../scripts/docs/certify.js'
import { receiverRuleIds, receiverRules } from '../../src/features/certify/receiver/rules.js'
import { certifyReceiver } from '../../src/testing/index.js'
import { built } from '../support/built.js'
import { certify, describeReport, type Edit, openPython, openTried, withResult } from '../support/certify.js'
import { someOf } from '../support/figures.js'
import { type Ended, ended, launch, printed, run, withoutProgress } from '../support/program.js'
import { closeChecked, openForFile, type TestSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'
import { answers, requireTools } from '../support/tools.js'

const forgets: readonly Edit[] = [['if (seen.has(id)) return 200', '']]
const doubtless = ['production.sandbox', 'production.https']

/** Everything here waits for programs, most of it side by side: folders are gone after the file. */
const files = mkdtempSync(join(tmpdir(), 'payments-sandbox-doors-'))
const ownFolder = () => mkdtempSync(join(files, 'test-'))

/** Prints what is at an address, which is asked for eighty times: a process of curl takes a tenth of one of Node. */
const fetchText = (url: string): string =>
  answers('curl --version')
    ? `curl -s ${url}`
    : `node -e "fetch(process.argv[1]).then(async (answer) => console.log(await answer.text()))" ${url}`

let sandbox: TestSandbox
beforeAll(async () => {
  await built()
  sandbox = await openForFile()
})
afterAll(async () => {
  rmSync(files, { recursive: true, force: true })
  await closeChecked(sandbox)
})

describe.concurrent('the command line', () => {
  /** A sandbox of its own, whatever may run on this machine. */
  const cli = (...args: string[]): Promise<Ended> => run(['certify', 'receiver', ...args], { cwd: ownFolder() })

  test('prints a line for each rule, writes the report files, and exits with 0 when every requirement passed', async () => {
    const tried = await openTried()
    const folder = ownFolder()
    const file = (name: string) => join(folder, name)
    const { code, stdout, stderr } = await cli(
      ...['--url', tried.url, '--state-url', tried.stateUrl, '--restart', tried.restart],
      ...['--junit', file('out.xml'), '--markdown', file('out.md'), '--badge', file('out.svg')],
    )
    await tried.close()
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.slice(0, stdout.indexOf('✓'))).toContain('About 200 test events stay in the receiver')
    expect(stdout.match(/^ {2}✓ /gm)).toHaveLength(receiverRuleIds.length - doubtless.length)
    expect(stdout).toMatch(/\npassed: \d+ of \d+ requirements passed, 2 skipped\n$/)
    expect(readFileSync(file('out.xml'), 'utf8')).toContain(
      `tests="${receiverRuleIds.length}" failures="0" errors="0" skipped="2"`,
    )
    expect(readFileSync(file('out.md'), 'utf8')).toContain('# Certification of a receiver: passed')
    const badge = readFileSync(file('out.svg'), 'utf8')
    expect(badge).toContain(`>passed · ${receiverRuleIds.length - doubtless.length} requirements</text>`)
    expect(badge.replace('http://www.w3.org/2000/svg', '')).not.toContain('http')
  })

  test('explains each failure with example code, and exits with 1', async () => {
    const tried = await openTried(forgets)
    const command = `${fetchText(tried.stateUrl)}?transaction_id=$TRANSACTION_ID #`
    const folder = ownFolder()
    const report = join(folder, 'out.xml')
    const { code, stdout, stderr } = await cli('--url', tried.url, '--state-command', command, '--junit', report)
    await tried.close()
    expect([code, withoutProgress(stderr)]).toEqual([1, ''])
    expect(stdout).toContain('✗ The receiver applies an event once when it arrives several times in a row.')
    expect(stdout).toContain('credited 76.50, status confirmed instead of 25.50 credited once')
    expect(stdout).toContain('source  payments-sandbox docs/interface.md §6.1, rule 4')
    expect(stdout).toContain('\nExample code in Node (others: --language python, --language php)\n')
    expect(stdout).toContain('await database.transaction(')
    expect(stdout).toContain('(--production-url)')
    expect(stdout).not.toContain('insert or ignore into events')
    expect(stdout).toMatch(
      new RegExp(
        `\\nfailed: 1 of ${receiverRuleIds.length} requirements failed, \\d+ passed, 6 inconclusive, 2 skipped\\n$`,
      ),
    )
    expect(readFileSync(report, 'utf8')).toMatch(/name="duplicate\.in-a-row: [^>]*><failure message="sent three times/)
  })

  const unreadable = ['--state-url', 'http://127.0.0.1:9/state']

  test('says once that the state URL cannot be read, and exits with 4 although nothing failed', async () => {
    const tried = await openTried()
    const badge = join(ownFolder(), 'out.svg')
    const { code, stdout, stderr } = await cli('--url', tried.url, ...unreadable, '--badge', badge)
    await tried.close()
    expect(stdout.match(/cannot be read/g)).toHaveLength(1)
    expect(stdout).toMatch(/ \? \d+ requirements were not tested because the state could not be read\n/)
    expect(stdout).toMatch(
      new RegExp(
        `\\nincomplete: \\d+ of ${receiverRuleIds.length} requirements passed, \\d+ inconclusive, 3 skipped\\n$`,
      ),
    )
    expect(readFileSync(badge, 'utf8')).toContain('webhook receiver: incomplete')
    const says =
      /^payments-sandbox: the state URL cannot be read: refused .*; correct --state-url \(\S+9\/state\) and .*\n$/
    expect([code, stderr]).toEqual([4, expect.stringMatching(says)])
  })

  test('shows the exit code and the standard error of a state command that fails', async () => {
    const tried = await openTried()
    const { code, stdout } = await cli('--url', tried.url, '--state-command', 'echo no database >&2; exit 3 #')
    await tried.close()
    expect([code, stdout]).toEqual([4, expect.stringContaining('the command exited with code 3: no database')])
  })

  test('exits with 1 when a requirement failed and the state URL cannot be read', async () => {
    const tried = await openTried([["if (!isFresh(headers['x-webhook-timestamp'])) return 401", '']])
    const { code, stdout, stderr } = await cli('--url', tried.url, ...unreadable, '--json')
    await tried.close()
    const report = JSON.parse(stdout)
    expect([code, report.verdict, stderr]).toEqual([1, 'failed', expect.stringContaining('correct --state-url')])
    expect(stderr).toContain(report.state_error)
  })

  test('prints one line of JSON for programs', async () => {
    const { code, stdout } = await cli('--url', 'http://127.0.0.1:9/', '--json')
    const report = JSON.parse(stdout)
    expect([code, report.verdict, report.rules.length]).toEqual([1, 'failed', receiverRuleIds.length])
  })

  test('exits with 2 and one line for wrong usage', async () => {
    const { url } = { url: 'http://127.0.0.1:9/' }
    for (const [args, says] of [
      [[], '--url'],
      [['--url', 'http://shop.example/'], 'must be an https:// URL'],
      [['--url', url, '--state-url', url, '--state-command', 'true'], 'give one of them'],
      [['--url', url, '--badge', '/nowhere/at/all.svg'], 'cannot be written'],
      [['--url', url, '--mode', 'live'], 'production'],
    ] as const) {
      const { code, stderr } = await cli(...args)
      expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
      expect(withoutProgress(stderr).trimEnd().split('\n')).toHaveLength(1)
    }
  })

  test('exits with 3 and one line when no sandbox answers at the given address', async () => {
    const { code, stderr } = await cli('--url', 'http://127.0.0.1:9/', '--sandbox', 'http://127.0.0.1:9')
    expect([code, stderr]).toEqual([3, expect.stringContaining('nothing answers at http://127.0.0.1:9')])
    expect(stderr).toContain('or name another with --sandbox')
    expect(withoutProgress(stderr).trimEnd().split('\n')).toHaveLength(1)
  })
})

describe.concurrent('the command line, for a client', () => {
  const shop = (program: string, file: string) => [program, join(import.meta.dirname, '../../examples', file)] as const
  const cli = (...args: string[]) => run(['certify', 'client', ...args], { cwd: ownFolder() })

  for (const [program, file] of [
    ['node', 'client.mjs'],
    ['python3', 'client.py'],
  ] as const)
    test(`passes ${file} in every requirement`, async (context) => {
      requireTools(context, program)
      const words = shop(program, file)
      const { code, stdout, stderr } = await cli(
        '--state-command',
        `test -n "$PAYMENTS_SANDBOX_URL" && ${words.join(' ')} status`,
        '--',
        ...words,
      )
      expect([code, withoutProgress(stderr)], stdout).toEqual([0, ''])
      expect(stderr).toMatch(/^\d+ calls so far …$/m)
      expect(stdout).toMatch(/\n {2}calls judged: \d\d\n/)
      expect(stdout).toMatch(/\npassed: all 20 requirements passed\n$/)
    })

  test('exits with 4 when the state URL cannot be read, although no requirement failed', async () => {
    const words = shop('node', 'client.mjs')
    const { code, stdout, stderr } = await cli('--state-url', 'http://127.0.0.1:9/', '--json', '--', ...words)
    const report = JSON.parse(stdout)
    expect([code, report.verdict, report.state_error]).toEqual([
      4,
      'incomplete',
      expect.stringContaining('cannot be read'),
    ])
    expect(stderr).toContain(`payments-sandbox: ${report.state_error}; correct --state-url (http://127.0.0.1:9/)`)
  })

  test('keeps the output of the command apart from the JSON report, and exits with 1 when a requirement failed', async () => {
    const program = `for (let at = 0; at < 6; at++) await fetch(process.env.PAYMENTS_SANDBOX_URL + '/v2/account/balance').then(console.log)`
    const token = `const { env } = process; const basic = btoa(env.PAYMENTS_SANDBOX_CLIENT_ID + ':' + env.PAYMENTS_SANDBOX_CLIENT_SECRET)
      for (let at = 0; at < 6; at++) await fetch(env.PAYMENTS_SANDBOX_URL + '/v2/oauth/token', { method: 'POST', body: '{"grant_type":"client_credentials"}',
        headers: { Authorization: 'Basic ' + basic, 'Content-Type': 'application/json' } }).then((answer) => console.log(answer.status))`
    const { code, stdout } = await cli('--json', '--', 'node', '--input-type=module', '-e', `${token}\n${program}`)
    const report = JSON.parse(stdout)
    expect([code, report.verdict]).toEqual([1, 'failed'])
    expect(withResult(report, 'failed')).toEqual(['token.reused'])
  })

  test('exits with 2 and one line for wrong usage', async () => {
    for (const [args, says] of [
      [[], 'give the command after --'],
      [['--watch', '--', 'node'], '--watch cannot be combined with a command'],
      [['--', 'no-such-command'], 'command not found: no-such-command'],
      [['--', 'node', '-e', '0'], 'made no call'],
      [['--port', 'x', '--', 'node', '-e', '0'], '--port must be a whole number from 0 to 65535, not x'],
    ] as const) {
      const { code, stderr } = await cli(...args)
      expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
      expect(withoutProgress(stderr).trimEnd().split('\n')).toHaveLength(1)
    }
  })

  test('watches a running app until it is interrupted', async () => {
    const child = launch(['certify', 'client', '--watch', '--port', '0', '--json'])
    const over = ended(child)
    const url = /http:\S+(?=,)/.exec(await printed(child, /http:\S+,/, 'stderr'))?.[0] ?? ''
    for (let left = 4; left > 0; left--) await fetch(`${url}/v2/account/balance`)
    child.kill('SIGINT')
    const { code, stdout } = await over
    const report = JSON.parse(stdout)
    expect([code, report.verdict]).toEqual([4, 'incomplete'])
    expect(withResult(report, 'passed')).toEqual(['token.reused'])
  })
})

describe.concurrent('a test suite', () => {
  test('passes in one assertion, with functions that report the state and restart the receiver', async () => {
    const tried = await openTried()
    const getState = async (id: string) => (await fetch(`${tried.stateUrl}?transaction_id=${id}`)).json()
    const restart = async () => void (await fetch(tried.restart, { method: 'POST' }))
    const report = await certifyReceiver({ url: tried.url, getState, restart })
    await tried.close()
    expect(report).toMatchObject({ verdict: 'passed' })
    expect(report.rules.filter(({ result }) => result === 'skipped').map(({ id }) => id)).toEqual(doubtless)
  })

  test('gets an error for an unknown option, and no failed requirement when its own function throws', async () => {
    const typo = { url: 'http://127.0.0.1:9/', stateUri: '' }
    await expect(certifyReceiver(typo)).rejects.toThrow('stateUri is not an option of certifyReceiver')
    const tried = await openTried()
    const getState = () => {
      throw new Error('no database')
    }
    const report = await certifyReceiver({ url: tried.url, getState })
    await tried.close()
    expect(report.verdict).toBe('incomplete')
    const observed = report.rules.find(({ id }) => id === 'effect.applied')?.observed
    expect([observed, report.state_error]).toEqual(Array(2).fill('the state could not be read: no database'))
  })
})

describe.concurrent('a receiver in Python', () => {
  const mutants: [fault: string, edits: Edit[], breaks: string][] = [
    [
      'hashes JSON that it wrote again',
      [
        [
          'hmac.new(SECRET, body,',
          "hmac.new(SECRET, json.dumps(json.loads(body), separators=(',', ':'), ensure_ascii=False).encode(),",
        ],
      ],
      'accept.raw-body',
    ],
    [
      'compares with ==, cut to the shorter one',
      [
        [
          'hmac.compare_digest(expected.encode(), received.encode())',
          'received != "" and expected[:len(received)] == received[:64]',
        ],
      ],
      'signature.whole',
    ],
    [
      'takes one call at a time',
      [
        ['class Server(ThreadingHTTPServer)', 'from http.server import HTTPServer\n\n\nclass Server(HTTPServer)'],
        ["protocol_version = 'HTTP/1.1'", ''],
      ],
      'answer.beside-slow',
    ],
    [
      'remembers in one transaction and credits in another',
      [
        [
          "            apply(connection, event['event'], event['data'])",
          "            connection.commit()\n            apply(connection, event['event'], {**event['data'], 'amount': '0'})",
        ],
      ],
      'effect.applied',
    ],
    [
      'multiplies floats',
      [["{'confirmed': data['amount']}", "{'confirmed': str(int(float(data['amount']) * 100) / 100)}"]],
      'amounts.exact',
    ],
  ]

  test('passes every requirement', async (context) => {
    requireTools(context, 'python3')
    const tried = await openPython()
    const report = await certify(sandbox, { url: tried.url, state_url: tried.stateUrl })
    await tried.close()
    expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
    expect(withResult(report, 'skipped'), describeReport(report)).toEqual([
      ...['effect.withdrawal', 'effect.transfer', 'effect.conversion', 'durable.restart'],
      ...doubtless,
    ])
  })

  for (const [fault, edits, breaks] of someOf(mutants, 2))
    test(`fails rule ${breaks} for this fault: ${fault}`, async (context) => {
      requireTools(context, 'python3')
      const tried = await openPython(edits)
      const report = await certify(sandbox, { url: tried.url, state_url: tried.stateUrl })
      await tried.close()
      expect(withResult(report, 'failed'), describeReport(report)).toEqual([breaks])
    })
})

test('the pages about certification and chaos match the tables', () => {
  for (const [file, generate] of [
    ['docs/certify.md', certifyPage],
    ['docs/chaos.md', chaosPage],
  ] as const) {
    const page = readFileSync(file, 'utf8')
    expect(page, 'stale: run `npm run docs`').toBe(generate(page))
  }
})

test('the recorded terminal output names every rule', () => {
  const recording = readFileSync('docs/images/certify-terminal.svg', 'utf8').replaceAll(/<[^>]+>/g, '')
  for (const { requirement } of Object.values(receiverRules)) expect(recording).toContain(requirement)
})

test('a receiver with the wrong secret gets a fix that names it', async () => {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(String(request.headers['x-webhook-signature']))
    response.writeHead(401).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const webhookSecret = `${secretsOf('merchant').webhookSecret}x`
  const report = await certifyReceiver({ url: `http://127.0.0.1:${port}/`, webhookSecret })
  server.close()
  expect(new Set(seen).size).toBeGreaterThan(5)
  expect(report.rules[0]).toMatchObject({ id: 'accept.signed', result: 'failed', observed: 'answered 401' })
})
