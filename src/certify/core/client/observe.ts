/** Judges the calls of a client without injected faults, from the calls alone. */
import type { ClientRule } from '../../protocol/client-rules.js'
import type { Report } from '../../protocol/rules.js'
import type { ClientCall } from './calls.js'
import { judge } from './certify-client.js'

export const judgeCalls = (calls: readonly ClientCall[]): Promise<Report<ClientRule>> =>
  judge({
    calls,
    injected: [],
    expiredMs: [],
    simulator: { withdrawals: [], paidMs: [], dispute: null, stateError: null, statusOf: async () => null },
    drift: { driftBetween: () => 0 },
    hasStateUrl: false,
    hadMoreFields: false,
    failed: false,
  })
