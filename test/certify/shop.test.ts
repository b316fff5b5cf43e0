/** The shops of `examples/shop` under chaos, from the command line: the right one passes, and each mistake is found. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { figure, note } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { type Ended, ended, launchShell, runProcess } from '../support/program.js'
import { type ShopLanguage, shopCommands } from '../support/shops.js'
import { requireTools } from '../support/tools.js'

/** Every fault of `rough`, without waiting for slow ones. */
const rough = {
  ...{ error: '5%', dropped_response: '3%', reset: '3%', slow: { share: '10%', by: '20ms' } },
  ...{ duplicate: '10%', reorder: '5%', late: { share: '5%', by: '10m' } },
}

interface RunOptions {
  hours: number
  runs: number
  chaos: object | string
  bug?: string
}

function certify(
  language: ShopLanguage,
  { hours, runs, chaos, bug = '' }: RunOptions,
  folder: string,
  ...more: string[]
): Promise<Ended> {
  const [program, file] = shopCommands[language]
  const faults = typeof chaos === 'string' ? chaos : join(folder, 'faults.json')
  if (typeof chaos !== 'string') writeFileSync(faults, JSON.stringify(chaos))
  const books = ['--books-command', `${program} ${file} ledger`]
  return runProcess(
    ['certify', 'client', '--chaos', faults, '--runs', String(runs), ...books, ...more, '--', program, file, 'day'],
    { cwd: folder, env: { SHOP_HOURS: String(hours), SHOP_BUG: bug } },
  )
}

/** A fault that the mistake meets, in the first run. */
const mistakes: { bug: string; chaos: object; rules: string[] }[] = [
  { bug: 'new-id', chaos: { dropped_response: '25%' }, rules: ['chaos.once', 'chaos.books'] },
  { bug: 'twice', chaos: { duplicate: '20%' }, rules: ['chaos.books'] },
  { bug: 'order', chaos: { reorder: '60%' }, rules: ['chaos.books'] },
  { bug: 'no-retry', chaos: { reset: '20%' }, rules: ['chaos.passes'] },
]

beforeAll(built)

/** Under `rough`, a call in ten takes three seconds longer. */
const timeout = figure(180_000, 1_800_000)

describe.each(['node', 'python'] as const)('the shop in %s', (language) => {
  beforeEach((context) => {
    if (language === 'python') requireTools(context, 'python3')
  })

  test('passes with every fault of rough, and its books agree with the statement', { timeout }, async () => {
    const options = { hours: figure(2, 24), runs: figure(1, 5), chaos: figure<object | string>(rough, 'rough') }
    const { code, stdout, stderr } = await certify(language, options, temporaryFolder())
    expect([code, stdout], stderr).toEqual([0, expect.stringContaining('✓ The ledger agrees with the statement.')])
    const summary = /\d+ runs? \(.*/.exec(stdout)?.[0] ?? ''
    note(`the shop in ${language}, ${options.hours} hours: ${summary}`)
    expect(summary).toMatch(/ with [1-9]\d* faults, 0 failed$/)
  })

  const tried = mistakes.slice(0, figure(language === 'node' ? 0 : 1, mistakes.length))
  test.each(tried)(
    'is caught with the mistake $bug, by at most two faults',
    { timeout },
    async ({ bug, chaos, rules }) => {
      const options = { hours: figure(1, 8), runs: figure(1, 20), chaos: figure<object>(chaos, rough), bug }
      const { code, stdout, stderr } = await certify(language, options, temporaryFolder(), '--json', '--seed', '3')
      expect(code, stderr).toBe(1)
      const [failure] = JSON.parse(stdout).chaos.failures
      expect(failure).toMatchObject({ rules, repeats: true })
      const shown = failure.faults.map((one: { fault: string; target: string }) => `${one.fault} of ${one.target}`)
      note(
        `the shop in ${language} with ${bug}: ${shown.join(', ')} of ${failure.faults_before}, ${failure.tries} tries`,
      )
      expect(failure.faults.length).toBeLessThanOrEqual(2)
    },
  )
})

test('the report names the smallest set of faults, and its command repeats the failure', async () => {
  const folder = temporaryFolder()
  const options = { hours: 1, runs: 2, chaos: { dropped_response: '25%' }, bug: 'new-id' }
  const { stdout } = await certify('node', options, folder, '--junit', 'out.xml', '--timeout', '170s', '--seed', '3')
  for (const text of [
    '✗ No payment is made twice.',
    /\n {3}faults {2}smallest set: 1 of \d+ faults?, found in \d+ more runs?\n {5}dropped_response {2}POST \/v2\/transactions\/cashout {2}1st call {2}payout-\d\n/,
    '\n   output\n     ',
    '\n   faults  those of chaos.once\n',
    /\n\d+ runs \(seeds 3 to 4\) with \d+ faults, \d failed\n$/,
  ])
    expect(stdout).toMatch(text)
  const command = /\n {3}repeat\n {5}(payments-sandbox .*)\n/.exec(stdout)?.[1] ?? ''
  const env = { SHOP_HOURS: '1', SHOP_BUG: 'new-id' }
  const repeated = await ended(launchShell(command, { cwd: folder, env }))
  expect([repeated.code, repeated.stdout]).toEqual([1, expect.stringContaining('1 run (seed ')])
  const fixed = await ended(launchShell(command, { cwd: folder, env: { SHOP_HOURS: '1' } }))
  expect([fixed.code, fixed.stdout]).toEqual([0, expect.stringContaining(' with 1 fault, 0 failed')])
})
