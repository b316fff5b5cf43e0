/** Delivers webhooks: prepare (read, sign), send (network, outside any transaction), settle (one transaction) — §6.1, §6.3, decisions 28 to 30. */

import { eq, sql } from 'drizzle-orm'
import { hmacHex } from '../../base/crypto.js'
import { webhookHeaders } from '../../protocol/api/headers.js'
import { prepared } from '../../store/db.js'
import { events } from '../../store/schema.js'
import { credentialOf } from '../access/account.js'
import { type DueJob, onceOnly } from '../scheduler/jobs.js'
import type { Workspace } from '../workspace/workspace.js'
import { defer, settle, settleSoon, tellFault } from './deliveries.js'
import { type DispatchState, takeInHand } from './dispatch-state.js'
import type { OutgoingEvent } from './event-rows.js'
import { tampered, treatmentOf } from './faults.js'
import type { SendRequest } from './send-port.js'
import { takeSend } from './window.js'

const outgoing = prepared((orm) =>
  orm
    .select({
      seq: events.seq,
      id: events.id,
      event: events.event,
      subjectId: events.subjectId,
      credentialSeq: events.credentialSeq,
      body: events.body,
      treatment: events.treatment,
    })
    .from(events)
    .where(eq(events.seq, sql.placeholder('seq')))
    .prepare(),
)

/** Hands a claimed job to its receiver's lane. */
export function enqueueDelivery(ws: Workspace, job: DueJob): void {
  const { dispatch } = ws.memory
  const done = takeInHand(dispatch)
  dispatch.lanes.add(job.url ?? '', (slow) =>
    deliver(ws, dispatch, job, slow, done).catch((error: unknown) => {
      tellFault(ws, job.ref, error)
      done()
    }),
  )
}

/** Resolves once the receiver has answered, so that its lane goes on; the settling follows by itself. */
async function deliver(
  ws: Workspace,
  dispatch: DispatchState,
  job: DueJob,
  slow: () => void,
  done: () => void,
): Promise<void> {
  const isWanted = ws.memory.dispatch === dispatch && !ws.closed && !dispatch.ending
  const event = isWanted ? outgoing(ws.db).get({ seq: job.eventSeq }) : undefined
  if (event === undefined) return done()
  const atMs = ws.clock.now()
  if (!takeSend(ws, event.credentialSeq ?? 0, atMs))
    return settleSoon(ws, dispatch, { write: (unit) => defer(unit, job, event), done })
  const request = prepare(ws, job, event)
  const result = await ws.send(request, slow)
  settleSoon(ws, dispatch, { write: (unit) => settle(unit, job, event, { atMs, request, result }), done })
}

/** The body and id never change; the timestamp is new in each attempt (decision 28). */
function prepare(ws: Workspace, job: DueJob, event: OutgoingEvent): SendRequest {
  const credential = credentialOf(ws.db, event.credentialSeq)
  const headers = {
    [webhookHeaders.type]: 'application/json',
    [webhookHeaders.event]: event.event,
    [webhookHeaders.signature]: hmacHex(credential?.webhookSecret ?? '', event.body),
    [webhookHeaders.id]: event.id,
    [webhookHeaders.timestamp]: String(Math.floor(ws.clock.wall() / 1000)),
    [webhookHeaders.agent]: 'Service-Webhook/2.0',
    [webhookHeaders.sandbox]: '1',
  }
  // By hand it goes out as it is: whoever sends it again wants it to arrive.
  const { headers: sent, body } =
    job.payload === onceOnly
      ? { headers, body: event.body }
      : tampered({ headers, body: event.body }, treatmentOf(event))
  return { url: job.url ?? '', headers: sent, body }
}
