/** A Node that has `node:sqlite`: the one that runs, or the newest with long support, fetched from the package registry and kept. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const version = '24.21.0'
const folder = join(tmpdir(), `payments-sandbox-node-${version}`)
const fetched = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin/node`)

/** Files that reach into better-sqlite3 itself: they are about what it is made to do, not about ours. */
export const withinBetterSqlite3 = [
  'test/runtime/units-of-work.test.ts',
  'test/runtime/store-refuses.test.ts',
  'test/runtime/query-plans.test.ts',
  'test/runtime/node-sqlite.test.ts',
]

const hasSqlite = (node) =>
  spawnSync(node, [
    '-e',
    `process.exit('setReturnArrays' in process.getBuiltinModule('node:sqlite').StatementSync.prototype ? 0 : 1)`,
  ]).status === 0

/** Throws where none can be had, with what npm said. */
export function newerNode() {
  if (hasSqlite(process.execPath)) return process.execPath
  if (existsSync(fetched) && hasSqlite(fetched)) return fetched
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))
  const name = `node-${process.platform}-${process.arch}@${version}`
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', name]
  const { status, stderr } = spawnSync('npm', args, { env, encoding: 'utf8', timeout: 120_000 })
  if (status !== 0 || !hasSqlite(fetched)) throw new Error(`${name} could not be fetched: ${stderr}`)
  return fetched
}

/** Runs test files by that Node, its databases opened by `node:sqlite`. */
export function runTests(node, args, stdio) {
  return spawnSync(
    node,
    ['--no-warnings', 'node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...args],
    {
      stdio,
      encoding: 'utf8',
      env: { ...process.env, TEST_DATABASE_DRIVER: 'node', NO_COLOR: '1' },
    },
  )
}
