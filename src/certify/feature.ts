/** Certification: tests a receiver, a client or a ledger of the integrator. */
import type { Feature } from '../feature.js'
import { certifyRouteSet } from './http/routes.js'
import { runInScratch } from './http/run.js'

export const certify: Feature = {
  routes: [certifyRouteSet(runInScratch)],
  jobs: { books: async (input, { ask }) => (await import('./http/books.js')).booksJob(input, ask) },
  commands: {
    certify: {
      group: 'Test and integrate',
      short: 'test your integration',
      summary: 'test your integration: a receiver, a client or your books',
      load: () => import('./cli/certify.js'),
    },
  },
}
