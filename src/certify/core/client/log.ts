/** All that is known of a client when it is judged. */
import type { ClientCall } from './calls.js'
import type { Struck } from './hardships.js'
import type { Lag } from './lag.js'
import type { World } from './world.js'

export interface ClientLog {
  calls: readonly ClientCall[]
  struck: readonly Struck[]
  /** Real times at which tokens were made to expire. */
  expiredMs: readonly number[]
  world: World
  lag: Pick<Lag, 'between'>
  /** Somebody tells what has become of a transaction. */
  hasEffects: boolean
  /** Its answers had fields that nobody has heard of. */
  hadMoreFields: boolean
  /** The program ended as one that fails. */
  failed: boolean
}
