/** The limit of 100 sends in any 60 s per integration (§6.3, decision 30). An integration in the specification is a credential. */

import { webhookWindow } from '../../protocol/platform/limits.js'
import { reader } from '../../store/db.js'
import type { Workspace } from '../unit/workspace.js'
import { deliveryState } from './dispatch-state.js'

const sendsSince = reader<{ atMs: number }>(
  'select at_ms as atMs from attempts where at_ms > ? and credential_seq = ? order by at_ms',
)

/** Counts a send at this time; false if the window is full. After a start the window is filled from recorded attempts. */
export function countSend(ws: Workspace, credentialSeq: number, atMs: number): boolean {
  if (!ws.config.rateLimits) return true
  const sinceMs = atMs - webhookWindow.spanMs
  const { windows } = ws.memory.of(deliveryState)
  let sends = windows.get(credentialSeq)
  if (sends === undefined) {
    sends = sendsSince(ws.db, sinceMs, credentialSeq).map((row) => row.atMs)
    windows.set(credentialSeq, sends)
  }
  while (sends.length > 0 && (sends[0] ?? 0) <= sinceMs) sends.shift()
  if (sends.length >= webhookWindow.sends) return false
  sends.push(atMs)
  return true
}
