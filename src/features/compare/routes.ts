/** The route that compares a recording of the platform with the sandbox. */
import * as z from 'zod'
import { route } from '../../inside/control.js'
import { type RouteSet, routeSet } from '../../inside/handlers.js'
import { comparison } from './judge/comparison.js'

const exampleEntry = {
  startedDateTime: '2026-11-21T15:00:00.000Z',
  request: { method: 'GET', url: 'https://api.platform.example/v2/account/balance', headers: [] },
  response: { status: 503, headers: [], content: { text: '' } },
}

export const compareRoutes = {
  compare: route('POST /compare', {
    tool: {
      name: 'compare',
      description: 'Compare a recording of the platform (HAR) with a fresh sandbox, field by field.',
      example: { log: { version: '1.2', creator: { name: 'recorder', version: '1' }, entries: [exampleEntry] } },
    },
    errors: ['INVALID_VALUE', 'CONFLICT'],
    summary: 'Compare a recording of the platform (HAR 1.2) with a fresh sandbox that has the same settings',
    rawBodyTypes: ['application/json'],
    acceptsNoMediaType: true,
    body: () =>
      z.strictObject({
        log: z
          .looseObject({ version: z.string(), entries: z.array(z.looseObject({ startedDateTime: z.string() })) })
          .describe('HAR 1.2'),
      }),
    answer: comparison,
    example: { log: { version: '1.2', creator: { name: 'example', version: '1' }, entries: [exampleEntry] } },
  }),
} as const

/** The handler loads with the first recording: most sandboxes never compare. */
export const compareRouteSet: RouteSet = {
  ...routeSet(compareRoutes, async () => (await import('./compare.js')).compareHandlers),
  async observes() {
    return [...(await import('./probe/probes.js')).probesByRow().keys()]
  },
}
