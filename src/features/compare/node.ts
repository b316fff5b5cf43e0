/** Compares recordings without a running sandbox. */

import type { Config } from '../../inside/control.js'
import { chooseDriver, createSqlite, scratchWorkspaces } from '../../inside/node.js'
import type { Comparison } from './judge/verdicts.js'

/** Throws `NotHar` if a text is not a recording. */
export async function compareOnThisMachine(texts: readonly string[], config: Config): Promise<Comparison> {
  const { compareRecordings } = await import('./compare.js')
  return compareRecordings(texts, config, scratchWorkspaces(createSqlite(chooseDriver(null)), noSend).open)
}

const noSend = () => Promise.reject(new Error('a comparison sends nothing'))
