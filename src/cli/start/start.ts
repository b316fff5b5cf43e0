/** `payments-sandbox start`: its flags, taken from the table of settings. What it does is loaded when it is asked for. */

import type { Command } from 'commander'
import { defaultPort } from '../../protocol/settings/address.js'
import type { Words } from '../command.js'
import { addSettingFlags, flagsOf } from '../settings/flags.js'
import { resolveSettings } from '../settings/resolve.js'
import { negatedVariableOf, setting, settingNames, variableOf } from '../settings/settings.js'

export const words: Words = {
  start: {
    prints: [{ shape: 'ready' }],
    examples: [
      { run: 'payments-sandbox start', says: `in memory, on port ${defaultPort}`, stays: true },
      { run: 'payments-sandbox start --db sandbox.sqlite', says: 'keeps its state in a file', stays: true },
      {
        run: 'payments-sandbox start --port 0 --clock manual --seed ci --json',
        says: 'for tests: a free port, time stands still, the same ids every time',
        stays: true,
      },
      { run: 'payments-sandbox start --detach --port 0', says: 'in the background, until payments-sandbox stop' },
      { run: 'payments-sandbox start --snapshot golden.json', says: 'as an exported file has it', stays: true },
      { run: 'payments-sandbox start --config sandbox.yaml', says: 'settings and accounts from a file', stays: true },
    ],
  },
}

export function define(command: Command): void {
  addSettingFlags(command)
  command
    .option('--detach', 'go on in the background; payments-sandbox stop ends it')
    .addHelpText('after', sources())
    .action(async (flags: { detach?: true }, self: Command) => {
      const settings = await resolveSettings(flagsOf(self), process.env)
      if (flags.detach === true) {
        const { startDetached } = await import('../detached/start.js')
        await startDetached(settings)
        return
      }
      const { runSandbox } = await import('./run.js')
      await runSandbox(settings)
    })
}

function sources(): string {
  const only = settingNames.filter((name) => setting(name).fileOnly)
  const width = Math.max(...only.map((name) => name.length))
  return [
    '',
    'Each flag is also an environment variable and a key of the configuration file; flags beat variables,',
    `variables beat the file. --webhook-url is ${variableOf('webhook_url')} and webhook_url,`,
    `--no-rate-limits is ${negatedVariableOf('rate_limits')}=1 and "rate_limits: false". A variable with`,
    'this prefix that payments-sandbox does not know ends the start.',
    '',
    'In the configuration file only:',
    ...only.map((name) => `  ${name.padEnd(width)}  ${setting(name).help}`),
  ].join('\n')
}
