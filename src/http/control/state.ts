/** The sandbox as a whole: health, the ledger, reset. */
import { secondMs } from '../../base/duration.js'
import { listAccounts } from '../../core/auth/account.js'
import { auditLedgerInBatches } from '../../core/ledger/audit.js'
import { formatMoney } from '../../core/ledger/ledger.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { reset } from '../../core/workspace/reset.js'
import type { stateRoutes } from '../../protocol/control/state.js'
import { emulatedInterface } from '../../protocol/platform/interface-version.js'
import { writeMeta } from '../../store/db.js'
import { isAdmin, requireAdmin } from '../guard.js'
import { accountFields } from './accounts.js'
import { clockOf } from './clock.js'
import type { CallContext, Handlers } from './routes.js'

/** The health check writes as much as a charge does, with new content each time: SQLite skips pages that do not change. */
const healthWriteBytes = 64 * 1024

/**
 * After a successful write, callers without the admin token get `ok` for this long without another write, however often
 * they call.
 */
const writeCheckValidMs = 10 * secondMs
const writtenAtMs = new WeakMap<Workspace, number>()

async function requireWritable(ws: Workspace): Promise<void> {
  await ws.unit((unit) => writeMeta(unit.db, 'health', `${unit.wallMs} `.padEnd(healthWriteBytes, String(unit.wallMs))))
  writtenAtMs.set(ws, ws.clock.wall())
}

async function readHealth({ host, ws, request }: CallContext) {
  const isFresh = ws.clock.wall() - (writtenAtMs.get(ws) ?? 0) < writeCheckValidMs
  if (!isAdmin(host, request)) {
    if (!isFresh) await requireWritable(ws)
    return { status: 'ok' as const }
  }
  await requireWritable(ws)
  const { driver } = ws.db
  const hostingDetails = host.hostingDetails?.()
  return {
    status: 'ok' as const,
    version: host.version,
    interface: emulatedInterface,
    workspace: ws.name,
    clock: clockOf(ws),
    database_driver: driver,
    ...(host.process === undefined ? {} : { process: host.process }),
    ...(hostingDetails === undefined ? {} : { hosted: hostingDetails }),
  }
}

async function readLedger({ ws }: CallContext) {
  const audit = await auditLedgerInBatches(ws)
  const accounts = audit.accounts.map(({ username, currency, ...balance }) => ({
    username,
    currency,
    available: formatMoney(balance.available, currency),
    blocked: formatMoney(balance.blocked, currency),
    pending: formatMoney(balance.pending, currency),
  }))
  return { balanced: audit.balanced, accounts }
}

async function runReset({ ws }: CallContext) {
  await reset(ws)
  const accounts = await ws.unit((unit) => listAccounts(unit.db).map((account) => accountFields(unit, account)))
  return { status: 'ok' as const, workspace: ws.name, clock: clockOf(ws), accounts }
}

function rotateAdminToken({ host, ws, request }: CallContext) {
  // Checked again here: of two simultaneous calls with the same token only the first may succeed.
  requireAdmin(host, request)
  const token = host.rotateAdminToken()
  ws.bus.publish({ type: 'workspace', id: ws.name, status: 'admin_token_rotated' })
  return { admin_token: token }
}

export const stateHandlers: Handlers<typeof stateRoutes> = {
  readHealth,
  readLedger,
  rotateAdminToken,
  reset: runReset,
}
