/** The four results of a requirement, the three verdicts, and the same words in every report. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the edits are pieces of source text
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Result, RuleReport } from '../../src/features/certify/report/evidence.js'
import { certificates } from '../../src/features/certify/report/files.js'
import { reportOf } from '../../src/features/certify/report/rules.js'
import { conclusion, ruleLine } from '../../src/features/certify/report/text.js'
import { afterMs, answered, certifyTimeless, describeReport, withResult } from '../support/certify.js'
import { temporaryFolder } from '../support/folder.js'
import { run } from '../support/program.js'

const rule = (result: Result, severity: RuleReport['severity'] = 'error'): RuleReport => ({
  ...{ id: `${result}.${severity}`, requirement: 'It works.', source: '§1', check: 'Tries.', fix: 'Repair it.' },
  ...{ result, severity, observed: 'seen', evidence: null },
  ...(result === 'skipped' ? { reason: 'requires --x' } : {}),
})

const cases: [rules: RuleReport[], verdict: string, junit: string][] = [
  [[rule('passed'), rule('skipped')], 'passed', 'failures="0" errors="0" skipped="1"'],
  [[rule('passed'), rule('inconclusive')], 'incomplete', 'failures="0" errors="1" skipped="0"'],
  [[rule('inconclusive'), rule('failed')], 'failed', 'failures="1" errors="1" skipped="0"'],
  [[rule('inconclusive', 'warning'), rule('failed', 'warning')], 'passed', 'failures="0" errors="0" skipped="1"'],
]

test.each(cases)(
  'only required requirements decide the verdict, and each report says it: %#',
  async (rules, verdict, junit) => {
    const report = reportOf(rules)
    expect(report.verdict).toBe(verdict)
    expect(conclusion(report, { rules: {}, language: 'node' })).toContain(`\n${verdict}: `)
    const folder = temporaryFolder()
    const file = (name: string) => join(folder, name)
    const flags = { junit: file('j.xml'), markdown: file('r.md'), badge: file('b.svg') }
    await certificates.writeFiles(flags, { side: 'receiver', what: 'url', report })
    const text = (name: string) => readFileSync(file(name), 'utf8')
    expect(text('j.xml')).toContain(junit)
    expect(text('r.md')).toContain(`# Certification of a receiver: ${verdict}\n`)
    expect(text('b.svg')).toContain(`webhook receiver: ${verdict}`)
    for (const { result, id, observed } of rules.filter(
      ({ result }) => result === 'inconclusive' || result === 'skipped',
    )) {
      expect(ruleLine({ id, result, observed }, {})).toContain(`${result}: seen`)
      expect(text('r.md')).toContain(` ${result} |`)
      expect(text('j.xml')).toContain(`="${result}: seen"`)
    }
  },
)

test('the help of each certification lists its exit codes', async () => {
  for (const side of ['receiver', 'client', 'books'])
    expect((await run(['certify', side, '--help'])).stdout.replace(/\s+/g, ' ')).toContain(
      'exit code 0: passed, 1: a requirement failed, 2: wrong usage or nothing to judge, 3: no sandbox answers, 4: a requirement could not be decided',
    )
})

test('a receiver that answers after four seconds is tested to the end, because the time limit follows its answers', async () => {
  const report = await certifyTimeless(afterMs(4000))
  expect(withResult(report, 'failed'), describeReport(report)).toEqual(['answer.soon'])
  expect(withResult(report, 'inconclusive'), describeReport(report)).toEqual(['answer.beside-slow'])
  expect(report.verdict).toBe('passed')
})

test('at the time limit the verdict is incomplete, what was measured is decided, and the flag is named', async () => {
  const report = await certifyTimeless(afterMs(4000), { more: { time_limit: '40s' } })
  expect(report.verdict, describeReport(report)).toBe('incomplete')
  expect(withResult(report, 'failed')).toEqual(['answer.soon'])
  expect(withResult(report, 'passed')).toEqual(expect.arrayContaining(['signature.checked', 'effect.applied']))
  // One rule was tried before the limit, and says itself why it is open.
  const open = report.rules.filter(({ id, result }) => result === 'inconclusive' && id !== 'answer.beside-slow')
  for (const { observed } of open) expect(observed).toMatch(/^the time limit of 40s ended .* --time-limit$/)
})

test('a time limit that ends before the first answer decides nothing', async () => {
  const report = await certifyTimeless(afterMs(4000), { more: { time_limit: '1s' } })
  expect(report.verdict, describeReport(report)).toBe('incomplete')
  expect([...withResult(report, 'failed'), ...withResult(report, 'passed')]).toEqual([])
})

test('a program that ends at an injected fault is not passed, and the report names the fault', async () => {
  const program = `const { env } = process
    const post = async (path, authorization, body) => {
      const answer = await fetch(env.PAYMENTS_SANDBOX_URL + path, { method: 'POST', body: JSON.stringify(body),
        headers: { Authorization: authorization, 'Content-Type': 'application/json' } })
      if (!answer.ok) throw new Error(String(answer.status))
      return answer.json()
    }
    const basic = btoa(env.PAYMENTS_SANDBOX_CLIENT_ID + ':' + env.PAYMENTS_SANDBOX_CLIENT_SECRET)
    const { access_token } = await post('/v2/oauth/token', 'Basic ' + basic, { grant_type: 'client_credentials' })
    for (let at = 0; at < 40; at++) {
      const charge = () => post('/v2/transactions/cashin', 'Bearer ' + access_token, { amount: 5, currency: 'BRL', external_id: 'order-' + at })
      await charge().catch(charge)
    }`
  const words = ['node', '--input-type=module', '-e', program]
  const { code, stdout } = await run(['certify', 'client', '--json', '--', ...words], { cwd: temporaryFolder() })
  const report = JSON.parse(stdout)
  expect([code, report.verdict]).toEqual(report.verdict === 'failed' ? [1, 'failed'] : [4, 'incomplete'])
  const { observed } = report.rules.find(({ id }: RuleReport) => id === 'wait.lockout')
  expect(observed).toMatch(/the last injected fault: its token expired, and the program made \d more calls?\. Catch/)
})

test.each([
  [
    'as ISO 8601',
    [
      ["if (!/^\\d{1,12}$/.test(timestamp ?? '')) return false", ''],
      ['Date.now() / 1000 - Number(timestamp)', '(Date.now() - Date.parse(timestamp)) / 1000'],
    ],
    /ISO 8601/,
    /number of seconds/,
  ],
  [
    'over id, timestamp and body',
    [
      [
        "if (!isSigned(secret, headers['x-webhook-signature'], body)) return 401",
        "if (!isSigned(secret, headers['x-webhook-signature'], `${headers['x-webhook-id']}.${headers['x-webhook-timestamp']}.${body}`)) return 401",
      ],
    ],
    /id\.timestamp\.body/,
    /raw body alone/,
  ],
] as const)('a receiver that reads or signs %s gets exactly that as the cause', async (_what, edits, observed, fix) => {
  const [rule] = (await certifyTimeless(edits)).rules
  expect(rule).toMatchObject({
    id: 'accept.signed',
    result: 'failed',
    observed: expect.stringMatching(observed),
    fix: expect.stringMatching(fix),
  })
})

test('a receiver that crashes over the timestamp gets the cause, not only the crash', async () => {
  const [rule] = (
    await certifyTimeless([
      [
        "if (!/^\\d{1,12}$/.test(timestamp ?? '')) return false",
        'const read = globalThis.Date.parse(timestamp)\n  if (Number.isNaN(read) || !timestamp.includes("T")) throw new Error("no date")',
      ],
      ['Date.now() / 1000 - Number(timestamp)', '(Date.now() - read) / 1000'],
      ['if (!response.headersSent) response.writeHead(400)', 'response.writeHead(500)'],
    ])
  ).rules
  expect(rule).toMatchObject({
    observed: expect.stringMatching(/^answered 500; .*ISO 8601/),
    fix: expect.stringMatching(/number of seconds/),
  })
})

test('a receiver whose requests wait for each other is found first, and is not tested for minutes', async () => {
  const report = await certifyTimeless([
    ['const seen = new Set()', 'const seen = new Set()\n  let last = Promise.resolve()'],
    [
      answered,
      `last = last.then(() => new Promise((done) => setTimeout(done, 900)))\n        await last\n        ${answered}`,
    ],
  ])
  expect(withResult(report, 'failed'), describeReport(report)).toEqual(['answer.many'])
  expect(report.not_tested).toMatchObject([
    { blocked_by: 'answer.many', reason: expect.stringMatching(/wait for each other/) },
  ])
})

test('a client that rejects responses with additional fields is found by a comparison of two runs', async () => {
  const client = readFileSync(join(import.meta.dirname, '../../examples/client.mjs'), 'utf8')
  const strict = client
    .replace(
      '  return result.answer.data\n',
      "  if ('x_since' in result.answer) return undefined\n  return result.answer.data\n",
    )
    .replace('const { items } = await client.list()', 'const { items } = (await client.list()) ?? { items: [] }')
    .replace('of (await client.disputes()).items', 'of (await client.disputes())?.items ?? []')
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'client.mjs'), strict)
  const { stdout } = await run(['certify', 'client', '--json', '--', 'node', join(folder, 'client.mjs')], {
    cwd: folder,
  })
  const { result, observed } = JSON.parse(stdout).rules.find(({ id }: RuleReport) => id === 'answers.more-fields')
  expect([result, observed]).toEqual([
    'failed',
    expect.stringMatching(
      /infractions\/reply was answered [1-9]\d* times without additional fields, and 0 times with them/,
    ),
  ])
})
