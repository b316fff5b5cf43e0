/** What `start` says once the sandbox answers: the same for the banner, for `--json` and for `--config-out`. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { credentialsOf, listAccounts } from '../../core/access/account.js'
import { credentialFields } from '../../http/control/accounts.js'
import type { RunningSandbox } from '../../platform/node/sandbox.js'
import type { Ready } from '../../protocol/control/shapes/outputs.js'
import { Failure } from '../errors.js'

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

/** Readable by its owner alone, and never half-written: whoever waits for the file finds all of it. */
export function writeReady(file: string, ready: Ready): void {
  const fresh = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(fresh, `${JSON.stringify(ready, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    const message = error instanceof Error ? error.message : String(error)
    throw new Failure(`${file} cannot be written (${message}): name another file with --config-out`)
  }
}
