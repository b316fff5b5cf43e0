/** State in memory that a workspace stores before it sleeps, because its loss would be noticed. */
import { sha256Hex } from '../../base/crypto.js'
import type { Config } from '../../protocol/settings/platform.js'
import { type Db, readMeta } from '../../store/db.js'
import type { AuthCounter } from '../auth/account.js'
import type { IdProgress } from '../unit/memory.js'
import type { ScenarioSource } from '../unit/scenario-source.js'

/** Plain values, which the runtime stores. */
export interface SleepState {
  /** A hash of the settings. If it differs, the workspace starts instead of continuing. */
  opened: string
  ids: IdProgress | null
  guards: readonly (readonly [name: string, guard: AuthCounter])[]
}

/** Hashes the settings and the epoch of the opening; stored state fits only these. */
export const openingHash = (config: Config, arm: readonly string[], epoch: number): string =>
  sha256Hex(JSON.stringify([config, arm, epoch], (_, value) => (typeof value === 'bigint' ? String(value) : value)))

interface Opened {
  db: Db
  config: Config
  scenarios: ScenarioSource
}

export const currentOpeningHash = ({ db, config, scenarios }: Opened): string =>
  openingHash(config, scenarios.arm, Number(readMeta(db, 'epoch')))
