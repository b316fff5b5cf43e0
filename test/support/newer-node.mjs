/** A Node that has `node:sqlite`: the one that runs, or the newest with long support, fetched from the package registry and kept. */
import { spawnSync } from 'node:child_process'
import { fetchNode } from '../../scripts/fetch.mjs'

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
  const fetched = fetchNode()
  if (!hasSqlite(fetched)) throw new Error(`${fetched} has no node:sqlite`)
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
