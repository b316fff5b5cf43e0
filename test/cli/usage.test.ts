/** Wrong usage and missing sandboxes: exit codes, one clear line, and suggestions. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nearest } from '../../src/base/text.js'
import { actionNames } from '../../src/protocol/actions/actions.js'
import { built } from '../support/built.js'
import { someOf } from '../support/figures.js'
import { run, type Started, startHere } from '../support/program.js'
import { takeWarnings } from '../support/warnings.js'

let sandbox: Started
beforeAll(async () => {
  await built()
  sandbox = await startHere()
})
afterAll(async () => {
  await sandbox.stop()
})

const mistakes: [line: string, says: RegExp][] = [
  ['strat', /unknown command 'strat' \(Did you mean start\?\)/],
  ['trigger cashin.pya', /unknown action cashin\.pya; did you mean cashin\.pay\?/],
  ['trigger cashin.pay --error-code UNKNOWN', /--error-code is not a parameter of cashin\.pay; use one of payer\.name/],
  ['trigger dispute.win --amount 5', /--amount is not a parameter of dispute\.win, which has no parameters/],
  ['trigger cashin.pay --set payer.nmae=Ana', /did you mean payer\.name\?/],
  ['trigger cashin.pay --set payer', /--set must be key=value/],
  ['trigger cashin.pay --amuont 5', /unknown option '--amuont' \(Did you mean --amount\?\)/],
  ['clock frezee', /clock has no subcommand frezee; did you mean freeze\?/],
  ['clock advance', /requires exactly one of/],
  ['clock advance soon', /soon is not a duration/],
  ['clock advance 7', /7 has no unit; use 7s, 7m, 7h or 7d/],
  ['clock advance -1h', /-1h is not possible: time cannot go back; .*snapshot save NAME/],
  ['clock advance -5', /-5 is not possible: time cannot go back/],
  ['logs --port 4977', /logs has no option --port; try: payments-sandbox logs --url http:\/\/127\.0\.0\.1:4977$/m],
  ['requests --port=4977 --limit 2', /try: payments-sandbox requests --url http:\/\/127\.0\.0\.1:4977 --limit 2$/m],
  ['logs --port here', /unknown option '--port'/],
  [
    'request /v2/transactions/cashin --data {"a":1}',
    /the method is missing before .*; try: payments-sandbox request POST \/v2\/transactions\/cashin --data '\{"a":1\}'$/m,
  ],
  ['request /v2/account/balance', /try: payments-sandbox request GET \/v2\/account\/balance$/m],
  ['request /v2/account/balance get', /try: payments-sandbox request GET \/v2\/account\/balance$/m],
  ['request GET', /missing required argument 'path'/],
  ['clock advance 1h --until idle', /requires exactly one of/],
  ['webhooks redelive evt_1', /did you mean redeliver\?/],
  [
    'webhooks show evt_1',
    /webhooks has no subcommand show; .*; payments-sandbox webhooks lists them, payments-sandbox webhooks ID shows one in full/,
  ],
  ['webhooks show', /payments-sandbox webhooks ID shows one in full/],
  ['requests list', /payments-sandbox requests lists them/],
  ['transactions tx_1 --follow', /an ID cannot be combined with a filter, --limit or --follow/],
  ['scenario lst', /Did you mean list\?/],
  [
    'scenario run tron-energy-fail --param dely=1s',
    /dely is not a parameter of tron-energy-fail; did you mean delay\?/,
  ],
  ['scenario arm pix-paid --times abc', /--times must be a whole number of at least 1, not abc/],
  ['scenario arm pix-paid --times 0', /--times must be a whole number of at least 1, not 0/],
  ['scenario run nowhere.yaml', /nowhere\.yaml cannot be read/],
  ['account balance merchnt', /unknown account merchnt; did you mean merchant\?/],
  ['account balance merchant BLR=5', /currency BLR is not supported; did you mean BRL\?/],
  ['account balance merchant EUR=5', /currency EUR is not supported; use one of BRL/],
  ['account balance merchant BRL', /an amount must have the form BRL=500\.00/],
  ['env --format shel', /Allowed choices are shell, dotenv, json/],
  ['request GET /v2/account/balance --file x', /--file is supported only for/],
  ['listen --forward-to nowhere', /--forward-to must be an http/],
  ['clock --url ftp://127.0.0.1', /is not the URL of a sandbox/],
]

for (const [line, says] of someOf(mistakes, 20))
  test(`"${line}" is a usage error with the correct form`, async () => {
    const { code, stderr, stdout } = await run(line.split(' '), { env: { PAYMENTS_SANDBOX_URL: sandbox.url } })
    expect(stderr).toMatch(says)
    expect(stderr).toMatch(/^payments-sandbox: [^\n]+\n$/)
    expect([code, stdout]).toEqual([2, ''])
  })

const refused: [line: string, says: RegExp][] = [
  ['transactions --status bogus', /status must be one of pending, confirmed/],
  ['transactions --status confirmd', /did you mean confirmed\?/],
  ['transactions --type cash-in', /did you mean cashin\?/],
  ['transactions --account merchnt', /did you mean merchant\?/],
  ['transactions --limit many', /limit must be a whole number/],
  ['webhooks --event cashin.confirmd', /did you mean cashin\.confirmed\?/],
  ['webhooks --status sent', /status must be one of pending, queued, delivered, failed/],
  ['requests --status abc', /status must be a whole number/],
  ['requests --error-code INVALID_SIGNATUR', /did you mean INVALID_SIGNATURE\?/],
  ['disputes --status lots', /did you mean lost\?/],
  ['webhooks wait cashin.confirmed --timeout soon', /timeout must be a number of seconds or a string/],
]

// The sandbox creates these messages for every command, so a few cases are enough.
for (const [line, says] of someOf(refused, 4))
  test(`"${line}" is rejected with the existing names instead of an empty list`, async () => {
    const { code, stderr } = await run(line.split(' '), { env: { PAYMENTS_SANDBOX_URL: sandbox.url } })
    expect(stderr).toMatch(says)
    expect(code).toBe(1)
  })

const commands = [
  'env',
  'doctor',
  'trigger cashin.pay',
  'scenario list',
  'clock',
  'request GET /v2/account/balance',
  'transactions',
  'transactions --follow',
  'webhooks',
  'requests',
  'listen',
  'account list',
  'snapshot list',
  'reset',
]

for (const line of someOf(commands, 5))
  test(`"${line}" exits with 3 when nothing answers`, async () => {
    const { code, stderr } = await run([...line.split(' '), '--url', 'http://127.0.0.1:1'])
    expect(code).toBe(3)
    expect(stderr).toMatch(/^payments-sandbox: nothing answers at http:\/\/127\.0\.0\.1:1 [^\n]+--url\n$/)
  })

test('trigger without an action lists the actions with their parameters', async () => {
  const { code, stdout, stderr } = await run(['trigger'])
  expect([code, stdout]).toEqual([2, ''])
  for (const action of actionNames) expect(stderr).toContain(`\n  ${action} `)
  expect(stderr).toMatch(/cashout\.fail .*\(error_code, error_message\)/)
})

test('an error lists the possible values once, and ends a question with one mark', async () => {
  const env = { PAYMENTS_SANDBOX_URL: sandbox.url }
  const { stderr } = await run(['webhooks', '--event', 'cashin.confirmd'], { env })
  expect(stderr.match(/chargeback\.canceled/g)).toHaveLength(1)
  expect(stderr).toMatch(/did you mean cashin\.confirmed\?\n$/)
})

test('an unknown workspace names the command that creates it, and that command does', async () => {
  const env = { PAYMENTS_SANDBOX_URL: sandbox.url }
  const { code, stderr } = await run(['clock', '--workspace', 'team-x'], { env })
  expect(code).toBe(1)
  const [, command = ''] = /There is no workspace team-x\. To create it: payments-sandbox (.+)\n$/.exec(stderr) ?? []
  expect((await run(command.split(' '), { env })).code).toBe(0)
  expect((await run(['clock', '--workspace', 'team-x'], { env })).code).toBe(0)
})

test('a suggestion differs by at most two edits, by one for short words, and swapped letters count as one edit', () => {
  const names = ['BRL', 'ETH', 'USDT', 'cashin.pay', 'cashin.refund', 'cashout.refund']
  const guesses = {
    BLR: 'BRL',
    EUR: null,
    USTD: 'USDT',
    USD: 'USDT',
    'cashin.pya': 'cashin.pay',
    'cashim.refnd': 'cashin.refund',
  }
  for (const [typed, guess] of Object.entries(guesses)) expect([typed, nearest(typed, names)]).toEqual([typed, guess])
  expect(nearest('cashin.refundall', names)).toBe(null)
})

test('a server that is not a sandbox gives exit code 3 too', async () => {
  const answers = ['<html>hello</html>', '{"ok":true}', '[]', '']
  const other = createServer((_request, response) => response.end(answers.pop()))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  while (answers.length > 0) {
    const { code, stderr } = await run(['clock', '--url', url])
    expect(code).toBe(3)
    expect(stderr).toContain('is not a sandbox')
  }
  other.close()
})

test('the address may stand before the command, inside a group, or without its scheme', async () => {
  for (const args of [
    ['--url', sandbox.url, 'clock'],
    ['clock', '--url', sandbox.url, 'now'],
    ['clock', '--url', new URL(sandbox.url).host],
  ])
    expect((await run(args)).code).toBe(0)
})

test('a flag beats the variable that names the sandbox', async () => {
  const { code } = await run(['clock', '--url', sandbox.url], { env: { PAYMENTS_SANDBOX_URL: 'http://127.0.0.1:1' } })
  expect(code).toBe(0)
})

test('without a command the program prints its help as a usage error, and with --help it succeeds', async () => {
  const bare = await run([])
  expect([bare.code, bare.stderr.includes('trigger')]).toEqual([2, true])
  const asked = await run(['--help'])
  expect([asked.code, asked.stdout.includes('trigger')]).toEqual([0, true])
})

test('colors appear only on request or at a terminal', async () => {
  const env = { PAYMENTS_SANDBOX_URL: sandbox.url }
  expect((await run(['account', 'list'], { env })).stdout).not.toContain('\u001b')
  expect((await run(['account', 'list'], { env: { ...env, FORCE_COLOR: '1' } })).stdout).toContain('\u001b[1m')
  expect((await run(['account', 'list'], { env: { ...env, FORCE_COLOR: '1', NO_COLOR: '1' } })).stdout).not.toContain(
    '\u001b',
  )
  // In a process of its own, Node warns by itself that it would decide otherwise.
  expect(takeWarnings().filter((warning) => !warning.includes("The 'NO_COLOR' env is ignored"))).toEqual([])
})
