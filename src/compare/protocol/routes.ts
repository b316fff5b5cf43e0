/** The route that compares a recording of the platform with the sandbox. */
import * as z from 'zod'
import { model, route } from '../../protocol/control/route.js'
import { verdictNames } from './verdicts.js'

const finding = model('ComparedFinding', () =>
  z.strictObject({
    verdict: z.enum(verdictNames),
    exchange: z.int().describe('Number of the entry that shows it first, from 1'),
    call: z.string().describe('Method and path of a call, or the name of an event'),
    path: z.string().describe('The field, `status`, a header, or `delay`, `order`, `attempts` of a webhook'),
    platform: z.unknown().describe('What the platform sent; null if it sent nothing'),
    sandbox: z.unknown().describe('What the sandbox sends; null if it sends nothing'),
    documented: z.string().nullable().describe('What the documentation says; null if it says nothing'),
    assumption: z.string().nullable().describe('Key of the assumption, as on the page of assumptions'),
    setting: z.string().nullable().describe('The setting that changes it'),
    value: z.unknown().describe('Value of the setting with which the sandbox agrees; null if unknown'),
    about: z.string(),
    places: z.int().describe('How many times it was seen'),
    accepted: z.boolean().describe('Listed in the file of accepted differences'),
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
    findings: z.array(finding()).describe('One for each cause'),
    left_out: z.array(z.strictObject({ reason: z.string(), entries: z.int() })),
  }),
)

export const compareRoutes = {
  compare: route({
    method: 'POST',
    path: '/compare',
    errors: ['INVALID_VALUE', 'CONFLICT'],
    summary: 'Compare a recording of the platform (HAR 1.2) with a fresh sandbox of the same settings',
    raw: ['application/json'],
    untyped: true,
    body: () =>
      z.strictObject({
        log: z
          .looseObject({ version: z.string(), entries: z.array(z.looseObject({ startedDateTime: z.string() })) })
          .describe('HAR 1.2'),
      }),
    answer: comparison,
    example: { log: { version: '1.2', creator: { name: 'example', version: '1' }, entries: [] } },
  }),
} as const
