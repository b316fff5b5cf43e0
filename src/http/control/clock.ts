/** The clock: read it, set it, freeze it, walk it. */
import * as z from 'zod'
import { isoUtc, parseMoment } from '../../base/iso.js'
import { countJobs, nextDueMs } from '../../core/scheduler/jobs.js'
import { clockChanged, type WalkTarget, walk } from '../../core/scheduler/walk.js'
import type { Workspace } from '../../core/workspace/workspace.js'
import { choice, duration } from '../../protocol/api/fields.js'
import { durationOf, invalid, readBody } from './params.js'
import type { AdminCall, AdminRoute } from './route.js'

const nextDue = (ws: Workspace) => {
  const dueAtMs = nextDueMs(ws.db)
  return dueAtMs === null ? null : isoUtc(dueAtMs)
}

const reading = (ws: Workspace) => ({
  now: isoUtc(ws.clock.now()),
  mode: ws.clock.state().mode,
  next_due: nextDue(ws),
  due: countJobs(ws.db),
})

/** Beyond the year 9000 ISO dates and PIX ids outgrow their formats. */
const latestMs = Date.UTC(9000, 0, 1)

function momentField(text: string, field: string): number {
  const atMs = parseMoment(text)
  if (atMs === null) throw invalid(field, 'must be ISO 8601 with an offset, such as 2026-11-21T12:00:00Z')
  if (atMs > latestMs) throw invalid(field, 'must lie before the year 9000')
  return atMs
}

const putBody = z.strictObject({
  mode: choice(['realtime', 'manual']).optional(),
  now: z.string('must be a string').optional(),
})

async function putClock({ ws, body }: AdminCall) {
  const { mode, now } = readBody(putBody, body)
  const toMs = now === undefined ? null : momentField(now, 'now')
  if (toMs !== null && toMs < ws.clock.now())
    throw invalid('now', `may only move forward: it is ${isoUtc(ws.clock.now())}`)
  if (mode !== undefined) ws.clock.setMode(mode)
  if (toMs !== null) await walk(ws, () => ({ toMs }))
  else await clockChanged(ws)
  return reading(ws)
}

const advanceBody = z.strictObject({
  by: duration().optional(),
  to: z.string('must be a string').optional(),
  until: choice(['idle']).optional(),
})

async function advance({ ws, body }: AdminCall) {
  const wish = readBody(advanceBody, body)
  if (Object.values(wish).filter((value) => value !== undefined).length !== 1)
    throw invalid('by, to, until', 'exactly one of them must be given')
  const { ran } = await walk(ws, targetOf(ws, wish))
  return { now: isoUtc(ws.clock.now()), ran, next_due: nextDue(ws) }
}

function targetOf(ws: Workspace, { by, to }: z.output<typeof advanceBody>): (nowMs: number) => WalkTarget {
  if (by !== undefined) {
    const byMs = durationOf(by, 'by')
    return (nowMs) => {
      if (nowMs + byMs > latestMs) throw invalid('by', 'must not lead beyond the year 9000')
      return { toMs: nowMs + byMs }
    }
  }
  if (to === undefined) return () => ({ untilIdle: true })
  const toMs = momentField(to, 'to')
  if (toMs < ws.clock.now()) throw invalid('to', `may not lie in the past: it is ${isoUtc(ws.clock.now())}`)
  return () => ({ toMs })
}

export const clockRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/_sandbox/clock',
    title: 'The business clock and what is due',
    handle: ({ ws }) => reading(ws),
  },
  {
    method: 'PUT',
    path: '/_sandbox/clock',
    title: 'Freeze, resume or set the clock',
    describeBody: () => putBody,
    handle: putClock,
  },
  {
    method: 'POST',
    path: '/_sandbox/clock/advance',
    title: 'Walk the clock forward from job to job',
    describeBody: () => advanceBody,
    handle: advance,
  },
]
