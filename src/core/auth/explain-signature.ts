/** Explains why a signature was rejected: the string that was signed, the expected signature, and which known mistake gives the received one. */
import { type HashName, hmacHexOf, hmacHexWith } from '../../base/crypto.js'
import { dayMs, formatDuration } from '../../base/duration.js'
import { JsonNumber, parseJson } from '../../base/json.js'
import { orElse, withoutTrailing } from '../../base/text.js'
import type { SignatureReport } from '../../protocol/control/requests.js'
import { requestHeaders } from '../../protocol/platform/headers.js'
import { minutes, signatureWindowMs } from '../../protocol/platform/limits.js'
import { isUuidV4 } from '../../protocol/rails/pix-key.js'
import type { StoredSignature } from '../../store/schema.js'

/** A signed call as it is stored, with its body and keys. Missing headers are null; `wallMs` is real time at receipt. */
export interface SignedCall extends Omit<StoredSignature, 'clientId' | 'bodyBase64'> {
  body: Uint8Array
  keys: SentCall['keys']
}

const shownChars = 8192

export function explainSignature(call: SignedCall): SignatureReport {
  const { timestamp, nonce, signature, body, keys } = call
  const bodyText = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  const text = `${timestamp ?? `(${requestHeaders.timestamp})`}.${nonce ?? `(${requestHeaders.nonce})`}.${bodyText}`
  const computed = () =>
    timestamp === null || nonce === null ? '' : hmacHexOf(keys.signing_key, `${timestamp}.${nonce}.`, body)
  const expected = call.refusal === null ? (signature ?? '') : computed()
  const { verdict, hint } = verdictOf(call, bodyText, expected)
  return {
    verdict,
    string_to_sign: text.length > shownChars ? `${text.slice(0, shownChars)}… (${text.length} characters)` : text,
    expected,
    received: signature ?? '',
    hint,
  }
}

function verdictOf(call: SignedCall, bodyText: string, expected: string): Pick<SignatureReport, 'verdict' | 'hint'> {
  switch (call.refusal) {
    case 'MISSING_SIGNATURE':
      return { verdict: 'missing', hint: hintOfMissing(call) }
    case 'INVALID_TIMESTAMP':
      return { verdict: 'bad_timestamp', hint: hintOfTimestamp(call.timestamp ?? '', call.wallMs) }
    case 'REPLAY_DETECTED': {
      const hint = `This ${requestHeaders.nonce} was used within the last ${minutes(signatureWindowMs)}: generate a new UUID v4 for every call, retries included.`
      return { verdict: 'replayed', hint }
    }
    case 'INVALID_SIGNATURE':
      return { verdict: 'invalid', hint: hintOfSignature(call, bodyText, expected) }
    default:
      return { verdict: 'valid', hint: null }
  }
}

