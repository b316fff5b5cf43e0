/** Counts of objects by status. */
import { countsByStatus } from '../../core/operations/counts.js'
import type { countRoutes } from '../../protocol/control/counts.js'
import type { Handlers } from './routes.js'

export const countHandlers: Handlers<typeof countRoutes> = {
  readCounts: ({ ws }) => ws.unit(({ db }) => ({ data: countsByStatus(db), next: null })),
}
