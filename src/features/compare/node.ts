/** Compares recordings without a running sandbox. */

import type { Config } from '../../inside/control.js'
import { chooseDriver, createSqlite, scratchWorkspaces } from '../../inside/node.js'
import type { DetailedComparison } from './compare.js'

/** Throws `NotHar` if a text is not a recording. */
export const compareOnThisMachine = async (texts: readonly string[], config: Config) =>
  (await compareInDetailHere(texts, config)).report

/** Throws `NotHar` if a text is not a recording. */
export async function compareInDetailHere(texts: readonly string[], config: Config): Promise<DetailedComparison> {
  const { compareInDetail } = await import('./compare.js')
  return compareInDetail(texts, config, scratchWorkspaces(createSqlite(chooseDriver(null)), noSend).open)
}

const noSend = () => Promise.reject(new Error('a comparison sends nothing'))
