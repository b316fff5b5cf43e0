/** Builds the program for the tests: once for all test files, and only if a source is newer than dist. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const root = resolve(import.meta.dirname, '../..')
export const bin = join(root, 'bin/payments-sandbox.js')

/** The executable that `TEST_PROGRAM` names. The black-box tests run it instead of the built program. */
export const executable = process.env.TEST_PROGRAM ? resolve(process.env.TEST_PROGRAM) : undefined
/** The command that starts the program under test, without the program's arguments. */
export const programCommand: readonly [file: string, ...args: string[]] =
  executable === undefined ? [process.execPath, bin] : [executable]

/** Builds the program if necessary. */
export async function built(): Promise<string> {
  await once('program.cjs', build)
  return bin
}

/** Builds the module for Durable Objects if necessary. */
export const builtWorkers = (): Promise<void> =>
  once('workers/program/worker.js', async () => {
    const { buildWorkers } = await import('../../scripts/build-workers.mjs')
    await buildWorkers()
  })

/** Builds if a source is newer than `output`, a file in dist. Of the test files that run in parallel, one builds and the others wait. */
async function once(output: string, work: () => void | Promise<void>): Promise<void> {
  const lock = join(tmpdir(), `payments-sandbox-build-${root.replaceAll(/\W+/g, '-')}`)
  for (let waitedMs = 0; ; waitedMs += 50) {
    try {
      mkdirSync(lock)
      break
    } catch {
      // A run that was killed has left this lock.
      if (waitedMs > 20_000) break
      await pause(50)
    }
  }
  try {
    if (isStale(join(root, 'dist', output))) await work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function build(): void {
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the build failed: ${stderr}`)
}

/** The folders whose files a build depends on. */
const folders = ['src', 'scripts', 'scenarios', 'recordings']
const files = ['build.mjs', 'package.json']

function isStale(output: string): boolean {
  const builtMs = modifiedMs(output)
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  return [...sources, ...files.map((file) => join(root, file))].some((file) => modifiedMs(file) > builtMs)
}

function modifiedMs(file: string): number {
  try {
    return statSync(file).mtimeMs
  } catch {
    return 0
  }
}
