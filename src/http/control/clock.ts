/** The clock: reads, sets, freezes and advances it, and cancels advances. */

import { isoUtc } from '../../base/iso.js'
import { type AdvanceTarget, advanceClock, cancelAdvances, changeClock, inFlightOf } from '../../core/clock/advance.js'
import { countJobs, countJobsByKind, nextDueMs, scheduledJobs, schedulerState } from '../../core/jobs/jobs.js'
import type { Workspace } from '../../core/unit/unit.js'
import type { clockRoutes } from '../../protocol/control/clock.js'
import { latestMs } from '../../protocol/control/route.js'
import { invalid } from '../../protocol/platform/errors.js'
import { controlDefaults } from '../../protocol/platform/limits.js'
import type { ControlCall, Handlers } from './routes.js'

const nextDue = (ws: Workspace) => {
  const dueAtMs = nextDueMs(ws.db)
  return dueAtMs === null ? null : isoUtc(dueAtMs)
}

const now = (ws: Workspace) => isoUtc(ws.clock.now())
export const clockOf = (ws: Workspace) => ({ now: now(ws), mode: ws.clock.state().mode })

const clockState = (ws: Workspace) => ({
  ...clockOf(ws),
  next_due: nextDue(ws),
  due: countJobs(ws.db),
  advancing:
    ws.state.of(schedulerState).advances.size === 0
      ? null
      : { in_flight: inFlightOf(ws).map(({ seq, ...job }) => job) },
})

type Rows = typeof clockRoutes

/** Jobs can run and be added between two pages, so `next` counts rows and does not name a job. */
function listJobs({ ws, query }: ControlCall<Rows['listJobs']>) {
  const { limit = controlDefaults.rows, after = '0', to: toMs = latestMs } = query
  return ws.unit(({ db }) => {
    const found = scheduledJobs(db, toMs, limit + 1, Number(after))
    const data = found.slice(0, limit).map(({ kind, dueAtMs, ref, event }) => ({
      at: isoUtc(dueAtMs),
      job: kind,
      id: ref,
      event,
    }))
    const next = found.length > limit ? String(Number(after) + limit) : null
    return { data, next, counts: countJobsByKind(db, toMs) }
  })
}

/**
 * Setting the clock forward is an advance: the response comes after the same wait, and the advance is canceled if the
 * caller disconnects.
 */
async function setClock({ ws, env, body: { mode, now: toMs } }: ControlCall<Rows['setClock']>) {
  if (toMs !== undefined && toMs < ws.clock.now())
    throw invalid('now', `must not be earlier than the time of the clock, which is ${now(ws)}`)
  if (mode !== undefined || toMs === undefined)
    await changeClock(ws, () => ws.clock.setMode(mode ?? ws.clock.state().mode))
  if (toMs !== undefined)
    await advanceClock(ws, () => ({ toMs }), { waitMs: controlDefaults.advanceWaitMs, onDisconnect: env.onDisconnect })
  return clockState(ws)
}

async function advance({ ws, env, body }: ControlCall<Rows['advanceClock']>) {
  const { wait: waitMs = controlDefaults.advanceWaitMs, ...options } = body
  const advanced = await advanceClock(ws, targetOf(ws, options), { waitMs, onDisconnect: env.onDisconnect })
  const { ran, inFlight, isComplete, isCanceled } = advanced
  return {
    now: now(ws),
    ran,
    next_due: nextDue(ws),
    complete: isComplete,
    canceled: isCanceled,
    in_flight: inFlight,
  }
}

type Options = Omit<ControlCall<Rows['advanceClock']>['body'], 'wait'>

function targetOf(ws: Workspace, { by: byMs, to: toMs }: Options): (nowMs: number) => AdvanceTarget {
  if (byMs !== undefined) {
    return (nowMs) => {
      if (nowMs + byMs > latestMs) throw invalid('by', 'must not advance the clock beyond the year 9000')
      return { toMs: nowMs + byMs }
    }
  }
  if (toMs === undefined) return () => ({ untilIdle: true })
  if (toMs < ws.clock.now()) throw invalid('to', `must not be earlier than the time of the clock, which is ${now(ws)}`)
  return () => ({ toMs })
}

export const clockHandlers: Handlers<Rows> = {
  readClock: ({ ws }) => clockState(ws),
  listJobs,
  setClock,
  advanceClock: advance,
  cancelAdvance: async ({ ws }) => ({ canceled: await cancelAdvances(ws), now: now(ws), next_due: nextDue(ws) }),
}
