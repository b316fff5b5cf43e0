/** `payments-sandbox start`: its flags come from the table of settings. The implementation is loaded when the command runs. */

import { type Command, type Help, Option } from 'commander'
import { defaultPort } from '../../protocol/settings/address.js'
import { variableOf } from '../../protocol/settings/variables.js'
import { type CommandUsages, type Composition, formatExamples, type Usage } from '../command.js'
import { addSettingFlags, flagsOf } from '../settings/flags.js'
import { resolveSettings } from '../settings/resolve.js'
import { flagOf, helpOf, negatedVariableOf, setting, settingNames } from '../settings/settings.js'

const startUsage: Usage = {
  jsonOutputs: [{ shape: 'ready' }],
  hidesExamples: true,
  examples: [
    { run: 'payments-sandbox start', says: `start in memory, on port ${defaultPort}`, runsUntilInterrupted: true },
    {
      run: 'payments-sandbox start --db sandbox.sqlite',
      says: 'store the state in a file',
      runsUntilInterrupted: true,
    },
    {
      run: 'payments-sandbox start --port 0 --clock manual --seed ci --json',
      says: 'start for tests: a free port, a manual clock, the same ids every time',
      runsUntilInterrupted: true,
    },
    {
      run: 'payments-sandbox start --detach --port 0',
      says: 'start in the background; payments-sandbox stop ends the sandbox',
    },
    {
      run: 'payments-sandbox start --snapshot golden.json',
      says: 'start from a snapshot file',
      runsUntilInterrupted: true,
    },
    {
      run: 'payments-sandbox start --config sandbox.yaml',
      says: 'read settings and accounts from a file',
      runsUntilInterrupted: true,
    },
  ],
}

export const usages: CommandUsages = { start: startUsage }

export function define(command: Command, { routes }: Composition): void {
  addSettingFlags(command)
  command
    .option('--detach', 'run in the background until payments-sandbox stop')
    .option('--help-config', 'settings of the file only, variables, examples')
    .addHelpOption(new Option('-h, --help').hideHelp())
    .configureHelp({ ...command.configureHelp(), formatHelp: shortHelp })
    .action(async (flags: { detach?: true; helpConfig?: true }, self: Command) => {
      if (flags.helpConfig === true) {
        process.stdout.write(configHelp(self.createHelp()))
        return
      }
      const resolved = await resolveSettings(flagsOf(self), process.env)
      if (flags.detach === true) {
        const { startDetached } = await import('../detached/start.js')
        await startDetached(resolved.settings)
        return
      }
      const { runSandbox } = await import('./run.js')
      await runSandbox(resolved, routes)
    })
}

/** Fits a screen of 30 lines: the flags, one line each. */
function shortHelp(command: Command, helper: Help): string {
  const options = helper
    .visibleOptions(command)
    .map((option): [string, string] => [helper.optionTerm(option), helper.optionDescription(option)])
  return `Usage: ${helper.commandUsage(command)}\n\n${formatItems(options, helper)}\n`
}

function formatItems(items: readonly (readonly [term: string, text: string])[], helper: Help): string {
  const width = Math.max(...items.map(([term]) => term.length))
  return items.map(([term, text]) => helper.formatItem(term, width, text, helper)).join('\n')
}

/** What `--help` has no room for. */
function configHelp(helper: Help): string {
  helper.prepareContext({ helpWidth: process.stdout.columns ?? 80 })
  const rare = settingNames.filter((name) => setting(name).isRare)
  const only = settingNames.filter((name) => setting(name).fileOnly)
  return [
    'Each flag of start is also an environment variable and a key of the',
    'configuration file. Flags override variables, variables override the file.',
    `--webhook-url is ${variableOf('webhook_url')} and webhook_url.`,
    `--no-rate-limits is ${negatedVariableOf('rate_limits')}=1 and`,
    '"rate_limits: false". An unknown variable with the prefix PAYMENTS_SANDBOX_',
    'is an error. payments-sandbox settings lists the values of a running sandbox.',
    '',
    'Flags that start --help does not list:',
    formatItems(
      rare.map((name) => [`${flagOf(name)} ${setting(name).placeholder}`, helpOf(name)]),
      helper,
    ),
    '',
    'Only in the configuration file:',
    formatItems(
      only.map((name) => [name, helpOf(name)]),
      helper,
    ),
    '',
    formatExamples(startUsage),
    '',
  ].join('\n')
}
