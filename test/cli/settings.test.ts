/** Settings on the command line: the help of start on one screen, and where each value of a running sandbox came from. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Help } from 'commander'
import { beforeAll, expect, test } from 'vitest'
import { settingNames } from '../../src/cli/settings/settings.js'
import { commands } from '../support/all-commands.js'
import { built } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'
import { run, startHereForTest } from '../support/program.js'

beforeAll(async () => void (await built()))

/** The flags of `start` that most users need, and those that it lists besides. */
const listedFlags = `--port --host --db --webhook-url --clock --scenarios --arm --config --seed --strict-webhooks
  --no-rate-limits --admin-token --allow-host --log-level --json --open --config-out --snapshot --database-driver --chaos
  --tls --tls-cert --tls-key --durability --strict --detach --help-config`.split(/\s+/)

test('the help of start has at most 30 lines of 80 characters, one for each flag, with its default', async () => {
  const { code, stdout } = await run(['start', '--help'])
  const lines = stdout.split('\n')
  expect([code, lines.length <= 30]).toEqual([0, true])
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  const flags = lines.flatMap((line) => /^ {2}(--[a-z-]+)/.exec(line)?.[1] ?? [])
  expect(flags.toSorted()).toEqual(listedFlags.toSorted())
  for (const line of lines) if (/^ {2}--[a-z-]+ </.test(line)) expect(line).toMatch(/\(default: .+\)$/)
})

test('start --help-config describes every other setting with its default, the variables and the examples', async () => {
  const [{ stdout: listed }, { code, stdout }] = await Promise.all([
    run(['start', '--help']),
    run(['start', '--help-config'], { env: { PAYMENTS_SANDBOX_PORT: 'wrong' } }),
  ])
  expect(code).toBe(0)
  const rows = stdout.replace(/\n {4,}/g, ' ').split('\n')
  for (const name of settingNames) {
    const flag = name.replaceAll('_', '-')
    if (new RegExp(`^ {2}--(no-)?${flag}\\b`, 'm').test(listed)) continue
    const row = rows.find((line) => line.startsWith(`  ${name} `) || line.startsWith(`  --${flag} `))
    expect(row, name).toMatch(/\(default: .+\)$/)
  }
  expect(stdout).toContain('PAYMENTS_SANDBOX_WEBHOOK_URL')
  expect(stdout).toContain('payments-sandbox start --config sandbox.yaml')
})

test('every help text begins in lower case or with an abbreviation, and has no full stop', async () => {
  const mistakes: string[] = []
  const helper = new Help()
  const check = (command: Command) => {
    const texts = [...command.options, ...command.registeredArguments].map((one) => one.description)
    for (const text of [...texts, helper.subcommandDescription(command)])
      if (/^[A-Z][a-z]/.test(text) || text.endsWith('.')) mistakes.push(`${command.name()}: ${text}`)
    command.commands.forEach(check)
  }
  for (const [name, { load, summary }] of Object.entries(commands)) {
    const command = new Command().enablePositionalOptions().command(name).description(summary)
    ;(await load()).define(command, { routes: [] })
    check(command)
  }
  expect(mistakes).toEqual([])
})

test('settings lists values, defaults and sources of a running sandbox, and no secret', async () => {
  const file = join(temporaryFolder(), 'sandbox.yaml')
  writeFileSync(file, 'cashout_settle: 5s\nseed: from-file\nclock: manual\naccounts:\n  - username: seller\n')
  const token = 'a-token-for-this-test'
  const env = { PAYMENTS_SANDBOX_CLOCK: 'realtime', PAYMENTS_SANDBOX_NO_RATE_LIMITS: '1' }
  const { url } = await startHereForTest(['--config', file, '--seed', 'mine', '--admin-token', token], { env })
  const asked = ['settings', '--url', url, '--admin-token', token]
  const { stdout: json } = await run([...asked, '--json'])
  const { data }: { data: { name: string; value: unknown; default: unknown; source: string }[] } = JSON.parse(json)
  const found = Object.fromEntries(data.map((row) => [row.name, [row.value, row.default, row.source]]))
  expect(found).toMatchObject({
    seed: ['mine', null, 'flag'],
    clock: ['realtime', 'realtime', 'environment'],
    rate_limits: [false, true, 'environment'],
    cashout_settle: ['5s', 'auto', 'file'],
    page_size: [50, 50, 'default'],
    config: [file, null, 'flag'],
    admin_token: ['(hidden)', null, 'flag'],
    // What the sandbox chose itself.
    database_driver: [expect.stringMatching(/^(better-sqlite3|node)$/), expect.any(String), 'default'],
    log_level: [expect.stringMatching(/^(error|info)$/), expect.any(String), 'default'],
    port: [expect.any(Number), 4010, 'flag'],
  })
  expect(Object.keys(found).toSorted()).toEqual(settingNames.filter((name) => name !== 'accounts').toSorted())
  const { stdout } = await run(asked)
  expect(stdout).toMatch(/^SETTING +SOURCE +VALUE +DEFAULT$/m)
  expect(stdout).toMatch(/^cashout_settle +file +5s +auto$/m)
  for (const text of [json, stdout]) for (const secret of [token, 'seller']) expect(text).not.toContain(secret)
})
