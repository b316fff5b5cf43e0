/** Everything known about a client when the checks run. */
import type { ClientCall } from './calls.js'
import type { InjectedFault } from './fault-injection.js'
import type { PayerSimulator } from './payer-simulator.js'
import type { TimerDrift } from './timer-drift.js'

export interface ClientLog {
  calls: readonly ClientCall[]
  injected: readonly InjectedFault[]
  /** Real times at which tokens were made to expire. */
  expiredMs: readonly number[]
  simulator: Pick<PayerSimulator, 'withdrawals' | 'paidMs' | 'dispute' | 'stateError' | 'statusOf'>
  drift: Pick<TimerDrift, 'driftBetween'>
  /** Whether a state URL was given. */
  hasStateUrl: boolean
  /** Whether faults, payers and unknown fields were left out. */
  observe: boolean
  /** Whether the program exited with an error. */
  failed: boolean
}
