/** Folders for tests. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that is gone after the test, and after every sandbox that the test began later: what still runs in a folder fills it again. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  return folder
}

/** A copy of a folder, as a kill in this moment would leave it. */
export function asKilled(folder: string): string {
  const copy = temporaryFolder()
  cpSync(folder, copy, { recursive: true })
  return copy
}

/** A folder in which `npx` finds the program under test, and the library resolves as it does in a clone. */
export function cloneLikeFolder(): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(resolve(import.meta.dirname, '../..'), join(folder, 'node_modules/payments-sandbox'), 'junction')
  return folder
}
