/**
 * Nonces within their window (§5.2, decision 3): looked up in memory at every signed call, stored in the database for
 * the next start.
 */

import { gt, lte } from 'drizzle-orm'
import { appender } from '../../store/rows.js'
import { nonces } from '../../store/schema.js'
import type { Unit } from '../unit/unit.js'
import { authState } from './auth-state.js'

const purgeEveryMs = 60_000
const append = appender(nonces)
const nonceKey = (credentialSeq: number, nonce: string) => `${credentialSeq} ${nonce.toLowerCase()}`

function loadNonces(unit: Unit): Map<string, number> {
  const { db, wallMs } = unit
  const memory = unit.memory.of(authState).nonces
  if (memory.expiresWallMs === null) {
    const rows = db.orm.select().from(nonces).where(gt(nonces.expiresWallMs, wallMs)).all()
    memory.expiresWallMs = new Map(rows.map((row) => [nonceKey(row.credentialSeq, row.nonce), row.expiresWallMs]))
    memory.nextPurgeMs = wallMs + purgeEveryMs
  }
  return memory.expiresWallMs
}

export const isNonceUsed = (unit: Unit, credentialSeq: number, nonce: string): boolean =>
  (loadNonces(unit).get(nonceKey(credentialSeq, nonce)) ?? 0) > unit.wallMs

/** Marks a nonce as used. Expired nonces are deleted once a minute. */
export function useNonce(unit: Unit, credentialSeq: number, nonce: string, expiresWallMs: number): void {
  const { db, wallMs } = unit
  const used = loadNonces(unit)
  const memory = unit.memory.of(authState).nonces
  if (wallMs >= memory.nextPurgeMs) {
    memory.nextPurgeMs = wallMs + purgeEveryMs
    for (const [name, untilMs] of used) if (untilMs <= wallMs) used.delete(name)
    db.orm.delete(nonces).where(lte(nonces.expiresWallMs, wallMs)).run()
  }
  const name = nonceKey(credentialSeq, nonce)
  append(db, { credentialSeq, nonce: nonce.toLowerCase(), expiresWallMs })
  used.set(name, expiresWallMs)
  unit.undo(() => used.delete(name))
}
