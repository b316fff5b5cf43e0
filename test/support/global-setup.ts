/** Builds the program once for all test files. At the end it checks that the tests used every row of the tables and that the OpenAPI document describes every response that they saw. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { built, executable } from './built.js'
import { folderVariable, noteOf } from './noted.js'
import { takeWarnings } from './warnings.js'

export default async function setup(): Promise<() => Promise<void>> {
  if (executable !== undefined && !existsSync(executable))
    throw new Error(`TEST_PROGRAM: there is no file ${executable}`)
  await built()
  const shared = process.env[folderVariable]
  const folder = shared ?? mkdtempSync(join(tmpdir(), 'sandbox-test-rows-'))
  process.env[folderVariable] = folder
  return async () => {
    const notes = new Set(readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')))
    if (shared === undefined)
      for (const one of [folder, `${folder}-packed`]) rmSync(one, { recursive: true, force: true })
    fail(takeWarnings())
    fail(
      [...notes]
        .filter((line) => line.startsWith('undocumented '))
        .map((line) => `The OpenAPI document lacks this answer: ${line}`),
    )
    const files = readdirSync(join(import.meta.dirname, '..'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.test.ts'),
    )
    // Only a run of all test files can show an unused row.
    if (files.some((file) => !notes.has(noteOf('file', file)))) return
    const { idleRows } = await import('./idle-rows.js')
    fail(await idleRows(notes))
  }
}

function fail(problems: readonly string[]): void {
  if (problems.length === 0) return
  // An error thrown here would be printed but would not fail the run.
  process.exitCode = 1
  throw new Error(problems.join('\n'))
}
