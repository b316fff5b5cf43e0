/** The shape of a comparison, as the report and the route have it. */
import * as z from 'zod'
import { model } from '../../../inside/control.js'
import { verdictNames } from './verdicts.js'

const finding = model('ComparedFinding', () =>
  z.strictObject({
    verdict: z.enum(verdictNames),
    exchange: z.int().describe('Number of the first entry with this difference, from 1'),
    call: z.string().describe('Method and path of a call, or the name of an event'),
    path: z.string().describe('The field, `status`, a header, or `delay`, `order`, `attempts` of a webhook'),
    platform: z.unknown().describe('Value from the platform; null also if it sent none'),
    sandbox: z.unknown().describe('Value from the sandbox; null also if it sends none'),
    absent: z
      .enum(['platform', 'sandbox'])
      .nullable()
      .describe('The side that sends no value, not even null; null if both do'),
    documented: z.string().nullable().describe('Value in the documentation; null if it is not documented'),
    assumption: z.string().nullable().describe('Key of the assumption, as on the page of assumptions'),
    setting: z.string().nullable().describe('The setting that changes the behavior of the sandbox'),
    value: z
      .unknown()
      .describe('Value of the setting that makes the sandbox behave like the platform; null if unknown'),
    about: z.string().describe('What differs, and why it matters, in a sentence'),
    places: z.int().describe('Number of places with this difference'),
    calls: z.array(z.string()).describe('The calls and events with this difference, at most 50'),
    accepted: z.boolean().describe('Whether the file of accepted differences lists it'),
  }),
)

export const comparison = model('Comparison', () =>
  z.strictObject({
    recordings: z.int(),
    last_seen: z.string().nullable().describe('Day of the newest exchange'),
    exchanges: z.int(),
    webhooks: z.int(),
    fields: z.int().describe('Fields compared'),
    summary: z.partialRecord(z.enum(verdictNames), z.int()).describe('Number of findings by verdict'),
    findings: z.array(finding()).describe('One finding for each cause'),
    left_out: z.array(z.strictObject({ reason: z.string(), entries: z.int() })).describe('0 entries: a note'),
  }),
)

/** One cause, with all its places. */
export type Finding = z.infer<ReturnType<typeof finding>>
export type Comparison = z.infer<ReturnType<typeof comparison>>
export type LeftOut = Comparison['left_out'][number]
