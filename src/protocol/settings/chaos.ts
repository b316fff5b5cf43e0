/** Chaos: random faults and their shares. One shape for the configuration file, the control API and the library. */
import * as z from 'zod'
import { hourMs, minuteMs, parseDuration } from '../../base/duration.js'
import { JsonNumber } from '../../base/json.js'
import { isKeyOf, keysOf } from '../../base/keys.js'
import { nearest } from '../../base/text.js'
import { text } from '../platform/fields.js'

interface FaultRow {
  /** What the fault does, in one line. */
  title: string
  /** What it happens to. */
  on: 'call' | 'webhook'
  /** The fault takes a duration, at most this long. */
  longestMs?: number
}

/** In the order in which pages show them. */
export const chaosFaults = {
  error: { title: 'Rejects the call with a retryable error before any work', on: 'call' },
  dropped_response: { title: 'Does the work and closes the connection instead of responding', on: 'call' },
  reset: { title: 'Closes the connection before any work', on: 'call' },
  slow: { title: 'Delays the response, in real time', on: 'call', longestMs: 10 * minuteMs },
  duplicate: { title: 'Sends the webhook twice', on: 'webhook' },
  reorder: { title: 'Sends the webhook after the next one of the same object', on: 'webhook' },
  late: { title: 'Delays the first attempt, on the sandbox’s clock', on: 'webhook', longestMs: 24 * hourMs },
} as const satisfies Record<string, FaultRow>

export type ChaosFault = keyof typeof chaosFaults
export const chaosFaultNames = keysOf(chaosFaults)

type FaultOn<On extends FaultRow['on']> = {
  [Name in ChaosFault]: (typeof chaosFaults)[Name]['on'] extends On ? Name : never
}[ChaosFault]
export type CallFault = FaultOn<'call'>
export type WebhookFault = FaultOn<'webhook'>

/** Only one of the first three happens to a call; `slow` may come with any but a reset. */
export const callFaults = ['reset', 'error', 'dropped_response', 'slow'] as const satisfies readonly CallFault[]
export const webhookFaults = ['duplicate', 'reorder', 'late'] as const satisfies readonly WebhookFault[]
const timedFaults = ['slow', 'late'] as const satisfies readonly ChaosFault[]
export type TimedFault = (typeof timedFaults)[number]
export const isTimedFault = (name: string): name is TimedFault => timedFaults.some((one) => one === name)

const percentagePattern = /^(\d{1,3}(?:\.\d{1,4})?)%$/

/** Returns a fraction from 0 to 1; null if the text is not a percentage. */
export function parsePercentage(text: string): number | null {
  const percent = Number(percentagePattern.exec(text)?.[1] ?? Number.NaN)
  return percent <= 100 ? percent / 100 : null
}

/** The id of one fault: its kind and a hash of the call or webhook that it happens to. */
export const faultIdPattern = /^[a-z_]{1,20}:[0-9a-f]{10}$/

type Faults = { readonly [Name in ChaosFault]?: Name extends TimedFault ? { share: string; by: string } : string }

/** Faults by name; `off` has none. */
export const chaosPresets = {
  gentle: {
    error: '1%',
    dropped_response: '0.5%',
    reset: '0.5%',
    slow: { share: '5%', by: '1s' },
    duplicate: '2%',
    reorder: '1%',
    late: { share: '1%', by: '2m' },
  },
  rough: {
    error: '5%',
    dropped_response: '3%',
    reset: '3%',
    slow: { share: '10%', by: '3s' },
    duplicate: '10%',
    reorder: '5%',
    late: { share: '5%', by: '10m' },
  },
  off: {},
} as const satisfies Record<string, Faults>

export const chaosPresetNames = keysOf(chaosPresets)

const rateField = (title: string) =>
  z
    .string('must be a rate such as 1% or 0.5%')
    .refine((value) => parsePercentage(value) !== null, 'must be a rate from 0% to 100%, such as 1% or 0.5%')
    .meta({ examples: ['1%'] })
    .describe(title)

