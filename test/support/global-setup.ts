/** Builds what users run, once for all test files, and only where a source has changed since; at the end asks whether every control route was called. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { controlRoutes } from '../../src/protocol/control/index.js'
import { built } from './built.js'

export default async function setup(): Promise<() => void> {
  await built()
  // Several runs that share a folder count as one.
  const shared = process.env.SANDBOX_TEST_ROUTES
  const folder = shared ?? mkdtempSync(join(tmpdir(), 'sandbox-test-routes-'))
  process.env.SANDBOX_TEST_ROUTES = folder
  return () => {
    const noted = new Set(readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')))
    if (shared === undefined) rmSync(folder, { recursive: true })
    const files = readdirSync(join(import.meta.dirname, '..')).filter((name) => name.endsWith('.test.ts'))
    // Only who runs them all can tell what none of them calls.
    if (files.some((file) => !noted.has(file))) return
    const idle = Object.keys(controlRoutes).filter((name) => !noted.has(name))
    if (idle.length > 0) throw new Error(`no test calls these routes of the control API: ${idle.join(', ')}`)
  }
}
