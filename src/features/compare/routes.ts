/** The route that compares a recording of the platform with the sandbox. */
import * as z from 'zod'
import { model, route } from '../../inside/control.js'
import { routeSet } from '../../inside/handlers.js'
import { verdictNames } from './judge/verdicts.js'

const finding = model('ComparedFinding', () =>
  z.strictObject({
    verdict: z.enum(verdictNames),
    exchange: z.int().describe('Number of the first entry with this difference, from 1'),
    call: z.string().describe('Method and path of a call, or the name of an event'),
    path: z.string().describe('The field, `status`, a header, or `delay`, `order`, `attempts` of a webhook'),
    platform: z.unknown().describe('Value from the platform; null if the platform sent nothing'),
    sandbox: z.unknown().describe('Value from the sandbox; null if the sandbox sends nothing'),
    documented: z.string().nullable().describe('Value in the documentation; null if it is not documented'),
    assumption: z.string().nullable().describe('Key of the assumption, as on the page of assumptions'),
    setting: z.string().nullable().describe('The setting that changes the behavior of the sandbox'),
    value: z
      .unknown()
      .describe('Value of the setting that makes the sandbox behave like the platform; null if unknown'),
    about: z.string(),
    places: z.int().describe('Number of places with this difference'),
    accepted: z.boolean().describe('Whether the file of accepted differences lists it'),
  }),
)

const comparison = model('Comparison', () =>
  z.strictObject({
    recordings: z.int(),
    last_seen: z.string().nullable().describe('Day of the newest exchange'),
    exchanges: z.int(),
    webhooks: z.int(),
    fields: z.int().describe('Fields compared'),
    summary: z.partialRecord(z.enum(verdictNames), z.int()).describe('Number of findings by verdict'),
    findings: z.array(finding()).describe('One finding for each cause'),
    left_out: z.array(z.strictObject({ reason: z.string(), entries: z.int() })),
  }),
)

const exampleEntry = {
  startedDateTime: '2026-11-21T15:00:00.000Z',
  request: { method: 'GET', url: 'https://api.platform.example/v2/account/balance', headers: [] },
  response: { status: 503, headers: [], content: { text: '' } },
}

export const compareRoutes = {
  compare: route('POST /compare', {
    tool: {
      name: 'compare',
      says: 'Compare a recording of the platform (HAR) with a fresh sandbox, field by field.',
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
export const compareRouteSet = routeSet(compareRoutes, async () => (await import('./compare.js')).compareHandlers)
