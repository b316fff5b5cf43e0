/** The sandbox as a whole: health, the ledger, reset. */
import { listAccounts } from '../../core/access/account.js'
import { money } from '../../core/ledger/amounts.js'
import { auditLedgerBetweenCalls } from '../../core/ledger/audit.js'
import { reset } from '../../core/workspace/reset.js'
import type { stateRoutes } from '../../protocol/control/state.js'
import { writeMeta } from '../../store/db.js'
import { isAdmin } from '../guard.js'
import { accountFields } from './accounts.js'
import { clockOf } from './clock.js'
import type { CallContext, Handlers } from './mount/mount.js'

/** Writes as much as a charge does, and something else each time: what stands there already, SQLite does not write. */
const chargeBytes = 64 * 1024

async function readHealth({ host, ws, request }: CallContext) {
  await ws.unit((unit) => writeMeta(unit.db, 'health', `${unit.wallMs} `.padEnd(chargeBytes, String(unit.wallMs))))
  if (!isAdmin(host, request)) return { status: 'ok' as const }
  const { driver } = ws.db
  const hosted = host.hosted?.()
  return {
    status: 'ok' as const,
    version: host.version,
    workspace: ws.name,
    clock: clockOf(ws),
    database_driver: driver,
    ...(hosted === undefined ? {} : { hosted }),
  }
}

async function readLedger({ ws }: CallContext) {
  const audit = await auditLedgerBetweenCalls(ws)
  const accounts = audit.accounts.map(({ username, currency, ...balance }) => ({
    username,
    currency,
    available: money(balance.available, currency),
    blocked: money(balance.blocked, currency),
    pending: money(balance.pending, currency),
  }))
  return { balanced: audit.balanced, accounts }
}

async function runReset({ ws }: CallContext) {
  await reset(ws)
  const accounts = await ws.unit((unit) => listAccounts(unit.db).map((account) => accountFields(unit, account)))
  return { status: 'ok' as const, workspace: ws.name, clock: clockOf(ws), accounts }
}

export const stateHandlers: Handlers<typeof stateRoutes> = { readHealth, readLedger, reset: runReset }
