/** What `start` reports when the sandbox is ready: the data of the banner, `--json` and `--config-out`. */
import { credentialsOf, listAccounts } from '../../core/auth/account.js'
import { credentialFields } from '../../http/control/accounts.js'
import type { Ready } from '../../protocol/control/shapes/outputs.js'
import { type Output, writeOutput } from '../../runtime/node/files/output.js'
import type { RunningSandbox } from '../../runtime/node/sandbox.js'

export function readyOf({ url, adminToken, workspace }: RunningSandbox): Ready {
  return {
    event: 'ready',
    base_url: url,
    dashboard_url: `${url}/`,
    database_driver: workspace.db.driver,
    ...(adminToken === null ? {} : { admin_token: adminToken }),
    accounts: listAccounts(workspace.db).map((account) => ({
      username: account.username,
      credentials: credentialsOf(workspace.db, account.seq).map((row) => credentialFields(workspace, row)),
    })),
  }
}

export const readyOutput = (file: string): Output => ({ file, kind: 'ready', flag: '--config-out' })

/** Writes the file as a whole and readable only by its owner, so that a waiting process never reads a part of it. */
export async function writeReady(file: string, ready: Ready): Promise<void> {
  await writeOutput(readyOutput(file), `${JSON.stringify(ready, null, 2)}\n`)
}
