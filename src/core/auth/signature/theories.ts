/** Mistakes that people make when they sign: each row changes one thing, and its hint names the mistake. */

import { withoutTrailing } from '../../../base/text.js'
import { callHeaders } from '../../../protocol/platform/headers.js'
import { bodyRows } from './bodies.js'

export type Part = string | Uint8Array

/** What was sent, and the secrets of the credential that sent it. */
export interface Facts {
  timestamp: string
  nonce: string
  bodyText: string
  keys: { signing_key: string; client_secret: string; webhook_secret: string; client_id: string }
}

/** How a signature may have been made. */
export interface Recipe {
  timestamp: string
  body: Part
  key: Part
  layout: (recipe: Recipe, nonce: string) => Part[]
}

export interface Theory {
  hint: string
  /** What it changes; empty if it does not apply. */
  change: (facts: Facts) => Partial<Recipe>[]
}

const documented = 'timestamp.nonce.body'
export const plainLayout: Recipe['layout'] = ({ timestamp, body }, nonce) => [`${timestamp}.${nonce}.`, body]

const layoutRows: readonly (readonly [signed: string, layout: Recipe['layout']])[] = [
  ['The body alone was signed', ({ body }) => [body]],
  ['The nonce was left out', ({ timestamp, body }) => [`${timestamp}.`, body]],
  ['The timestamp was left out', ({ body }, nonce) => [`${nonce}.`, body]],
  ['The parts were joined without dots', ({ timestamp, body }, nonce) => [timestamp + nonce, body]],
]

/** As lenient as most decoders: a character too many is left out. */
export function bytesOfBase64(text: string): Uint8Array[] {
  const plain = withoutTrailing(text.replaceAll('-', '+').replaceAll('_', '/'), '=')
  if (!/^[A-Za-z0-9+/]+$/.test(plain)) return []
  return [Uint8Array.from(atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain), (char) => char.charCodeAt(0))]
}

const wrongKey = (name: string) => `The key was ${name} of the same credential; sign with its signing_key.`
const keyRows: readonly (readonly [hint: string, of: (keys: Facts['keys']) => Part[]])[] = [
  [wrongKey('the client_secret'), (keys) => [keys.client_secret]],
  [wrongKey('the webhook_secret'), (keys) => [keys.webhook_secret]],
  [wrongKey('the client_id'), (keys) => [keys.client_id]],
  [
    'The signing_key ends with a line break or space, read from a file or variable perhaps; trim it.',
    (keys) => ['\n', '\r\n', ' '].map((end) => keys.signing_key + end),
  ],
  [
    'The key is signing_key as text; it was decoded as base64.',
    (keys) => [keys.signing_key, keys.signing_key.replace(/^[a-z]+_/, '')].flatMap(bytesOfBase64),
  ],
  ['The key is the whole signing_key, its prefix included.', (keys) => [keys.signing_key.replace(/^[a-z]+_/, '')]],
  [
    'The key was empty or undefined: the variable that should hold signing_key is not set.',
    () => ['', 'undefined', 'null', 'None'],
  ],
]

const otherMoment = `Another moment was signed than ${callHeaders.timestamp} says: take the time once, and use the same text for both.`
const inMs = 'The timestamp was signed in milliseconds, but sent in seconds: use the same text, in seconds, for both.'
const seconds = ({ timestamp }: Facts) => (/^\d{1,11}$/.test(timestamp) ? Number(timestamp) : Number.NaN)
const counted = (count: number, of: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => ({ timestamp: of(at) }))

const stampRows: readonly Theory[] = [
  { hint: inMs, change: (facts) => [{ timestamp: `${facts.timestamp}000` }] },
  { hint: inMs, change: (facts) => counted(1000, (at) => facts.timestamp + String(at).padStart(3, '0')) },
  { hint: otherMoment, change: (facts) => counted(21, (at) => String(seconds(facts) + at - 10)) },
]

/** Made on request: hardly any call needs them. */
export const makeTheories = (): readonly Theory[] => [
  ...bodyRows.map(([hint, of]): Theory => ({ hint, change: ({ bodyText }) => of(bodyText).map((body) => ({ body })) })),
  ...keyRows.map(([hint, of]): Theory => ({ hint, change: ({ keys }) => of(keys).map((key) => ({ key })) })),
  ...layoutRows.map(
    ([signed, layout]): Theory => ({
      hint: `${signed}; the string to sign is "${documented}", joined with dots.`,
      change: () => [{ layout }],
    }),
  ),
  ...stampRows,
]
