/** `payments-sandbox exec -- COMMAND…`: runs a sandbox while the command runs, and passes its URL and secrets as variables. */

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Command } from 'commander'
import type { Ready } from '../../protocol/control/outputs.js'
import type { CommandUsages, Composition } from '../command.js'
import { Failure } from '../errors.js'
import { resolveSettings } from '../settings/resolve.js'
import { addSettingFlags, flagsOf } from '../settings/settings.js'
import { environmentOf } from './env.js'

/** Settings about the terminal. `exec` does not have them, because the terminal belongs to the command. */
const excludedSettings = ['json', 'open', 'log_level'] as const

export const usages: CommandUsages = {
  exec: {
    jsonOutputs: [],
    examples: {
      "payments-sandbox exec -- sh -c 'curl -s $PAYMENTS_SANDBOX_URL/_sandbox/health'":
        'run a command with a new sandbox; the variable PAYMENTS_SANDBOX_URL has its URL',
      'payments-sandbox exec --clock manual --seed ci -- node --test': 'run a test suite with a manual clock',
    },
  },
}

export function define(command: Command, { routes }: Composition): void {
  addSettingFlags(command, excludedSettings, { port: 'port to listen on (default: any free port)' })
  command
    .argument('<command...>', 'command and arguments, after --')
    .passThroughOptions()
    .addHelpText('after', '\nThe command gets the variables that payments-sandbox env prints.')
    .addHelpText('after', 'payments-sandbox start --help-config describes further settings.')
    .addHelpText('after', "Exits with the command's exit code.")
    .action(async (words: string[], _flags: unknown, self: Command) => {
      const { settings, sources } = await resolveSettings(flagsOf(self), process.env)
      const port = self.getOptionValueSource('port') === 'cli' ? settings.port : 0
      const { openFromSettings } = await import('../run-sandbox.js')
      const used = { ...settings, port, log_level: 'silent' as const }
      const { sandbox, ready } = await openFromSettings({ settings: used, sources }, routes)
      try {
        process.exitCode = await runCommand(words, environmentFor(ready))
      } finally {
        await sandbox.close()
      }
    })
}

function environmentFor({ base_url, admin_token, accounts: [account] }: Ready): Record<string, string> {
  const [credential] = account?.credentials ?? []
  if (account === undefined || credential === undefined)
    throw new Failure('the sandbox has no account with a credential')
  return environmentOf(base_url, account.username, credential, admin_token)
}

/** Resolves to the exit code, or 128 plus the number of the signal that ended it, as shells do. Throws `Failure` if it cannot be started. */
function runCommand([file = '', ...args]: string[], variables: Record<string, string>): Promise<number> {
  const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...variables } })
  // The terminal sends Ctrl-C to the command too; the sandbox stays until the command has ended.
  const forward = (signal: NodeJS.Signals) => child.kill(signal)
  const wait = () => {}
  process.on('SIGTERM', forward).on('SIGHUP', forward).on('SIGINT', wait)
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Failure(error.code === 'ENOENT' ? `command not found: ${file}` : `${file}: ${error.message}`)),
    )
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}