function hintOfMissing({ signature, timestamp, nonce }: SignedCall): string {
  const missing = Object.entries({
    [requestHeaders.signature]: signature,
    [requestHeaders.timestamp]: timestamp,
    [requestHeaders.nonce]: nonce,
  })
    .filter(([, value]) => value === null || value === '')
    .map(([name]) => name)
  return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing: this route needs all three headers.`
}

const yearMs = 365 * dayMs

function hintOfTimestamp(text: string, wallMs: number): string {
  if (/^\d{13}$/.test(text)) return `${requestHeaders.timestamp} is in milliseconds: send whole seconds.`
  if (/^\d{16}$|^\d{19}$/.test(text))
    return `${requestHeaders.timestamp} is in micro- or nanoseconds: send whole seconds.`
  if (/^\d+\.\d+$/.test(text)) return `${requestHeaders.timestamp} has a fraction: send whole seconds.`
  if (!/^\d{1,11}$/.test(text))
    return Number.isNaN(Date.parse(text))
      ? `${requestHeaders.timestamp} is not a number: send Unix time in whole seconds.`
      : `${requestHeaders.timestamp} is a date: send Unix time in whole seconds.`
  const offMs = Number(text) * 1000 - wallMs
  // A number as far off as this is another one than the time.
  if (Math.abs(offMs) > yearMs)
    return `${requestHeaders.timestamp} is not the current Unix time: send the whole seconds since 1970, now about ${Math.floor(wallMs / 1000)}.`
  const how = `${formatDuration(Math.abs(offMs))} ${offMs < 0 ? 'behind' : 'ahead of'}`
  return `${requestHeaders.timestamp} is ${how} the time of this machine; at most ${minutes(signatureWindowMs)} are allowed. Signatures follow real time, not the clock of the sandbox.`
}

/** X-Signature decoded to a digest in lower-case hex, and a hint if its form is wrong. */
interface DecodedSignature {
  hex: string
  hint: string | null
}

const hashOfLength: Readonly<Record<number, HashName>> = {
  32: 'md5',
  40: 'sha1',
  64: 'sha256',
  96: 'sha384',
  128: 'sha512',
}
const isDigest = (hex: string) => /^[0-9a-f]+$/.test(hex) && hashOfLength[hex.length] !== undefined
const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

function decodeSignature(received: string): DecodedSignature[] {
  const withoutPrefix = received
    .trim()
    .replace(/^["']|["']$/g, '')
    .replace(/^[a-z0-9-]+[=:]\s*(?=.)/i, '')
  const prefix =
    withoutPrefix === received
      ? ''
      : `${requestHeaders.signature} contains more than the signature: send only the hex. `
  const fullHint = (hint: string) => (prefix + hint).trim() || null
  if (isDigest(withoutPrefix)) return [{ hex: withoutPrefix, hint: fullHint('') }]
  if (isDigest(withoutPrefix.toLowerCase()))
    return [
      {
        hex: withoutPrefix.toLowerCase(),
        hint: fullHint(`${requestHeaders.signature} is in upper-case hex; use lower-case hex.`),
      },
    ]
  return [received.trim(), withoutPrefix].flatMap(bytesOfBase64).flatMap((bytes): DecodedSignature[] => {
    const inner = String.fromCharCode(...bytes.slice(0, 200))
    if (isDigest(inner.toLowerCase()))
      return [
        {
          hex: inner.toLowerCase(),
          hint: `${requestHeaders.signature} is base64 of the hexadecimal text; send the hexadecimal text itself.`,
        },
      ]
    return isDigest(hexOf(bytes))
      ? [{ hex: hexOf(bytes), hint: `${requestHeaders.signature} is in base64; use lower-case hex.` }]
      : []
  })
}

function hintOfSignature(call: SignedCall, bodyText: string, expected: string): string {
  const { signature, timestamp, nonce, keys } = call
  if (call.bodyRefused)
    return 'The body is larger than the limit, so it was not read, and the signature was not verified.'
  const found = decodeSignature(signature ?? '')
  if (found.length === 0)
    return `${requestHeaders.signature} must be 64 characters of lower-case hex; this has ${(signature ?? '').length} characters and is neither hex nor base64 of a digest.`
  const facts: SentCall = { ...call, timestamp: timestamp ?? '', nonce: nonce ?? '', bodyText, keys }
  for (const { hex, hint } of found) {
    const form = hint ?? ''
    if (hex === expected) return `${form} ${isUuidV4(facts.nonce) ? '' : notUuid}`.trim()
    const cause = findMistake(facts, call.body, hex)
    if (cause !== null) return `${form} ${cause}`.trim()
  }
  const unknown = `None of the known mistakes gives this signature. Check that the key is the signing_key of ${keys.client_id}, then compare the string to sign with yours, character by character.`
  return `${unknown} ${found[0]?.hint ?? ''}`.trim()
}

const notUuid = `The signature is right, but ${requestHeaders.nonce} is not a UUID v4.`

/** Upper bound on the hashing for one report. */
const hashLimits = { tries: 20_000, bytes: 64 * 1024 * 1024 }

/** Returns the hint of the mistake that gives the digest, or null. */
function findMistake(facts: SentCall, body: Uint8Array, hex: string): string | null {
  const hash = hashOfLength[hex.length] ?? 'sha256'
  const algorithm =
    hash === 'sha256' ? '' : `The signature was made with ${hash.toUpperCase().replace('SHA', 'SHA-')}: use SHA-256. `
  const right: Recipe = { timestamp: facts.timestamp, body, key: facts.keys.signing_key, layout: plainLayout }
  let tries = Math.min(hashLimits.tries, Math.floor(hashLimits.bytes / (body.length + 200)))
  const producesDigest = (recipe: Recipe) =>
    tries-- > 0 && hmacHexWith(hash, recipe.key, recipe.layout(recipe, facts.nonce)) === hex
  if (producesDigest(right)) return algorithm.trim()
  const mistake = createSigningMistakes().find(({ change }) =>
    change(facts).some((one) => producesDigest({ ...right, ...one })),
  )
  return mistake === undefined ? null : algorithm + mistake.hint
}

export type Part = string | Uint8Array

/** The call as sent, and the secrets of the credential that sent it. */
interface SentCall {
  timestamp: string
  nonce: string
  bodyText: string
  keys: { signing_key: string; client_secret: string; webhook_secret: string; client_id: string }
}

/** A way in which a signature may have been computed. */
interface Recipe {
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
const plainLayout: Recipe['layout'] = ({ timestamp, body }, nonce) => [`${timestamp}.${nonce}.`, body]

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
function bytesOfBase64(text: string): Uint8Array[] {
  const plain = withoutTrailing(text.replaceAll('-', '+').replaceAll('_', '/'), '=')
  if (!/^[A-Za-z0-9+/]+$/.test(plain)) return []
  return [Uint8Array.from(atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain), (char) => char.charCodeAt(0))]
}

const wrongKey = (name: string) => `The key was the ${name} of the same credential; sign with its signing_key.`
const keyMistakes: readonly (readonly [hint: string, of: (keys: SentCall['keys']) => Part[]])[] = [
  [wrongKey('client_secret'), (keys) => [keys.client_secret]],
  [wrongKey('webhook_secret'), (keys) => [keys.webhook_secret]],
  [wrongKey('client_id'), (keys) => [keys.client_id]],
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
const createSigningMistakes = (): readonly SigningMistake[] => [
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

const serializedTwiceHint = 'Sign the exact body that is sent; the signed body was serialized a second time'

interface Style {
  comma: string
  colon: string
  indent?: string
  sorted?: true
  escape?: (text: string) => string
  jsNumbers?: true
}

const compact = { comma: ',', colon: ':' }
const python = { comma: ', ', colon: ': ' }
const ascii = (text: string) =>
  text.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
const styles: readonly (readonly [hint: string, style: Style])[] = [
  ['as compact JSON', compact],
  ['as compact JSON, with numbers in another form', { ...compact, jsNumbers: true }],
  ['with a space after colons and commas', python],
  ['with sorted keys', { ...compact, sorted: true }],
  ['indented by two', { comma: ',', colon: ': ', indent: '  ' }],
  ['with non-ASCII characters escaped', { ...compact, escape: ascii }],
  ['with spaces, and non-ASCII characters escaped', { ...python, escape: ascii }],
  ['with slashes escaped', { ...compact, escape: (text) => text.replaceAll('/', '\\/') }],
  [
    'with slashes and non-ASCII characters escaped',
    { ...compact, escape: (text) => ascii(text.replaceAll('/', '\\/')) },
  ],
]

/** Returns an empty array if the text is not JSON. */
const serializeAgain = (text: string, style: Style): string[] => orElse([], () => [write(parseJson(text), style, '\n')])

function write(value: unknown, style: Style, line: string): string {
  if (value instanceof JsonNumber) return style.jsNumbers ? JSON.stringify(Number(value.text)) : value.text
  if (value === null || typeof value !== 'object') {
    const text = JSON.stringify(value)
    return typeof value === 'string' && style.escape !== undefined ? style.escape(text) : text
  }
  const inner = style.indent === undefined ? '' : line + style.indent
  const end = style.indent === undefined ? '' : line
  const join = (items: string[], [open, close]: readonly [string, string]) =>
    items.length === 0 ? open + close : open + inner + items.join(style.comma + inner) + end + close
  if (Array.isArray(value))
    return join(
      value.map((item) => write(item, style, inner)),
      ['[', ']'],
    )
  const entries = Object.entries(value)
  if (style.sorted) entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return join(
    entries.map(([key, item]) => write(key, style, inner) + style.colon + write(item, style, inner)),
    ['{', '}'],
  )
}

const latin1 = (text: string): Uint8Array[] =>
  /^[\0-\xff]*$/.test(text) ? [Uint8Array.from(text, (char) => char.charCodeAt(0))] : []

/** Each row: the hint, and the texts or bytes that may have been signed instead. */
const bodyVariants: readonly (readonly [hint: string, of: (text: string) => (string | Uint8Array)[]])[] = [
  ['The signed body ends with a line break that was not sent.', (text) => [`${text}\n`, `${text}\r\n`]],
  [
    'The body that was sent ends or begins with white space that was not signed.',
    (text) => [text.trimEnd(), text.trim()],
  ],
  ['The body was left out: it was signed as if it were empty.', () => ['', '{}', 'null', '""']],
  ['The body was signed in Latin-1; sign its UTF-8 bytes.', latin1],
  ...styles.map(
    ([how, style]) => [`${serializedTwiceHint}, ${how}.`, (text: string) => serializeAgain(text, style)] as const,
  ),
]
