/** `payments-sandbox env`: prints the base URL and secrets for a shell, a dotenv file or a program. */
import { type Command, Option } from 'commander'
import { type Secrets, variablesOf } from '../../protocol/control/outputs.js'
import { writeOutput } from '../../runtime/node/files/output.js'
import { derOf, trustStore } from '../../runtime/node/tls/certificates.js'
import type { CommandUsages } from '../command.js'
import {
  accountNamed,
  addConnectionFlags,
  adminTokenOf,
  type ConnectionFlags,
  connect,
  credentialOf,
} from '../connection.js'
import { Failure } from '../errors.js'
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

export const usages: CommandUsages = {
  env: {
    jsonOutputs: [{ shape: 'environment' }],
    examples: {
      'eval "$(payments-sandbox env)"': 'set the variables of the sandbox in this shell',
      'payments-sandbox env --format dotenv > .env': 'write a dotenv file',
      'payments-sandbox env --account customer --json': 'print the credentials of the account customer as JSON',
    },
  },
}

export function define(command: Command): void {
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
}

export const environmentOf = (
  url: string,
  username: string,
  credential: Secrets,
  adminToken: string | undefined,
): Record<string, string> => ({ ...variablesOf(url, username, credential, adminToken), ...trustVariables(url) })
