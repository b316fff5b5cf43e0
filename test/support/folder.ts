/** Folders for tests. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a folder that is deleted after the test, and after every sandbox that the test started later, because a running sandbox would write to it again. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  return folder
}

/** Copies a folder, as a kill at this moment would leave it. */
export function asKilled(folder: string): string {
  const copy = temporaryFolder()
  cpSync(folder, copy, { recursive: true })
  return copy
}

/** Creates a folder in which `npx` finds the program under test and imports of the library resolve. */
export function cloneLikeFolder(): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(resolve(import.meta.dirname, '../..'), join(folder, 'node_modules/payments-sandbox'), 'junction')
  return folder
}
