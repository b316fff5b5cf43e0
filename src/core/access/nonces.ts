/** Nonces within their window (§5.2, decision 3): looked up in memory at every signed call, written down for the next start. */
import { gt, lte } from 'drizzle-orm'
import { appender, type Db } from '../../store/db.js'
import { memoryIndex } from '../../store/row-cache.js'
import { nonces } from '../../store/schema.js'

interface Known {
  /** When each stops being used, wall milliseconds. */
  expiresWallMs: Map<string, number>
  nextPurgeMs: number
}

const purgeEveryMs = 60_000
const append = appender(nonces)
const nameOf = (credentialSeq: number, nonce: string) => `${credentialSeq} ${nonce.toLowerCase()}`

function known(db: Db, wallMs: number): Known {
  return memoryIndex(db, 'nonces', () => {
    const rows = db.orm.select().from(nonces).where(gt(nonces.expiresWallMs, wallMs)).all()
    const entries = rows.map((row) => [nameOf(row.credentialSeq, row.nonce), row.expiresWallMs] as const)
    return { expiresWallMs: new Map(entries), nextPurgeMs: wallMs + purgeEveryMs }
  })
}

export function isNonceUsed(db: Db, credentialSeq: number, nonce: string, wallMs: number): boolean {
  return (known(db, wallMs).expiresWallMs.get(nameOf(credentialSeq, nonce)) ?? 0) > wallMs
}

/** Once a minute the old ones are dropped. */
export function useNonce(db: Db, credentialSeq: number, nonce: string, expiresWallMs: number, wallMs: number): void {
  const memory = known(db, wallMs)
  if (wallMs >= memory.nextPurgeMs) {
    memory.nextPurgeMs = wallMs + purgeEveryMs
    for (const [name, untilMs] of memory.expiresWallMs) if (untilMs <= wallMs) memory.expiresWallMs.delete(name)
    db.orm.delete(nonces).where(lte(nonces.expiresWallMs, wallMs)).run()
  }
  append(db, { credentialSeq, nonce: nonce.toLowerCase(), expiresWallMs })
  memory.expiresWallMs.set(nameOf(credentialSeq, nonce), expiresWallMs)
}

/** The unit that used it is undone. */
export function releaseNonce(db: Db, credentialSeq: number, nonce: string, wallMs: number): void {
  known(db, wallMs).expiresWallMs.delete(nameOf(credentialSeq, nonce))
}
