/** Finds a Node with `node:sqlite`: the running one, or the newest with long-term support, fetched from the package registry and stored. */
import { spawnSync } from 'node:child_process'
import { fetchNode } from '../../scripts/fetch.mjs'

/** Test files that change better-sqlite3 itself or name it as their driver, so they cannot run on another one. */
export const withinBetterSqlite3 = [
  'test/house/architecture.test.ts',
  'test/runtime/old-failures.test.ts',
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

/** Returns its path. Throws with npm's output if none can be fetched. */
export function newerNode() {
  if (hasSqlite(process.execPath)) return process.execPath
  const fetched = fetchNode()
  if (!hasSqlite(fetched)) throw new Error(`${fetched} has no node:sqlite`)
  return fetched
}

/** Runs test files on that Node with `node:sqlite` as the driver. */
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
