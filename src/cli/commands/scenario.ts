/** `payments-sandbox scenario`: lists, shows, validates, runs and arms scenarios. */

import { basename, isAbsolute, relative } from 'node:path'
import type { Command } from 'commander'
import type { RouteAnswer } from '../../client/control.js'
import type { Scenario, ScenarioSummary } from '../../client/types/control.js'
import { scenarioNameMaxLength, scenarioNamePattern, scenarioNameRule } from '../../protocol/platform/fields.js'
import { writeOutput } from '../../runtime/node/files/output.js'
import { program } from '../../runtime/node/program.js'
import {
  addJsonFlag,
  type CommandUsages,
  type ConnectionFlags,
  connect,
  print,
  subcommand,
  wholeNumber,
} from '../command.js'
import { exitCodes, UsageError } from '../errors.js'
import { bold, type Column, dim, formatFields, paint, replaceControls, table } from '../terminal/style.js'
import { defineScenarioRun, isFile, uploadFile } from './scenario-run.js'

export const usages: CommandUsages = {
  'scenario list': {
    jsonOutputs: [{ route: 'listScenarios' }],
    examples: { 'payments-sandbox scenario list': 'list all scenarios' },
  },
  'scenario show': {
    jsonOutputs: [{ route: 'readScenario' }],
    examples: { 'payments-sandbox scenario show tron-energy-fail': 'show a scenario step by step' },
  },
  'scenario new': {
    jsonOutputs: [{ shape: 'written' }],
    examples: { 'payments-sandbox scenario new late-refund': 'write a template of a scenario file' },
  },
  'scenario validate': {
    jsonOutputs: [{ shape: 'validated' }],
    examples: { 'payments-sandbox scenario validate my-scenario.yaml': 'report every mistake with its line' },
  },
  'scenario run': {
    jsonOutputs: [
      { route: 'readRun', when: 'one scenario' },
      { route: 'listRuns', when: 'several scenarios' },
    ],
    examples: {
      'payments-sandbox scenario run my-scenario.yaml': 'run your own scenario file',
      'payments-sandbox scenario run med-dispute-lost --fast-forward':
        'run seven days of sandbox time in less than a second',
      'payments-sandbox scenario run my-scenario.yaml --param delay=5s --junit results.xml':
        'set a parameter and write a report for CI',
    },
  },
  'scenario arm': {
    jsonOutputs: [{ route: 'armScenario' }],
    examples: {
      'payments-sandbox scenario arm tron-energy-fail':
        'fail the next withdrawal of your app that matches the scenario',
      'payments-sandbox scenario arm tron-energy-fail --times 3': 'fail the next three matching withdrawals',
      'payments-sandbox scenario arm my-scenario.yaml': 'store your own scenario in the sandbox and arm it',
    },
  },
  'scenario disarm': {
    jsonOutputs: [{ route: 'disarmScenario' }],
    examples: { 'payments-sandbox scenario disarm tron-energy-fail': 'end the effect of the armed scenario' },
  },
}

export function define(command: Command): void {
  subcommand(command, 'list', 'list the scenarios that can be run or armed').action(async (flags: ConnectionFlags) =>
    print(flags, await connect(flags).call('GET /scenarios'), format),
  )
  subcommand(command, 'show', 'show a scenario step by step')
    .argument('<name>')
    .action(async (name: string, flags: ConnectionFlags) => {
      const scenario = await connect(flags).call('GET /scenarios/{name}', { params: { name } })
      const { stringify } = await import('yaml')
      print(flags, scenario, (text) => shownScenario(text, stringify))
    })
  addJsonFlag(command.command('validate').description('validate files without running them; needs no sandbox'))
    .argument('<file...>')
    .action(validate)
  defineScenarioNew(command.command('new'))
  defineScenarioRun(subcommand(command, 'run', 'run scenarios one after the other; exits with 1 if one does not pass'))
  subcommand(command, 'arm', 'arm a scenario: it takes effect on your next matching call')
    .argument('<name|file>', 'scenario name, or a YAML or JSON file to store in the sandbox')
    .option('--times <number>', 'number of calls it affects (default: `times` of the scenario)')
    .option('--account <username>', 'affect only calls of this account')
    .action(arm)
  subcommand(command, 'disarm', 'disarm a scenario: calls are no longer affected')
    .argument('<name>')
    .action(async (name: string, flags: ConnectionFlags) => {
      const disarmed = await connect(flags).call('DELETE /scenarios/{name}/arm', { params: { name } })
      print(flags, disarmed, () => `${bold(name)} is disarmed\n`)
    })
}

async function arm(target: string, flags: ConnectionFlags & { times?: string; account?: string }): Promise<void> {
  const times = flags.times === undefined ? undefined : wholeNumber('--times', flags.times, 1)
  const sandbox = connect(flags)
  const uploaded = isFile(target) ? await uploadFile(sandbox, target) : null
  const name = uploaded?.name ?? target
  const request = { params: { name }, body: { times, account: flags.account } }
  const armed = await sandbox.call('POST /scenarios/{name}/arm', request).catch(async (error: unknown) => {
    await uploaded?.restorePrevious()
    throw error
  })
  const { on } = await sandbox.call('GET /scenarios/{name}', { params: { name } })
  const stored = uploaded === null ? '' : dim(' and stored in the sandbox')
  print(flags, armed, () => `${bold(name)} is armed${stored}\n${armedFacts(armed, on)}`)
}

