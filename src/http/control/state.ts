/** Health, triggers, the ledger, reset. */
import * as z from 'zod'
import { isoUtc } from '../../base/iso.js'
import { plainJson } from '../../base/json.js'
import { listAccounts } from '../../core/access/account.js'
import { auditLedger } from '../../core/ledger/ledger.js'
import { trigger } from '../../core/operations/trigger.js'
import { asText } from '../../core/operations/views.js'
import { reset } from '../../core/workspace/lifecycle.js'
import { text } from '../../protocol/api/fields.js'
import { actionNames, actionTable } from '../../protocol/control/actions.js'
import { writeMeta } from '../../store/db.js'
import { isAdmin } from '../guard.js'
import { accountFields } from './accounts.js'
import { readBody } from './params.js'
import type { AdminCall, AdminRoute } from './route.js'

const triggerBody = z.looseObject({
  action: z.string('must be a string'),
  id: z.union([z.string(), z.number()], 'must be a string').optional(),
})

/** The body of each action, its parameters included. */
const describeTrigger = () =>
  z.union(
    actionNames.map((name) =>
      actionTable[name].params.extend({
        action: z.literal(name),
        id: text()
          .optional()
          .describe('Its id or external_id; without it the newest object that the action is allowed on'),
      }),
    ),
  )

/** Writes as much as a charge does, and something else each time: what stands there already, SQLite does not write. */
const chargeBytes = 64 * 1024

async function health({ host, ws, request }: AdminCall) {
  await ws.unit((unit) => writeMeta(unit.db, 'health', `${unit.wallMs} `.padEnd(chargeBytes, String(unit.wallMs))))
  if (!isAdmin(host, request)) return { status: 'ok' }
  return {
    status: 'ok',
    version: host.version,
    workspace: ws.name,
    clock: { now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode },
  }
}

async function runTrigger({ ws, body }: AdminCall) {
  const { action, id, ...params } = readBody(triggerBody, {
    ...body,
    id: body.id == null ? undefined : String(plainJson(body.id)),
  })
  const done = await ws.unit((unit) => trigger(unit, action, id === undefined ? undefined : String(id), params))
  return { action: done.action, object: done.object, events: done.events }
}

async function ledger({ ws }: AdminCall) {
  const audit = await ws.unit((unit) => auditLedger(unit.db))
  const accounts = audit.accounts.map(({ username, currency, ...balance }) => ({
    username,
    currency,
    available: asText(balance.available, currency),
    blocked: asText(balance.blocked, currency),
    pending: asText(balance.pending, currency),
  }))
  return { balanced: audit.balanced, accounts }
}

async function runReset({ ws }: AdminCall) {
  await reset(ws)
  const accounts = await ws.unit((unit) => listAccounts(unit.db).map((account) => accountFields(unit, account)))
  const clock = { now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode }
  return { status: 'ok', workspace: ws.name, clock, accounts }
}

export const stateRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/_sandbox/health',
    title: 'Whether the sandbox works and its store can be written',
    handle: health,
  },
  {
    method: 'POST',
    path: '/_sandbox/trigger',
    title: 'Do an action of the state table',
    describeBody: describeTrigger,
    handle: runTrigger,
  },
  { method: 'GET', path: '/_sandbox/ledger', title: 'Recompute every balance from its postings', handle: ledger },
  { method: 'POST', path: '/_sandbox/reset', title: 'Back to the state right after start', handle: runReset },
]
