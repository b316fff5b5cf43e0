/** Delivers webhooks: prepare (read, sign), send (network, outside any transaction), record (one transaction) — §6.1, §6.3, decisions 28 to 30. */
import { eq, sql } from 'drizzle-orm'
import { hmacHex } from '../../base/crypto.js'
import { webhookHeaders } from '../../protocol/api/headers.js'
import { prepared } from '../../store/db.js'
import { events } from '../../store/schema.js'
import { credentialOf } from '../access/account.js'
import { type DueJob, onceOnly } from '../scheduler/jobs.js'
import type { Workspace } from '../workspace/workspace.js'
import { defer, recordAttempt, recordSoon, tellFault } from './deliveries.js'
import { type DispatchState, takeInHand } from './dispatch-state.js'
import type { OutgoingEvent } from './event-rows.js'
import { tampered, treatmentOf } from './faults.js'
import type { SendProgress, SendRequest } from './send-port.js'
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

/** Hands a claimed job to its receiver's lane. What is sent by hand goes at once, whatever else its object has under way. */
export function enqueueDelivery(ws: Workspace, job: DueJob): void {
  const { dispatch } = ws.memory
  const done = takeInHand(dispatch, job.seq)
  dispatch.lanes.add({
    receiver: job.url ?? '',
    object: job.payload === onceOnly ? null : job.subjectId,
    run: (progress) =>
      deliver(ws, dispatch, job, progress, done).catch((error: unknown) => {
        tellFault(ws, job.ref, error)
        done()
      }),
  })
}

/** Settles once the receiver has answered, so that its lane goes on; the writing down follows by itself. */
async function deliver(
  ws: Workspace,
  dispatch: DispatchState,
  job: DueJob,
  progress: SendProgress,
  done: () => void,
): Promise<void> {
  const isWanted = ws.memory.dispatch === dispatch && !ws.closed && !dispatch.ending
  const event = isWanted ? outgoing(ws.db).get({ seq: job.eventSeq }) : undefined
  if (event === undefined) return done()
  const atMs = ws.clock.now()
  const { seq } = job
  if (!takeSend(ws, event.credentialSeq ?? 0, atMs))
    return recordSoon(ws, dispatch, { seq, write: (unit) => defer(unit, job, event), done })
  const request = prepare(ws, job, event)
  const result = await ws.send(request, progress)
  recordSoon(ws, dispatch, { seq, write: (unit) => recordAttempt(unit, job, event, { atMs, request, result }), done })
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
