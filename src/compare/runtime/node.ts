/** Runs comparisons on one machine, each in a private workspace in memory. */

import { openWorkspace } from '../../core/workspace/opening.js'
import type { Host } from '../../http/host.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Config } from '../../protocol/settings/platform.js'
import { chooseDriver } from '../../runtime/node/sqlite/choose-driver.js'
import { createSqlite, type Sqlite } from '../../runtime/node/sqlite/sqlite.js'
import type { OpenScratch } from '../http/compare.js'
import type { Comparison } from '../protocol/verdicts.js'

/** Sends nothing and sets no timers. */
export const openScratchWith =
  (sqlite: Sqlite): OpenScratch =>
  (config, wall) =>
    openWorkspace(
      'comparison',
      {
        db: sqlite.openInMemory(),
        wall,
        send: async () => ({ outcome: 'ok', status: 200, responseBody: null, durationMs: 0, detail: null }),
        wake: () => {},
        alarm: () => () => {},
      },
      config,
    )

/** Runs without a running sandbox. Throws `NotHar` if a text is not a recording. */
export const compareOnThisMachine = (texts: readonly string[], config: Config): Promise<Comparison> =>
  compare(texts, config, createSqlite(chooseDriver(null)))

/** Loaded with the first comparison: most sandboxes never compare. */
async function compare(texts: readonly string[], config: Config, sqlite: Sqlite): Promise<Comparison> {
  const { compareRecordings } = await import('../http/compare.js')
  return compareRecordings(texts, config, openScratchWith(sqlite))
}

/** Each needs memory for a recording and a database. */
const mostAtOnce = 2

/** For a running sandbox. Throws 409 CONFLICT if too many comparisons are running. */
export function createComparisons(sqlite: Sqlite): Host['compare'] {
  let underWay = 0
  return async (recording, config) => {
    if (underWay >= mostAtOnce)
      throw new ApiError(
        'CONFLICT',
        { max: mostAtOnce },
        { message: `${underWay} comparisons are running. Try again when one of them has finished.` },
      )
    underWay++
    try {
      return await compare([recording], config, sqlite)
    } finally {
      underWay--
    }
  }
}
