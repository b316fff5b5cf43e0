/** The URL and secrets of a sandbox: `payments-sandbox env` prints them, `exec` gives a command those of a new one. */

import { spawn } from 'node:child_process'
import { type Command, Option } from 'commander'
import { type Ready, type Secrets, variablesOf } from '../../protocol/control/outputs.js'
import { writeOutput } from '../../runtime/node/files/output.js'
import { exitCodeOf } from '../../runtime/node/process-end.js'
import { derOf, trustStore } from '../../runtime/node/tls/certificates.js'
import {
  accountNamed,
  addConnectionFlags,
  adminTokenOf,
  type CommandFile,
  type ConnectionFlags,
  connect,
  credentialOf,
} from '../command.js'
import { Failure } from '../errors.js'
import { resolveSettings } from '../settings/resolve.js'
import { addSettingFlags, flagsOf } from '../settings/settings.js'
import { authorityCertificate, trustVariables } from '../tls-authority.js'

/** The default password of Java. The store contains no secret. */
const trustStorePassword = 'changeit'

/** Writes the trust store. Throws `Failure` if there is no authority yet, and `UnusableFile`. */
async function writeTrustStore(file: string): Promise<void> {
  const certificate = authorityCertificate()
  if (certificate === undefined)
    throw new Failure('there is no certificate authority yet: start a sandbox with --tls first')
  const store = trustStore(derOf(certificate), 'payments-sandbox', trustStorePassword, Date.now())
  await writeOutput({ file, kind: 'trustStore', flag: '--truststore' }, store)
}

const formats = {
  shell: (name: string, value: string) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
  dotenv: (name: string, value: string) => `${name}=${/^[\w.:/@%+-]*$/.test(value) ? value : JSON.stringify(value)}`,
} as const

interface Flags extends ConnectionFlags {
  format: 'shell' | 'dotenv' | 'json'
  account?: string
  truststore?: string
}

export const env: CommandFile = {
  usages: {
    env: {
      jsonOutputs: [{ shape: 'environment' }],
      examples: {
        'eval "$(payments-sandbox env)"': 'set the variables of the sandbox in this shell',
        'payments-sandbox env --format dotenv > .env': 'write a dotenv file',
        'payments-sandbox env --account customer --json': 'print the credentials of the account customer as JSON',
      },
    },
  },
  define(command) {
    addConnectionFlags(command)
      .addOption(
        new Option('--format <format>', 'shell, dotenv or json (default: shell)')
          .choices(['shell', 'dotenv', 'json'])
          .default('shell'),
      )
      .option(
        '--truststore <file>',
        `write a trust store for Java with the certificate authority of --tls (password: ${trustStorePassword})`,
      )
      .option('--account <username>', 'account whose credentials are printed (default: the first account)')
      .action(async (flags: Flags) => {
        const sandbox = connect(flags)
        const account = await accountNamed(sandbox, flags.account)
        const credential = credentialOf(account)
        const variables = environmentOf(sandbox.url, account.username, credential, adminTokenOf(flags))
        if (flags.truststore !== undefined) await writeTrustStore(flags.truststore)
        const { format } = flags
        if (flags.json === true || format === 'json') {
          process.stdout.write(`${JSON.stringify(variables)}\n`)
          return
        }
        const lines = Object.entries(variables).map(([name, value]) => formats[format](name, value))
        process.stdout.write(`${lines.join('\n')}\n`)
      })
  },
}

export const environmentOf = (
  url: string,
  username: string,
  credential: Secrets,
  adminToken: string | undefined,
): Record<string, string> => ({ ...variablesOf(url, username, credential, adminToken), ...trustVariables(url) })

/** Settings about the terminal. `exec` does not have them, because the terminal belongs to the command. */
const excludedSettings = ['json', 'open', 'log_level'] as const

export const exec: CommandFile = {
  usages: {
    exec: {
      jsonOutputs: [],
      examples: {
        "payments-sandbox exec -- sh -c 'curl -s $PAYMENTS_SANDBOX_URL/_sandbox/health'":
          'run a command with a new sandbox; the variable PAYMENTS_SANDBOX_URL has its URL',
        'payments-sandbox exec --clock manual --seed ci -- node --test': 'run a test suite with a manual clock',
      },
    },
  },
  define(command, { routes }) {
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
  },
}

function environmentFor({ base_url, admin_token, accounts: [account] }: Ready): Record<string, string> {
  const [credential] = account?.credentials ?? []
  if (account === undefined || credential === undefined)
    throw new Failure('the sandbox has no account with a credential')
  return environmentOf(base_url, account.username, credential, admin_token)
}

function runCommand([file = '', ...args]: string[], variables: Record<string, string>): Promise<number> {
  const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...variables } })
  // The terminal sends Ctrl-C to the command too; the sandbox stays until the command has ended.
  const forward = (signal: NodeJS.Signals) => child.kill(signal)
  const wait = () => {}
  process.on('SIGTERM', forward).on('SIGHUP', forward).on('SIGINT', wait)
  return exitCodeOf(child, file, Failure)
}
