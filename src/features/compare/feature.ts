/** Comparison: repeats recordings of the platform in a fresh sandbox, and judges the differences. */
import type { Feature } from '../../feature.js'
import { compareRouteSet } from './routes.js'

export const compare: Feature = {
  routes: [compareRouteSet],
  jobs: {
    compare: async (input, { openScratch }) => (await import('./compare.js')).compareReceived(input, openScratch),
  },
  commands: {
    compare: {
      group: 'Test and integrate',
      short: 'compare with platform',
      summary: 'compare recordings of the platform with the sandbox',
      load: () => import('./command.js'),
    },
    probe: {
      group: 'Test and integrate',
      short: 'compare a live platform',
      summary: 'call the platform, record the calls, and compare them with the sandbox',
      load: () => import('./probe/command.js'),
    },
  },
}
