/** `payments-sandbox scenario`: what there is, checking files, running and arming. */

import type { Command } from 'commander'
import type { RouteAnswer } from '../../client/control.js'
import type { ScenarioSummary } from '../../client/types/control.js'
import type { Words } from '../command.js'
import { alsoJson, type Connection, connect, print, talks } from '../connection/connection.js'
import { exitCodes, UsageError } from '../errors.js'
import { bold, dim, paint } from '../terminal/style.js'
import { type Column, table } from '../terminal/table.js'
import { defineScenarioNew } from './new.js'
import { defineScenarioRun } from './run.js'
import { shownScenario } from './show.js'
import { isFile, uploadFile } from './upload.js'

export const words: Words = {
  'scenario list': {
    prints: [{ route: 'listScenarios' }],
    examples: [{ run: 'payments-sandbox scenario list', says: 'all of them' }],
  },
  'scenario show': {
    prints: [{ route: 'readScenario' }],
    examples: [{ run: 'payments-sandbox scenario show tron-energy-fail', says: 'what it does, step by step' }],
  },
  'scenario new': {
    prints: [{ shape: 'written' }],
    examples: [
      {
        run: 'payments-sandbox scenario new late-refund',
        says: 'a file to begin with, completed and explained by your editor',
      },
    ],
  },
  'scenario validate': {
    prints: [{ shape: 'validated' }],
    examples: [{ run: 'payments-sandbox scenario validate my-scenario.yaml', says: 'every mistake with its line' }],
  },
  'scenario run': {
    prints: [
      { route: 'readRun', when: 'one scenario' },
      { route: 'listRuns', when: 'several' },
    ],
    examples: [
      { run: 'payments-sandbox scenario run my-scenario.yaml', says: 'a file of your own' },
      { run: 'payments-sandbox scenario run med-dispute-lost --fast-forward', says: 'seven days in a moment' },
      {
        run: 'payments-sandbox scenario run my-scenario.yaml --param delay=5s --junit results.xml',
        says: 'with another parameter, for a CI system',
      },
    ],
  },
  'scenario arm': {
    prints: [{ route: 'armScenario' }],
    examples: [
      {
        run: 'payments-sandbox scenario arm tron-energy-fail',
        says: 'every matching withdrawal of your program fails from now on',
      },
      { run: 'payments-sandbox scenario arm tron-energy-fail --times 1', says: 'only the next one' },
      { run: 'payments-sandbox scenario arm my-scenario.yaml', says: 'one of your own, which the sandbox then keeps' },
    ],
  },
  'scenario disarm': {
    prints: [{ route: 'disarmScenario' }],
    examples: [{ run: 'payments-sandbox scenario disarm tron-energy-fail', says: 'calls pass again' }],
  },
}

export function define(command: Command): void {
  talks(command.command('list').description('what can be run or armed')).action(async (flags: Connection) =>
    print(flags, await connect(flags).call('GET /scenarios'), listed),
  )
  talks(command.command('show').description('what a scenario does, step by step'))
    .argument('<name>')
    .action(async (name: string, flags: Connection) => {
      const scenario = await connect(flags).call('GET /scenarios/{name}', { params: { name } })
      const { stringify } = await import('../yaml.js')
      print(flags, scenario, (shown) => shownScenario(shown, stringify))
    })
  alsoJson(command.command('validate').description('check files without running them; needs no sandbox'))
    .argument('<file...>')
    .action(validate)
  defineScenarioNew(command.command('new'))
  defineScenarioRun(command.command('run'))
  talks(command.command('arm').description('let it catch the calls that your own program makes'))
    .argument('<name|file>', 'a name, or a YAML or JSON file, which the sandbox then keeps')
    .option('--times <number>', 'how many calls it takes (default: as the scenario says)')
    .option('--account <username>', 'calls of this account only')
    .action(async (target: string, flags: Connection & { times?: string; account?: string }) => {
      const times = timesOf(flags.times)
      const sandbox = connect(flags)
      const uploaded = isFile(target) ? await uploadFile(sandbox, target) : null
      const name = uploaded?.name ?? target
      const wish = { params: { name }, body: { times, account: flags.account } }
      const armed = await sandbox.call('POST /scenarios/{name}/arm', wish).catch(async (error: unknown) => {
        await uploaded?.putBack()
        throw error
      })
      const kept = uploaded === null ? '' : dim(', and kept by the sandbox')
      print(flags, armed, () => `${bold(name)} is armed${kept}\n`)
    })
  talks(command.command('disarm').description('let calls pass again'))
    .argument('<name>')
    .action(async (name: string, flags: Connection) => {
      const gone = await connect(flags).call('DELETE /scenarios/{name}/arm', { params: { name } })
      print(flags, gone, () => `${bold(name)} is disarmed\n`)
    })
}

/** Undefined as it is; a number of calls otherwise. */
function timesOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--times takes a whole number from 1, not ${text}`)
  return Number(text)
}

function listed({ data }: RouteAnswer<'GET /scenarios'>): string {
  const columns: readonly Column<ScenarioSummary>[] = [
    { title: 'NAME', of: (row) => row.name },
    { title: 'FROM', of: (row) => row.origin, paint: (_value, shown) => dim(shown) },
    { title: 'ARMED', of: (row) => (row.armed.length > 0 ? 'yes' : '') },
    { title: 'WHAT HAPPENS', of: (row) => row.title },
  ]
  return table(columns, data, 'no scenarios')
}

/** Every mistake of every file, as compilers write them. */
async function validate(files: string[], flags: { json?: boolean }): Promise<void> {
  const { readScenarioFile, mistakeLines } = await import('../../runtime/node/scenario-files.js')
  const results = files.map(readScenarioFile)
  const mistakes = results.flatMap((result) => result.mistakes ?? [])
  const valid = mistakes.length === 0
  print(
    flags,
    {
      valid,
      files: results.map(({ file, scenario }) => ({ file, name: scenario?.name ?? null })),
      mistakes,
      more: results.reduce((sum, result) => sum + (result.mistakes === null ? 0 : result.more), 0),
    },
    () =>
      results
        .map((result) =>
          result.mistakes === null
            ? `${paint('green', '✓')} ${result.file} ${dim(result.scenario.name)}\n`
            : `${paint('red', '✗')} ${result.file}\n${mistakeLines(result)
                .map((line) => `  ${line}\n`)
                .join('')}`,
        )
        .join(''),
  )
  if (!valid) process.exitCode = exitCodes.refused
}
