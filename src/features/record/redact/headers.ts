/** Redacts headers: harmless values are searched, signatures and nonces get a pseudonym, all other values are hidden. */
import { requestHeaders, responseHeaders, webhookHeaders } from '../../../inside/platform.js'
import type { HeaderList } from '../file/exchange.js'
import { classOf } from './fields.js'
import { learnCookies, learnCredentials, learnFrom } from './learning.js'
import type { Pseudonyms } from './pseudonyms.js'
import { hidden } from './secrets.js'
import { redactName, redactText } from './values.js'

const lowered = (...lines: string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.toLowerCase().split(' ')))

const harmless = lowered(
  'accept accept-encoding accept-language cache-control connection content-encoding content-language content-length',
  'content-type date etag expect host keep-alive last-modified location pragma server transfer-encoding user-agent vary',
  'via www-authenticate x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset',
  ...[requestHeaders.timestamp, requestHeaders.scenario, requestHeaders.error, ...Object.values(responseHeaders)],
  ...[webhookHeaders.event, webhookHeaders.id, webhookHeaders.timestamp, webhookHeaders.sandbox],
)
/** Harmless headers whose value is redacted like other text, because a URL or a user agent can contain personal data. */
const redactedAsText = lowered('location user-agent')
/** Headers whose format the comparison checks: their value is replaced by another one of the same format. */
const replaced = lowered(requestHeaders.signature, requestHeaders.nonce, webhookHeaders.signature)
/** Headers of HTTP that are hidden, but contain no secret as their whole value. */
const standard =
  /^(?:sec-|accept|access-control-|content-|cross-origin-|x-forwarded-|x-(?:frame|content-type|powered|real-ip|xss)|if-|origin$|referer|range|age$|allow$|alt-svc|priority|strict-transport|upgrade|te$|trailer|dnt|retry-after|report-to|nel$|forwarded|link$)/

export interface HarHeader {
  name: string
  value: string
}

export function redactedHeaders(headers: HeaderList, pseudonyms: Pseudonyms): HarHeader[] {
  return headers.map(([name, value]) => {
    const lower = name.toLowerCase()
    const isKnown = harmless.has(lower) || replaced.has(lower)
    return {
      name: isKnown ? name : redactName(name, pseudonyms),
      value: redactedHeader(lower, decodedHeader(value), pseudonyms),
    }
  })
}

function redactedHeader(name: string, value: string, pseudonyms: Pseudonyms): string {
  const { secrets } = pseudonyms
  if (replaced.has(name)) return pseudonyms.of(value)
  learnFrom(value, secrets)
  if (harmless.has(name)) return redactedAsText.has(name) ? redactText(value, null, pseudonyms) : secrets.hide(value)
  const of = classOf(name)
  if (/^(?:set-)?cookie$/.test(name)) learnCookies(value, secrets)
  else if (of === 'secret' || (of !== 'plain' && !standard.test(name))) learnCredentials(value, secrets)
  const scheme = name.endsWith('authorization') ? /^(?:Bearer|Basic) /i.exec(value)?.[0] : undefined
  return `${scheme ?? ''}${hidden}`
}

/** Node reads headers and status texts as Latin-1, whatever was sent. */
export function decodedHeader(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(value, (sign) => sign.charCodeAt(0)))
  } catch {
    return value
  }
}
