/** Delivers webhooks: prepare (read, sign), send (network, outside any transaction), record (one transaction) — §6.1, §6.3, decisions 28 to 30. */

import { hmacHex } from '../../base/crypto.js'
import { reader } from '../../store/db.js'
import { credentialOf } from '../auth/account.js'
import { type DueDelivery, singleAttempt } from '../jobs/jobs.js'
import type { SendProgress, SendRequest } from '../unit/send-port.js'
import type { Unit } from '../unit/unit.js'
import type { Workspace } from '../unit/workspace.js'
import { deliveryFaultsOf, tamper } from '../webhooks/faults.js'
import { headersOf } from '../webhooks/message.js'
import { deferOverRate, publishFault, recordAttempt, recordSoon } from './deliveries.js'
import { type DispatchState, deliveryState, markInFlight } from './dispatch-state.js'
import type { DeliveryEnding } from './queue.js'
import { countSend } from './rate-window.js'

const bodyOf = reader<{ body: string }>('select body from events where seq = ?')

/**
 * Hands a job to the queue of its receiver. A manual redelivery is sent at once, even if other deliveries about the same
 * object are in flight.
 */
export function enqueueDelivery(ws: Workspace, dispatch: DispatchState, job: DueDelivery): void {
  const done = markInFlight(dispatch, job)
  dispatch.queue.add({
    receiver: job.url ?? '',
    object: job.payload === singleAttempt ? null : job.subjectId,
    run: (progress) =>
      deliver(ws, dispatch, job, progress, done).catch((error: unknown) => {
        publishFault(ws, job.ref, error)
        done()
        return 'unsent' as const
      }),
  })
}

/** Settles once the receiver has answered, so that its queue continues; recording follows separately. */
async function deliver(
  ws: Workspace,
  dispatch: DispatchState,
  job: DueDelivery,
  progress: SendProgress,
  done: () => void,
): Promise<DeliveryEnding> {
  /** Records the outcome of a delivery that was not sent. */
  const endUnsent = (write?: (unit: Unit) => void): DeliveryEnding => {
    if (write === undefined) done()
    else recordSoon(ws, dispatch, { seq: job.seq, write, done })
    return 'unsent'
  }
  const { seq, eventSeq, credentialSeq } = job
  if (ws.memory.of(deliveryState) !== dispatch || ws.closed || dispatch.isEnding) return endUnsent()
  const atMs = ws.clock.now()
  if (!countSend(ws, credentialSeq ?? 0, atMs)) return endUnsent((unit) => deferOverRate(unit, job))
  const request = prepare(ws, job, job.body ?? bodyOf(ws.db, eventSeq)[0]?.body ?? '')
  const result = await ws.send(request, progress)
  recordSoon(ws, dispatch, { seq, write: (unit) => recordAttempt(ws, unit, job, { atMs, request, result }), done })
  return result.outcome === 'timeout' ? 'silent' : 'answered'
}

/** Body and id never change; the timestamp is new in each attempt (decision 28). */
function prepare(ws: Workspace, job: DueDelivery, text: string): SendRequest {
  const credential = credentialOf(ws.db, job.credentialSeq)
  const headers = headersOf({
    event: job.event,
    id: job.ref,
    signature: hmacHex(credential?.webhookSecret ?? '', text),
    timestamp: String(Math.floor(ws.clock.wall() / 1000)),
    isSandbox: true,
  })
  // Webhook faults do not apply to a manual redelivery: it is meant to arrive.
  const { headers: sent, body } =
    job.payload === singleAttempt ? { headers, body: text } : tamper({ headers, body: text }, deliveryFaultsOf(job))
  return { url: job.url ?? '', headers: sent, body }
}
