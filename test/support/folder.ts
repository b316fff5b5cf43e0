/** Folders for tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that is gone after the test, and after every sandbox that the test began later: what still runs in a folder fills it again. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  return folder
}
