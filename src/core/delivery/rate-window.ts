/** The limit of 100 sends in any 60 s per integration (§6.3, decisions 30 and 42): a credential or an account, as configured. */

import { webhookWindow } from '../../protocol/platform/limits.js'
import { reader } from '../../store/db.js'
import { credentialOf } from '../auth/account.js'
import type { Workspace } from '../unit/workspace.js'
import { deliveryState } from './dispatch-state.js'

const sendsOf = {
  credential: reader<{ atMs: number }>(
    'select at_ms as atMs from attempts where at_ms > ? and credential_seq = ? order by at_ms',
  ),
  account: reader<{ atMs: number }>(
    `select at_ms as atMs from attempts
      where at_ms > ? and credential_seq in (select seq from credentials where account_seq = ?) order by at_ms`,
  ),
}

/** Counts a send at this time; false if the window is full. After a start the window is filled from recorded attempts. */
export function countSend(ws: Workspace, credentialSeq: number, atMs: number): boolean {
  const { rateLimits, webhookRateKey } = ws.config
  if (!rateLimits) return true
  const key = webhookRateKey === 'account' ? (credentialOf(ws.db, credentialSeq)?.accountSeq ?? 0) : credentialSeq
  const sinceMs = atMs - webhookWindow.spanMs
  const { windows } = ws.memory.of(deliveryState)
  let sends = windows.get(key)
  if (sends === undefined) {
    sends = sendsOf[webhookRateKey](ws.db, sinceMs, key).map((row) => row.atMs)
    windows.set(key, sends)
  }
  while (sends.length > 0 && (sends[0] ?? 0) <= sinceMs) sends.shift()
  if (sends.length >= webhookWindow.sends) return false
  sends.push(atMs)
  return true
}
