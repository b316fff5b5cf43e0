/**
 * Explains why a signature was rejected: the string we signed, what we expected, and which known mistake gives the
 * received signature.
 */

import { type HashName, hmacHexOf, hmacHexWith } from '../../../base/crypto.js'
import { formatDuration } from '../../../base/duration.js'
import type { SignatureReport } from '../../../protocol/control/requests.js'
import { requestHeaders } from '../../../protocol/platform/headers.js'
import { minutes, signatureWindowMs } from '../../../protocol/platform/limits.js'
import { isUuidV4 } from '../../../protocol/rails/pix-key.js'
import type { StoredSignature } from '../../../store/schema.js'
import { bytesOfBase64, createSigningMistakes, plainLayout, type Recipe, type SentCall } from './signing-mistakes.js'

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
  return `None of the known mistakes gives this signature. Check that the key is the signing_key of ${keys.client_id}, then compare the string to sign with yours, character by character.${found[0]?.hint ? ` ${found[0].hint}` : ''}`
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