/** Accepts a number of JSON or YAML as text: a seed, or a duration in seconds. */
const numberAsText = (value: unknown) =>
  value instanceof JsonNumber ? value.text : typeof value === 'number' ? String(value) : value

const delayField = (longestMs: number, maxLabel: string) =>
  z
    .preprocess(
      numberAsText,
      z
        .string('must be a duration such as 3s')
        .refine((value) => parseDuration(value) !== null, 'must be a duration such as 500ms, 3s or 2m')
        .refine((value) => (parseDuration(value) ?? 0) <= longestMs, `must be at most ${maxLabel}`),
    )
    .meta({ type: ['number', 'string'], examples: ['3s'] })

const timedField = (title: string, longestMs: number, maxLabel: string) =>
  z
    .strictObject(
      { share: rateField('How often'), by: delayField(longestMs, maxLabel).describe('How long') },
      {
        error: ({ code }) =>
          code === 'invalid_type' ? 'must have share and by, such as {"share": "5%", "by": "3s"}' : undefined,
      },
    )
    .describe(title)

const maxSeedChars = 200
const maxChosenFaults = 1000

const faultId = () =>
  z
    .string('must be the id of a fault')
    .regex(faultIdPattern, 'must be the id of a fault, such as reset:0123456789')
    .meta({ examples: ['reset:0123456789'] })

function invalidChaosMessage(input: unknown): string {
  const guess = typeof input === 'string' ? nearest(input, chaosPresetNames) : null
  const rule = `must be ${chaosPresetNames.join(', ')}, or a map of faults such as {"error": "1%"}`
  return guess === null ? rule : `${rule}: did you mean ${guess}?`
}

/** Every field is optional: a missing fault does not occur. */
export const chaosSchema = () => {
  const { error, dropped_response, reset, slow, duplicate, reorder, late } = chaosFaults
  return z.strictObject(
    {
      seed: z
        .preprocess(numberAsText, text(maxSeedChars))
        .meta({ type: 'string' })
        .describe('The same seed and the same calls give the same faults (default: the seed of the sandbox, or 1)')
        .optional(),
      error: rateField(error.title).optional(),
      dropped_response: rateField(dropped_response.title).optional(),
      reset: rateField(reset.title).optional(),
      slow: timedField(slow.title, slow.longestMs, '10m').optional(),
      duplicate: rateField(duplicate.title).optional(),
      reorder: rateField(reorder.title).optional(),
      late: timedField(late.title, late.longestMs, '24h').optional(),
      only: z
        .array(faultId(), 'must be a list of fault ids')
        .max(maxChosenFaults, `at most ${maxChosenFaults} faults`)
        .describe(
          'Ids of the faults that may happen; no others do (default: all). `certify client --chaos` prints them',
        )
        .optional(),
    },
    { error: ({ code, input }) => (code === 'invalid_type' ? invalidChaosMessage(input) : undefined) },
  )
}

export type Chaos = z.output<ReturnType<typeof chaosSchema>>

/** Expands a preset; other values stay. The schema rejects unknown names. */
const expanded = (input: unknown): unknown =>
  typeof input === 'string' && isKeyOf(chaosPresets, input) ? chaosPresets[input] : input

const shareType = { type: 'string' }
const timedType = {
  type: 'object',
  properties: { share: shareType, by: { type: ['string', 'number'] } },
  required: ['share', 'by'],
}
const objectType = {
  type: 'object',
  properties: {
    seed: { type: ['string', 'number'] },
    only: { type: 'array', items: shareType },
    ...Object.fromEntries(chaosFaultNames.map((name) => [name, isTimedFault(name) ? timedType : shareType])),
  },
}

/** The value of the setting: a preset, or faults. No schema is built on load, so that pages can leave them out. */
export const chaosSetting = () =>
  z.preprocess(expanded, chaosSchema()).meta({ anyOf: [{ enum: chaosPresetNames }, objectType] })
