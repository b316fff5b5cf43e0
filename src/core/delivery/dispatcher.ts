/** Delivers webhooks: prepare (read, sign), send (network, outside any transaction), record (one transaction) — §6.1, §6.3, decisions 28 to 30. */

import { hmacHex } from '../../base/crypto.js'
import { webhookAgent, webhookHeaders } from '../../protocol/platform/headers.js'
import { reader } from '../../store/db.js'
import { whenDurable } from '../../store/unit-of-work.js'
import { credentialOf } from '../auth/account.js'
import { type DueDelivery, onceOnly } from '../jobs/jobs.js'
import type { SendProgress, SendRequest } from '../unit/send-port.js'
import type { Unit } from '../unit/unit.js'
import type { Workspace } from '../unit/workspace.js'
import { tampered, treatmentOf } from '../webhooks/faults.js'
import { defer, recordAttempt, recordSoon, tellFault, tryLater } from './deliveries.js'
import { type DispatchState, deliveryState, markInFlight } from './dispatch-state.js'
import type { Ending } from './queue.js'
import { takeSend } from './rate-window.js'

const bodyOf = reader<{ body: string }>('select body from events where seq = ?')

/**
 * Hands a job to its receiver's queue, under the state that it was claimed in. What is sent by hand goes at once, whatever else its
 * object has under way.
 */
export function enqueueDelivery(ws: Workspace, dispatch: DispatchState, job: DueDelivery): void {
  const done = markInFlight(dispatch, job)
  dispatch.queue.add({
    receiver: job.url ?? '',
    object: job.payload === onceOnly ? null : job.subjectId,
    run: (progress) =>
      deliver(ws, dispatch, job, progress, done).catch((error: unknown) => {
        tellFault(ws, job.ref, error)
        done()
        return 'unsent' as const
      }),
  })
}

/** Settles once the receiver has answered, so that its queue goes on; the writing down follows by itself. */
async function deliver(
  ws: Workspace,
  dispatch: DispatchState,
  job: DueDelivery,
  progress: SendProgress,
  done: () => void,
): Promise<Ending> {
  /** Writes down what became of it, without the receiver having been asked. */
  const unsent = (write?: (unit: Unit) => void): Ending => {
    if (write === undefined) done()
    else recordSoon(ws, dispatch, { seq: job.seq, write, done })
    return 'unsent'
  }
  const { seq, eventSeq, credentialSeq } = job
  const durable = whenDurable(ws.db)
  try {
    if (durable !== null) await durable
  } catch {
    return unsent((unit) => void tryLater(unit, job))
  }
  if (ws.memory.of(deliveryState) !== dispatch || ws.closed || dispatch.ending) return unsent()
  const atMs = ws.clock.now()
  if (!takeSend(ws, credentialSeq ?? 0, atMs)) return unsent((unit) => defer(unit, job))
  const request = prepare(ws, job, job.body ?? bodyOf(ws.db, eventSeq)[0]?.body ?? '')
  const result = await ws.send(request, progress)
  recordSoon(ws, dispatch, { seq, write: (unit) => recordAttempt(unit, job, { atMs, request, result }), done })
  return result.outcome === 'timeout' ? 'silent' : 'answered'
}

/** The body and id never change; the timestamp is new in each attempt (decision 28). */
function prepare(ws: Workspace, job: DueDelivery, text: string): SendRequest {
  const credential = credentialOf(ws.db, job.credentialSeq)
  const headers = {
    [webhookHeaders.type]: 'application/json',
    [webhookHeaders.event]: job.event,
    [webhookHeaders.signature]: hmacHex(credential?.webhookSecret ?? '', text),
    [webhookHeaders.id]: job.ref,
    [webhookHeaders.timestamp]: String(Math.floor(ws.clock.wall() / 1000)),
    [webhookHeaders.agent]: webhookAgent,
    [webhookHeaders.sandbox]: '1',
  }
  // By hand it goes out as it is: whoever sends it again wants it to arrive.
  const { headers: sent, body } =
    job.payload === onceOnly ? { headers, body: text } : tampered({ headers, body: text }, treatmentOf(job))
  return { url: job.url ?? '', headers: sent, body }
}
