/** The program as users run it: built when the sources are newer than what is in dist, once for all test files. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const root = resolve(import.meta.dirname, '../..')
export const bin = join(root, 'bin/payments-sandbox.js')

/** Test files run at the same time: one of them builds, the others wait for it. */
export async function built(): Promise<string> {
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
    if (isStale()) build()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
  return bin
}

function build(): void {
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the build failed: ${stderr}`)
}

/** What a build is made of beside the sources. */
const others = ['build.mjs', 'package.json', 'scripts/client-types.ts']

function isStale(): boolean {
  const builtMs = modifiedMs(join(root, 'dist/program.cjs'))
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return [...sources, ...others.map((file) => join(root, file))].some((file) => modifiedMs(file) > builtMs)
}

function modifiedMs(file: string): number {
  try {
    return statSync(file).mtimeMs
  } catch {
    return 0
  }
}
