/** What people get wrong when they sign, as tables: each row is another string, or another key, and what to tell about it. */

import { sha256Hex } from '../../../base/crypto.js'
import { withoutTrailing } from '../../../base/text.js'
import { callHeaders } from '../../../protocol/platform/headers.js'
import { bodyRows } from './bodies.js'

export type Part = string | Uint8Array

/** What was sent, and the secrets of the credential that sent it. */
export interface Facts {
  method: string
  path: string
  timestamp: string
  nonce: string
  bodyText: string
  keys: { signing_key: string; client_secret: string; webhook_secret: string; client_id: string }
}

/** How a signature may have been made. */
export interface Recipe {
  timestamp: string
  nonce: string
  body: Part
  key: Part
  digest: 'hmac' | 'swapped' | 'key+string' | 'string+key'
  layout: (recipe: Recipe, facts: Facts) => Part[]
}

export interface Theory {
  hint: string
  /** What it changes; nothing where it does not apply. */
  change: (facts: Facts) => Partial<Recipe>[]
  /** Too many ways to be combined with another mistake. */
  alone?: true
}

const documented = 'timestamp.nonce.body'
export const plainLayout: Recipe['layout'] = ({ timestamp, nonce, body }) => [`${timestamp}.${nonce}.`, body]

const orders: readonly (readonly ('timestamp' | 'nonce' | 'body')[])[] = [
  ['timestamp', 'nonce', 'body'],
  ['timestamp', 'body', 'nonce'],
  ['nonce', 'timestamp', 'body'],
  ['nonce', 'body', 'timestamp'],
  ['body', 'timestamp', 'nonce'],
  ['body', 'nonce', 'timestamp'],
  ['timestamp', 'body'],
  ['nonce', 'body'],
  ['body', 'timestamp'],
  ['body', 'nonce'],
  ['timestamp', 'nonce'],
  ['body'],
]
const separators = ['.', '', ':', '|', '\n', ',', ' ', '-', '_', '&', ';', '+', '/']

function layoutRow(order: (typeof orders)[number], separator: string): Theory {
  const shown = order.join(separator.replace('\n', '\\n'))
  const how = order.length === 1 ? 'The body alone was signed' : `The string was put together as "${shown}"`
  return {
    hint: `${how}; it must be "${documented}", joined with dots.`,
    change: () => [
      {
        layout: (recipe) =>
          order.flatMap((name, at): Part[] => (at === 0 ? [recipe[name]] : [separator, recipe[name]])),
      },
    ],
  }
}

function requestRow(separator: string): Theory {
  return {
    hint: `Method or path were signed too; the string is "${documented}" and nothing else.`,
    change: () => [
      {
        layout: ({ timestamp, nonce, body }, { method, path }) => [
          [method, path, timestamp, nonce, ''].join(separator),
          body,
        ],
      },
      {
        layout: ({ timestamp, nonce, body }, { method, path }) => [
          [timestamp, nonce, method, path, ''].join(separator),
          body,
        ],
      },
      { layout: ({ timestamp, nonce, body }, { path }) => [[timestamp, nonce, path, ''].join(separator), body] },
      {
        layout: ({ timestamp, nonce, body }, { method, path }) => [
          [timestamp, method, path, ''].join(separator),
          body,
          separator,
          nonce,
        ],
      },
    ],
  }
}

function bytesOfHex(text: string): Uint8Array[] {
  const digits = /^(?:[a-z]+_)?((?:[0-9a-f]{2})+)$/i.exec(text)?.[1]
  return digits === undefined ? [] : [Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))]
}

/** As lenient as most decoders: a character too many is left out. */
export function bytesOfBase64(text: string): Uint8Array[] {
  const plain = withoutTrailing(text.replaceAll('-', '+').replaceAll('_', '/'), '=')
  if (!/^[A-Za-z0-9+/]+$/.test(plain)) return []
  return [Uint8Array.from(atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain), (char) => char.charCodeAt(0))]
}

const base64Of = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

