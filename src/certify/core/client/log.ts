/** All that is known of a client when it is judged. */
import type { ClientCall } from './calls.js'
import type { InjectedFault } from './fault-injection.js'
import type { PayerSimulator } from './payer-simulator.js'
import type { TimerDrift } from './timer-drift.js'

export interface ClientLog {
  calls: readonly ClientCall[]
  injected: readonly InjectedFault[]
  /** Real times at which tokens were made to expire. */
  expiredMs: readonly number[]
  simulator: PayerSimulator
  drift: Pick<TimerDrift, 'between'>
  /** Somebody tells what has become of a transaction. */
  hasState: boolean
  /** Its answers had fields that nobody has heard of. */
  hadMoreFields: boolean
  /** The program ended as one that fails. */
  failed: boolean
}
