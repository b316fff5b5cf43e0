/** `payments-sandbox start`: opens everything, prints what a newcomer needs, and ends cleanly. */
import type { Command } from 'commander'
import { credentialsOf, listAccounts } from '../core/account.js'
import { defaultConfig } from '../core/config.js'
import { credentialFields } from '../http/admin/accounts.js'
import { openSandbox, type RunningSandbox } from '../platform/node/sandbox.js'
import { banner } from './banner.js'
import { explainStartError } from './start-errors.js'

interface StartFlags {
  port: string
  host: string
  db: string
  webhookUrl?: string
  clock?: 'realtime' | 'manual'
  seed?: string
  strictWebhooks?: boolean
  rateLimits: boolean
  adminToken?: string
  allowHost: string[]
  json?: boolean
}

export function addStart(program: Command): void {
  program
    .command('start')
    .description('start a sandbox')
    .option('--port <number>', 'port to listen on; 0 takes any free one', '4010')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--db <file>', 'SQLite file that keeps the state, or :memory:', ':memory:')
    .option('--webhook-url <url>', 'where webhooks go when neither charge nor credential says so')
    .option('--clock <mode>', 'realtime, or manual: time passes only when told')
    .option('--seed <text>', 'the same seed gives the same ids, codes and addresses')
    .option('--strict-webhooks', 'refuse http:// webhook addresses everywhere')
    .option('--no-rate-limits', 'switch the documented rates off')
    .option('--admin-token <text>', 'ask for this token on the control API')
    .option(
      '--allow-host <name>',
      'answer to this Host as well; may be repeated',
      (name: string, names: string[]) => [...names, name],
      [],
    )
    .option('--json', 'print one line of JSON instead of the banner')
    .action(start)
}

async function start(flags: StartFlags): Promise<void> {
  let sandbox: RunningSandbox
  try {
    sandbox = await openSandbox({
      host: flags.host,
      port: Number(flags.port),
      db: flags.db,
      adminToken: flags.adminToken ?? null,
      allowHosts: flags.allowHost,
      config: {
        ...defaultConfig,
        clock: flags.clock ?? null,
        webhookUrl: flags.webhookUrl ?? null,
        strictWebhooks: flags.strictWebhooks ?? false,
        rateLimits: flags.rateLimits,
        seed: flags.seed ?? null,
      },
    })
  } catch (error) {
    console.error(explainStartError(error, { host: flags.host, port: flags.port, db: flags.db }))
    process.exitCode = 1
    return
  }
  process.stdout.write(flags.json === true ? `${JSON.stringify(ready(sandbox))}\n` : banner(ready(sandbox)))
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void sandbox.close().then(() => process.exit(0)))
}

export interface Ready {
  event: 'ready'
  base_url: string
  dashboard_url: string
  admin_token?: string
  accounts: { username: string; credentials: ReturnType<typeof credentialFields>[] }[]
}

function ready({ url, host, workspace }: RunningSandbox): Ready {
  return {
    event: 'ready',
    base_url: url,
    dashboard_url: `${url}/`,
    ...(host.adminToken === null ? {} : { admin_token: host.adminToken }),
    accounts: listAccounts(workspace.db).map((account) => ({
      username: account.username,
      credentials: credentialsOf(workspace.db, account.seq).map((row) => credentialFields(workspace, row)),
    })),
  }
}
