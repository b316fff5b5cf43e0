/** Types of `newer-node.mjs`. */
import type { SpawnSyncReturns, StdioOptions } from 'node:child_process'

export const withinBetterSqlite3: readonly string[]
export function newerNode(): string
export function runTests(node: string, args: readonly string[], stdio: StdioOptions): SpawnSyncReturns<string>
