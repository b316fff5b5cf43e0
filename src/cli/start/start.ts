/** `payments-sandbox start`: its flags come from the table of settings. The implementation is loaded when the command runs. */

import type { Command } from 'commander'
import { defaultPort } from '../../protocol/settings/address.js'
import { variableOf } from '../../protocol/settings/variables.js'
import type { CommandUsages, Composition } from '../command.js'
import { addSettingFlags, flagsOf } from '../settings/flags.js'
import { resolveSettings } from '../settings/resolve.js'
import { negatedVariableOf, setting, settingNames } from '../settings/settings.js'

export const usages: CommandUsages = {
  start: {
    jsonOutputs: [{ shape: 'ready' }],
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
  },
}

export function define(command: Command, { routes }: Composition): void {
  addSettingFlags(command)
  command
    .option('--detach', 'run in the background; end it with payments-sandbox stop')
    .addHelpText('after', sources())
    .action(async (flags: { detach?: true }, self: Command) => {
      const settings = await resolveSettings(flagsOf(self), process.env)
      if (flags.detach === true) {
        const { startDetached } = await import('../detached/start.js')
        await startDetached(settings)
        return
      }
      const { runSandbox } = await import('./run.js')
      await runSandbox(settings, routes)
    })
}

function sources(): string {
  const only = settingNames.filter((name) => setting(name).fileOnly)
  const width = Math.max(...only.map((name) => name.length))
  return [
    '',
    'Each flag is also an environment variable and a key of the configuration file. Flags override variables,',
    `variables override the file. --webhook-url is ${variableOf('webhook_url')} and webhook_url,`,
    `--no-rate-limits is ${negatedVariableOf('rate_limits')}=1 and "rate_limits: false". An unknown`,
    'variable with the prefix PAYMENTS_SANDBOX_ is an error.',
    '',
    'Only in the configuration file:',
    ...only.map((name) => `  ${name.padEnd(width)}  ${setting(name).help}`),
  ].join('\n')
}
