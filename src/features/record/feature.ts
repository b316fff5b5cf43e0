/** The recorder: writes calls and webhooks of a platform to a HAR file, without secrets. */
import type { Feature } from '../../feature.js'

export const record: Feature = {
  jobs: { redact: async (_input, { ask }) => (await import('./proxy/redaction.js')).redactJob(ask) },
  commands: {
    record: {
      group: 'Test and integrate',
      short: 'record platform calls',
      summary: 'record calls and webhooks of a platform as a HAR file, without secrets',
      load: () => import('./command.js'),
    },
  },
}
