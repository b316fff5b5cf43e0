/** Writes the log of calls down in a moment, many at a time, and takes a small part of the time for it. */

import type { Workspace } from '../unit/workspace.js'
import { type RequestLog, requestLog, shortestPauseMs } from './log.js'
import type { RequestRecord } from './rows.js'

const longestPauseMs = 10_000
/** Writing takes at most this part of the time: under load it happens seldom, and most calls have left the log by then. */
const share = 1 / 100
/** In one transaction, so that calls get their turn in between. */
const batch = 50

/** Logs a call; where the database lasts, it is written down in a moment. */
export function logCall(ws: Workspace, record: RequestRecord): void {
  const log = ws.memory.of(requestLog)
  log.add(record)
  if (ws.db.lasts) log.planned ??= ws.alarm(log.pauseMs, () => void writeBehind(ws, log))
}

async function writeBehind(ws: Workspace, log: RequestLog): Promise<void> {
  let spentMs = 0
  // Those that come meanwhile wait for the next time, when most of them have left the log again.
  const { lastSeq } = log
  try {
    while (!log.isSaved(lastSeq) && !ws.closed && ws.memory.of(requestLog) === log) {
      await ws.unit((unit) => {
        const startedMs = ws.clock.wall()
        unit.after(log.save(batch))
        spentMs += ws.clock.wall() - startedMs
      })
    }
  } catch {
    // The store refuses: the next call plans it again.
  }
  log.pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, spentMs / share))
  log.planned = null
}

/** All at once: before the database is copied or closed. */
export function saveLog(ws: Workspace): void {
  const log = ws.memory.of(requestLog)
  if (!log.isSaved(log.lastSeq)) ws.db.transaction(() => log.save(Number.POSITIVE_INFINITY))()
}
