/** The clock: read it, set it, freeze it, walk it. */
import { isoUtc } from '../../base/iso.js'
import { countJobs, nextDueMs } from '../../core/scheduler/jobs.js'
import { clockChanged, type WalkTarget, walk } from '../../core/scheduler/walk.js'
import type { Workspace } from '../../core/workspace/workspace.js'
import type { clockRoutes } from '../../protocol/control/clock.js'
import { latestMs } from '../../protocol/control/fields.js'
import { invalid } from './mount/check.js'
import type { ControlCall, Handlers } from './mount/mount.js'

const nextDue = (ws: Workspace) => {
  const dueAtMs = nextDueMs(ws.db)
  return dueAtMs === null ? null : isoUtc(dueAtMs)
}

export const clockOf = (ws: Workspace) => ({ now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode })
const reading = (ws: Workspace) => ({ ...clockOf(ws), next_due: nextDue(ws), due: countJobs(ws.db) })

type Rows = typeof clockRoutes

async function setClock({ ws, body: { mode, now: toMs } }: ControlCall<Rows['setClock']>) {
  if (toMs !== undefined && toMs < ws.clock.now())
    throw invalid('now', `may only move forward: it is ${isoUtc(ws.clock.now())}`)
  if (mode !== undefined || toMs === undefined)
    await clockChanged(ws, () => ws.clock.setMode(mode ?? ws.clock.state().mode))
  if (toMs !== undefined) await walk(ws, () => ({ toMs }))
  return reading(ws)
}

async function advanceClock({ ws, body }: ControlCall<Rows['advanceClock']>) {
  const { ran } = await walk(ws, targetOf(ws, body))
  return { now: isoUtc(ws.clock.now()), ran, next_due: nextDue(ws) }
}

type Wish = ControlCall<Rows['advanceClock']>['body']

function targetOf(ws: Workspace, { by: byMs, to: toMs }: Wish): (nowMs: number) => WalkTarget {
  if (byMs !== undefined) {
    return (nowMs) => {
      if (nowMs + byMs > latestMs) throw invalid('by', 'must not lead beyond the year 9000')
      return { toMs: nowMs + byMs }
    }
  }
  if (toMs === undefined) return () => ({ untilIdle: true })
  if (toMs < ws.clock.now()) throw invalid('to', `may not lie in the past: it is ${isoUtc(ws.clock.now())}`)
  return () => ({ toMs })
}

export const clockHandlers: Handlers<Rows> = {
  readClock: ({ ws }) => reading(ws),
  setClock,
  advanceClock,
}