/** Which calls are affected, how many of them, and how to end it. */
function armedFacts(
  { scenario, times, account }: RouteAnswer<'POST /scenarios/{name}/arm'>,
  on: Scenario['on'],
): string {
  const calls =
    times === null
      ? 'every call that matches'
      : times === 1
        ? 'the next call that matches'
        : `the next ${times} calls that match`
  return formatFields(
    [
      ['affects', `${calls}: ${on === null ? `see scenario show ${scenario}` : describeCall(on)}`],
      ['account', account],
      ['disarm', `payments-sandbox scenario disarm ${scenario}`],
    ],
    '  ',
  )
}

function format({ data }: RouteAnswer<'GET /scenarios'>): string {
  const columns: readonly Column<ScenarioSummary>[] = [
    { title: 'NAME', of: (row) => row.name },
    { title: 'FROM', of: (row) => row.origin, paint: (_value, text) => dim(text) },
    { title: 'ARMED', of: (row) => (row.armed.length > 0 ? 'yes' : '') },
    { title: 'WHAT HAPPENS', of: (row) => row.title },
  ]
  return table(columns, data, 'no scenarios')
}

/** Prints every mistake of every file, in the format of a compiler. */
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
  if (!valid) process.exitCode = exitCodes.failed
}

const schemaFile = 'scenarios/scenario.schema.json'
const suffix = /\.(ya?ml|json)$/i

function defineScenarioNew(command: Command): void {
  addJsonFlag(command)
    .description('write a scenario template with a schema for your editor')
    .argument('<name>', `${scenarioNameRule}; writes NAME.yaml`)
    .action(async (argument: string, flags: { json?: boolean }) => {
      const name = argument.replace(suffix, '')
      if (!scenarioNamePattern.test(name) || name.length > scenarioNameMaxLength)
        throw new UsageError(
          `${argument} is not a valid scenario name; use at most ${scenarioNameMaxLength} characters, ${scenarioNameRule}, such as late-refund`,
        )
      const file = `${name}.yaml`
      const schema = program.fileOf(schemaFile)
      await writeOutput({ file, kind: 'scenario' }, template(name, schemaPath(schema ?? basename(schemaFile))))
      if (schema === null) await writeEmbeddedSchema()
      const next = dim(`payments-sandbox scenario run ${file} --fast-forward`)
      print(flags, { name, file }, () => `${bold(file)} written; run it with ${next}\n`)
    })
}

/** The schema of the executable is no file, so editors get a copy beside the scenario. */
const writeEmbeddedSchema = () =>
  writeOutput({ file: basename(schemaFile), kind: 'scenarioSchema' }, program.read(schemaFile) ?? '')

/** Returns a relative path if the schema is in the project, so that the file can be shared. */
function schemaPath(schema: string): string {
  const path = relative(process.cwd(), schema)
  return path.startsWith('..') || isAbsolute(path) ? schema : `./${path.replaceAll('\\', '/')}`
}

const template = (name: string, schema: string) => `# yaml-language-server: $schema=${schema}
name: ${name}
title: A charge is paid, and refunded a day later

# API calls that start the scenario while it is armed. Without \`on\`, the scenario cannot be armed, only run.
# on: { operation: cashin, where: { currency: BRL, amount: ">= 10" } }

params:
  amount: 25

steps:
  - create: { cashin: { amount: "\${amount}", currency: BRL }, as: charge }
  - wait: 5s
  - cashin.pay: { payer: { name: Ana Souza } }
  - expect: { event: cashin.confirmed, within: 1s }
  - wait: 1d
  - cashin.refund: { reason: CUSTOMER_REQUEST }
  - expect: { status: refunded, id: "\${charge}" }
`

type Stringify = (value: unknown) => string

type On = NonNullable<Scenario['on']>

function shownScenario(scenario: Scenario, stringify: Stringify): string {
  const { name, title, description, on, times, params, steps, outcomes, origin } = scenario
  return [
    `${bold(name)}  ${replaceControls(title)}\n`,
    description === null ? '' : `\n${replaceControls(description.trim())}\n`,
    '\n',
    formatFields([
      ['from', origin],
      ['starts on', on === null ? null : describeCall(on)],
      ['times', times],
      ...Object.entries(params).map(([key, value]) => [`param ${key}`, String(value)] as const),
    ]),
    steps === null ? '' : `\n${bold('Steps')}\n${replaceControls(stepsText(stringify(steps)))}`,
    outcomes === null ? '' : `\n${outcomeTable(outcomes, stringify)}`,
    `\n${dim(`payments-sandbox scenario ${on === null && outcomes === null ? 'run' : 'arm'} ${name}`)}\n`,
  ].join('')
}

/** `cashout, currency is USDT, network is tron`. */
export function describeCall({ operation, where = {} }: On): string {
  const conditions = Object.entries(where).map(
    ([field, value]) => `${field} ${isComparison(value) ? '' : 'is '}${formatValue(value)}`,
  )
  return [operation, ...conditions].join(', ')
}

/** Shows an action without parameters as one word. */
const stepsText = (yaml: string) => yaml.replace(/: \{\}$/gm, '')

const isComparison = (value: unknown) => typeof value === 'string' && /^[<>=!]/.test(value)
const formatValue = (value: unknown) => (Array.isArray(value) ? value.join(' or ') : String(value))

function outcomeTable(outcomes: NonNullable<Scenario['outcomes']>, stringify: Stringify): string {
  const columns: readonly Column<(typeof outcomes)[number]>[] = [
    { title: 'WHEN', of: (row) => describeCall(row.on) },
    { title: 'WHAT HAPPENS', of: (row) => row.title },
    {
      title: 'STEPS',
      of: (row) =>
        row.steps
          .map((step) =>
            stringify(step)
              .split('\n')
              .map((line) => line.trim())
              .filter((line) => line !== '')
              .join(' '),
          )
          .join('; '),
    },
  ]
  return table(columns, outcomes, 'no outcomes')
}
