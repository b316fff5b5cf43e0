/** Chaos: reads, sets and ends random faults. */
import { chaosState, setChaos } from '../../core/webhooks/chaos.js'
import type { chaosRoutes } from '../../protocol/control/chaos.js'
import type { Handlers } from './routes.js'

export const chaosHandlers: Handlers<typeof chaosRoutes> = {
  readChaos: ({ ws }) => ws.unit((unit) => unit.memory.of(chaosState).chaos),
  setChaos: ({ ws, body }) => ws.unit((unit) => setChaos(unit, body)),
  endChaos: ({ ws }) => ws.unit((unit) => setChaos(unit, {})),
}