const wrongKey = (name: string) => `The key was ${name} of the same credential; sign with its signing_key.`
const keyRows: readonly (readonly [hint: string, of: (keys: Facts['keys']) => Part[]])[] = [
  [wrongKey('the client_secret'), (keys) => [keys.client_secret]],
  [wrongKey('the webhook_secret'), (keys) => [keys.webhook_secret]],
  [wrongKey('the client_id'), (keys) => [keys.client_id]],
  [
    'The signing_key ends with a line break or space, read from a file or variable perhaps; trim it.',
    (keys) => ['\n', '\r\n', ' '].map((end) => keys.signing_key + end),
  ],
  ['The key is signing_key as text; it was decoded as hex.', (keys) => bytesOfHex(keys.signing_key)],
  [
    'The key is signing_key as text; it was decoded as base64.',
    (keys) => [keys.signing_key, keys.signing_key.replace(/^[a-z]+_/, '')].flatMap(bytesOfBase64),
  ],
  ['The key is the whole signing_key, its prefix included.', (keys) => [keys.signing_key.replace(/^[a-z]+_/, '')]],
  ['The key is signing_key itself; a hash of it was used.', (keys) => [sha256Hex(keys.signing_key)]],
  ['The key is signing_key itself; it was used in base64.', (keys) => [base64Of(keys.signing_key)]],
  [
    'The key was empty or undefined: the variable that should hold signing_key is not set.',
    () => ['', 'undefined', 'null', 'None'],
  ],
]

const digestRows: readonly Theory[] = [
  { hint: 'Key and string are swapped in the call of HMAC.', change: () => [{ digest: 'swapped' }] },
  {
    hint: 'A plain hash of key and string was made; it must be an HMAC.',
    change: () => [{ digest: 'key+string' }, { digest: 'string+key' }, { digest: 'string+key', key: '' }],
  },
]

const otherMoment = `Another moment was signed than ${callHeaders.timestamp} says: take the time once, and use the same text for both.`
const inMs = 'The timestamp was signed in milliseconds, but sent in seconds: use the same text, in seconds, for both.'
const seconds = ({ timestamp }: Facts) => (/^\d{1,11}$/.test(timestamp) ? Number(timestamp) : Number.NaN)
const counted = (count: number, of: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => ({ timestamp: of(at) }))

const stampRows: readonly Theory[] = [
  { hint: inMs, change: (facts) => [{ timestamp: `${facts.timestamp}000` }] },
  { hint: inMs, alone: true, change: (facts) => counted(1000, (at) => facts.timestamp + String(at).padStart(3, '0')) },
  { hint: otherMoment, change: (facts) => counted(21, (at) => String(seconds(facts) + at - 10)) },
  {
    hint: 'The timestamp was signed as a date, but sent as a number: use the same text for both.',
    change(facts) {
      const atMs = seconds(facts) * 1000
      if (Number.isNaN(atMs)) return []
      const iso = new Date(atMs).toISOString()
      return [iso, iso.replace('.000Z', 'Z'), iso.replace('.000Z', '+00:00')].map((timestamp) => ({ timestamp }))
    },
  },
]

const nonceRow: Theory = {
  hint: `The nonce was signed in another form than ${callHeaders.nonce} has: use the same text for both.`,
  change: ({ nonce }) =>
    [nonce.toLowerCase(), nonce.toUpperCase(), nonce.replaceAll('-', '')].map((form) => ({ nonce: form })),
}

/** By what they change; a signature may suffer from one of each of two. Made when asked for: hardly any call is. */
export const makeTheories = (): Record<'body' | 'key' | 'layout' | 'timestamp' | 'nonce', readonly Theory[]> => ({
  body: bodyRows.map(
    ([hint, of]): Theory => ({ hint, change: ({ bodyText }) => of(bodyText).map((body) => ({ body })) }),
  ),
  key: [
    ...keyRows.map(([hint, of]): Theory => ({ hint, change: ({ keys }) => of(keys).map((key) => ({ key })) })),
    ...digestRows,
  ],
  layout: [
    ...separators.flatMap((separator) => orders.map((order) => layoutRow(order, separator))).slice(1),
    ...['.', '\n', ''].map(requestRow),
  ],
  timestamp: stampRows,
  nonce: [nonceRow],
})
