/** The faults of chaos and their presets, as plain tables: pages and the library need no schema for them. */
import { hourMs, minuteMs } from '../../base/duration.js'
import { keysOf } from '../../base/keys.js'

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
