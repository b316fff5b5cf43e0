/** `payments-sandbox env`: prints the base URL and secrets for a shell, a dotenv file or a program. */

import { type Command, Option } from 'commander'
import { environmentOf } from '../../runtime/shared/environment.js'
import type { CommandUsages } from '../command.js'
import { accountNamed, credentialOf } from '../connection/accounts.js'
import { addConnectionFlags, adminTokenOf, type Connection, connect } from '../connection/connection.js'

const formats = {
  shell: (name: string, value: string) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
  dotenv: (name: string, value: string) => `${name}=${/^[\w.:/@%+-]*$/.test(value) ? value : JSON.stringify(value)}`,
} as const

interface Flags extends Connection {
  format: 'shell' | 'dotenv' | 'json'
  account?: string
}

export const words: CommandUsages = {
  env: {
    prints: [{ shape: 'environment' }],
    examples: [
      { run: 'eval "$(payments-sandbox env)"', says: 'set the variables in this shell' },
      { run: 'payments-sandbox env --format dotenv > .env', says: 'write a dotenv file' },
      {
        run: 'payments-sandbox env --account customer --json',
        says: 'print the credentials of another account as JSON',
      },
    ],
  },
}

export function define(command: Command): void {
  addConnectionFlags(command)
    .addOption(
      new Option('--format <format>', 'shell, dotenv or json (default: shell)')
        .choices(['shell', 'dotenv', 'json'])
        .default('shell'),
    )
    .option('--account <username>', 'account whose credentials are printed (default: the first account)')
    .action(async (flags: Flags) => {
      const sandbox = connect(flags)
      const account = await accountNamed(sandbox, flags.account)
      const credential = credentialOf(account)
      const variables = environmentOf(sandbox.url, account.username, credential, adminTokenOf(flags))
      const { format } = flags
      if (flags.json === true || format === 'json') {
        process.stdout.write(`${JSON.stringify(variables)}\n`)
        return
      }
      const lines = Object.entries(variables).map(([name, value]) => formats[format](name, value))
      process.stdout.write(`${lines.join('\n')}\n`)
    })
}
