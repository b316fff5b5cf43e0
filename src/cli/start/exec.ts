/** `payments-sandbox exec -- COMMAND…`: a sandbox for as long as a command runs, which finds it by its environment. */

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Command } from 'commander'
import type { Ready } from '../../protocol/control/shapes/outputs.js'
import type { Words } from '../command.js'
import { Failure } from '../errors.js'
import { addSettingFlags, flagsOf } from '../settings/flags.js'
import { resolveSettings } from '../settings/resolve.js'
import { environmentOf } from './environment.js'

/** Settings that concern the terminal, which belongs to the command here. */
const terminalSettings = ['json', 'open', 'log_level'] as const

export const words: Words = {
  exec: {
    prints: [],
    examples: [
      {
        run: `payments-sandbox exec -- sh -c 'curl -s $PAYMENTS_SANDBOX_URL/_sandbox/health'`,
        says: 'the command finds it by its environment',
      },
      {
        run: `payments-sandbox exec --clock manual --seed ci -- node --test`,
        says: 'a test suite with a clock that stands still',
      },
    ],
  },
}

export function define(command: Command): void {
  addSettingFlags(command, {
    without: terminalSettings,
    help: { port: 'port to listen on (default: any free port)' },
  })
  command
    .argument('<command...>', 'the command with its arguments, behind --')
    .passThroughOptions()
    .addHelpText('after', '\nThe command gets the variables that payments-sandbox env prints.')
    .addHelpText('after', "payments-sandbox exits with the command's exit code.")
    .action(async (words: string[], _flags: unknown, self: Command) => {
      const settings = await resolveSettings({ ...flagsOf(self), log_level: 'silent' }, process.env)
      const port = self.getOptionValueSource('port') === 'cli' ? settings.port : 0
      const { openAsTold } = await import('./run.js')
      const { sandbox, ready } = await openAsTold({ ...settings, port })
      try {
        process.exitCode = await runToItsEnd(words, environmentFor(ready))
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

/** Resolves with its exit code; 128 and the number of the signal that ended it, as shells have it. Throws `Failure` where it cannot be started. */
function runToItsEnd([file = '', ...args]: string[], variables: Record<string, string>): Promise<number> {
  const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...variables } })
  // Ctrl-C reaches the command by itself; the sandbox stays until the command is done with it.
  const passOn = (signal: NodeJS.Signals) => child.kill(signal)
  const wait = () => {}
  process.on('SIGTERM', passOn).on('SIGHUP', passOn).on('SIGINT', wait)
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Failure(error.code === 'ENOENT' ? `there is no command ${file}` : `${file}: ${error.message}`)),
    )
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}
