/** What a workspace carries over while it sleeps: what lies in no row, and is missed by whoever finds it awake again. */
import { sha256Hex } from '../../base/crypto.js'
import type { Config } from '../../protocol/settings/platform.js'
import { type Db, readMeta } from '../../store/db.js'
import type { Guard } from '../auth/auth-state.js'
import type { IdProgress } from '../unit/memory.js'
import type { ScenarioSource } from '../unit/scenario-source.js'

/** Plain values, for the runtime to keep. */
export interface Carried {
  /** How it was opened: opened otherwise, it starts. */
  opened: string
  ids: IdProgress | null
  guards: readonly (readonly [name: string, guard: Guard])[]
}

/** The settings, and which of its openings it is: what is carried over fits no other. */
export const openedAs = (config: Config, arm: readonly string[], epoch: number): string =>
  sha256Hex(JSON.stringify([config, arm, epoch], (_, value) => (typeof value === 'bigint' ? String(value) : value)))

interface Opened {
  db: Db
  config: Config
  scenarios: ScenarioSource
}

export const openingOf = ({ db, config, scenarios }: Opened): string =>
  openedAs(config, scenarios.arm, Number(readMeta(db, 'epoch')))
