/** Certification: tests a receiver, a client or a ledger of the integrator. */
import type { Feature } from '../../feature.js'
import { routeSet } from '../../inside/handlers.js'
import { certifyRoutes } from './routes.js'

export const certify: Feature = {
  routes: [routeSet(certifyRoutes, async () => (await import('./handlers.js')).certifyHandlers())],
  jobs: { books: async (input, { ask }) => (await import('./books/job.js')).booksJob(input, ask) },
  commands: {
    certify: {
      group: 'Test and integrate',
      short: 'test your integration',
      summary: 'test your integration: a receiver, a client or your books',
      load: () => import('./command.js'),
    },
  },
}
