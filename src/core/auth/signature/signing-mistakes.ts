/** Common mistakes in signing: each row changes one thing, and its hint names the mistake. */

import { withoutTrailing } from '../../../base/text.js'
import { requestHeaders } from '../../../protocol/platform/headers.js'
import { bodyVariants } from './body-variants.js'

export type Part = string | Uint8Array

/** The call as sent, and the secrets of the credential that sent it. */
export interface SentCall {
  timestamp: string
  nonce: string
  bodyText: string
  keys: { signing_key: string; client_secret: string; webhook_secret: string; client_id: string }
}

/** A way in which a signature may have been computed. */
export interface Recipe {
  timestamp: string
  body: Part
  key: Part
  layout: (recipe: Recipe, nonce: string) => Part[]
}

interface SigningMistake {
  hint: string
  /** Returns the changes to the recipe; empty if the mistake does not apply. */
  change: (facts: SentCall) => Partial<Recipe>[]
}

const documented = 'timestamp.nonce.body'
export const plainLayout: Recipe['layout'] = ({ timestamp, body }, nonce) => [`${timestamp}.${nonce}.`, body]

type Names = readonly ('timestamp' | 'nonce' | 'body')[]
const inOrder =
  (names: Names, separator: string): Recipe['layout'] =>
  ({ timestamp, body }, nonce) =>
    names.flatMap((name, at) => [at === 0 ? '' : separator, { timestamp, nonce, body }[name]])

const orders: readonly Names[] = [
  ['nonce', 'timestamp', 'body'],
  ['body', 'timestamp', 'nonce'],
  ['body', 'nonce', 'timestamp'],
  ['timestamp', 'body', 'nonce'],
  ['nonce', 'body', 'timestamp'],
  ['body', 'timestamp'],
  ['body', 'nonce'],
]
const separators = ['.', '', ':', '|', ',', '-', '\n', '\r\n', ' ', '&', '/', ';', '_']
const rightOrder: Names = ['timestamp', 'nonce', 'body']

const layoutMistakes = (): (readonly [signed: string, layout: Recipe['layout']])[] => [
  ['The body alone was signed', ({ body }) => [body]],
  ['The nonce was left out', ({ timestamp, body }) => [`${timestamp}.`, body]],
  ['The timestamp was left out', ({ body }, nonce) => [`${nonce}.`, body]],
  ...[rightOrder, ...orders].flatMap((names) =>
    separators
      .filter((separator) => names !== rightOrder || separator !== '.')
      .map((separator) => [whatWasSigned(names, separator), inOrder(names, separator)] as const),
  ),
]

function whatWasSigned(names: Names, separator: string): string {
  if (names !== rightOrder && separator === '.') return `"${names.join('.')}" was signed`
  const joint = separator === '' ? 'without dots' : `with ${JSON.stringify(separator)}`
  return names === rightOrder ? `The parts were joined ${joint}` : `${names.join(', ')} were signed, joined ${joint}`
}

/** Decodes as leniently as most decoders: ignores an extra character. */
export function bytesOfBase64(text: string): Uint8Array[] {
  const plain = withoutTrailing(text.replaceAll('-', '+').replaceAll('_', '/'), '=')
  if (!/^[A-Za-z0-9+/]+$/.test(plain)) return []
  return [Uint8Array.from(atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain), (char) => char.charCodeAt(0))]
}

const wrongKey = (name: string) => `The key was ${name} of the same credential; sign with its signing_key.`
const keyMistakes: readonly (readonly [hint: string, of: (keys: SentCall['keys']) => Part[]])[] = [
  [wrongKey('the client_secret'), (keys) => [keys.client_secret]],
  [wrongKey('the webhook_secret'), (keys) => [keys.webhook_secret]],
  [wrongKey('the client_id'), (keys) => [keys.client_id]],
  [
    'The signing_key ends with a line break or space, perhaps because it was read from a file or variable; trim it.',
    (keys) => ['\n', '\r\n', ' '].map((end) => keys.signing_key + end),
  ],
  [
    'The signing_key was decoded as base64; use its text as the key.',
    (keys) => [keys.signing_key, keys.signing_key.replace(/^[a-z]+_/, '')].flatMap(bytesOfBase64),
  ],
  [
    'The prefix of the signing_key was removed; use the whole signing_key as the key.',
    (keys) => [keys.signing_key.replace(/^[a-z]+_/, '')],
  ],
  [
    'The key was empty or undefined: the variable that should hold signing_key is not set.',
    () => ['', 'undefined', 'null', 'None'],
  ],
]

const otherMoment = `The signed time differs from ${requestHeaders.timestamp}: read the time once, and use the same text for both.`
const inMs = 'The timestamp was signed in milliseconds, but sent in seconds: use the same text, in seconds, for both.'
const seconds = ({ timestamp }: SentCall) => (/^\d{1,11}$/.test(timestamp) ? Number(timestamp) : Number.NaN)
const timestampVariants = (count: number, of: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => ({ timestamp: of(at) }))

const timestampMistakes: readonly SigningMistake[] = [
  { hint: inMs, change: (facts) => [{ timestamp: `${facts.timestamp}000` }] },
  { hint: inMs, change: (facts) => timestampVariants(1000, (at) => facts.timestamp + String(at).padStart(3, '0')) },
  { hint: otherMoment, change: (facts) => timestampVariants(21, (at) => String(seconds(facts) + at - 10)) },
]

/** Created on demand, because hardly any call needs the rows. */
export const createSigningMistakes = (): readonly SigningMistake[] => [
  ...bodyVariants.map(
    ([hint, of]): SigningMistake => ({ hint, change: ({ bodyText }) => of(bodyText).map((body) => ({ body })) }),
  ),
  ...keyMistakes.map(
    ([hint, of]): SigningMistake => ({ hint, change: ({ keys }) => of(keys).map((key) => ({ key })) }),
  ),
  ...layoutMistakes().map(
    ([signed, layout]): SigningMistake => ({
      hint: `${signed}; the string to sign is "${documented}", joined with dots.`,
      change: () => [{ layout }],
    }),
  ),
  ...timestampMistakes,
]
