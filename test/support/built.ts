/** What users run: built when the sources are newer than what is in dist, once for all test files. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const root = resolve(import.meta.dirname, '../..')
export const bin = join(root, 'bin/payments-sandbox.js')

/** The executable that `TEST_PROGRAM` names: the black-box tests run it in place of the built program. */
export const executable = process.env.TEST_PROGRAM ? resolve(process.env.TEST_PROGRAM) : undefined
/** Starts the program under test; its arguments follow. */
export const programCommand: readonly [file: string, ...args: string[]] =
  executable === undefined ? [process.execPath, bin] : [executable]

/** What users run. */
export async function built(): Promise<string> {
  await once('program.cjs', build)
  return bin
}

/** The module for the runtime of Durable Objects. */
export const builtWorkers = (): Promise<void> =>
  once('workers/program/worker.js', async () => {
    const { buildWorkers } = await import('../../scripts/build-workers.mjs')
    await buildWorkers()
  })

/** Builds where a source is newer than `made`, a file in dist. Test files run at the same time: one of them builds, the others wait for it. */
async function once(made: string, work: () => void | Promise<void>): Promise<void> {
  const lock = join(tmpdir(), `payments-sandbox-build-${root.replaceAll(/\W+/g, '-')}`)
  for (let waitedMs = 0; ; waitedMs += 50) {
    try {
      mkdirSync(lock)
      break
    } catch {
      // A lock older than this was left behind by a run that was killed.
      if (waitedMs > 20_000) break
      await pause(50)
    }
  }
  try {
    if (isStale(join(root, 'dist', made))) await work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function build(): void {
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the build failed: ${stderr}`)
}

/** What a build is made of. */
const folders = ['src', 'scripts', 'scenarios']
const files = ['build.mjs', 'package.json']

function isStale(made: string): boolean {
  const builtMs = modifiedMs(made)
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
