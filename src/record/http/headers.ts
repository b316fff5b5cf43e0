/** Redacts headers: harmless values are kept, signatures and nonces get a pseudonym, credentials are masked, all other values are hidden. */
import { bytesOf } from '../../base/base64.js'
import { isSecretName, maskHeaders } from '../../http/platform/mask.js'
import { requestHeaders, responseHeaders, webhookHeaders } from '../../protocol/platform/headers.js'
import { hidden, type Pseudonyms } from '../core/pseudonyms.js'
import type { HeaderList } from './exchange.js'
import { redactText } from './values.js'

const harmless = new Set(
  [
    ...['accept', 'accept-encoding', 'accept-language', 'cache-control', 'connection', 'content-encoding'],
    ...['content-language', 'content-length', 'content-type', 'date', 'etag', 'expect', 'host', 'keep-alive'],
    ...['last-modified', 'location', 'pragma', 'server', 'transfer-encoding', 'user-agent', 'vary', 'via'],
    ...['www-authenticate', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
    ...[requestHeaders.timestamp, requestHeaders.scenario, ...Object.values(responseHeaders)],
    ...[webhookHeaders.event, webhookHeaders.id, webhookHeaders.timestamp, webhookHeaders.sandbox],
  ].map((name) => name.toLowerCase()),
)
/** Harmless headers whose value is redacted like other text, because a URL or a user agent can contain personal data. */
const redactedAsText: ReadonlySet<string> = new Set(['location', 'user-agent'])
/** Headers whose format the comparison checks: their value is replaced by another one of the same format. */
const replaced: ReadonlySet<string> = new Set(
  [requestHeaders.signature, requestHeaders.nonce, webhookHeaders.signature].map((name) => name.toLowerCase()),
)

export interface HarHeader {
  name: string
  value: string
}

export function redactedHeaders(headers: HeaderList, pseudonyms: Pseudonyms): HarHeader[] {
  return headers.map(([name, value]) => ({ name, value: redactedHeader(name, value, pseudonyms) }))
}

function redactedHeader(name: string, value: string, pseudonyms: Pseudonyms): string {
  const lower = name.toLowerCase()
  if (replaced.has(lower)) return pseudonyms.of(value)
  if (harmless.has(lower)) return redactedAsText.has(lower) ? redactText(value, null, pseudonyms) : value
  if (!isSecretName(name)) return hidden
  learnCredentials(value, pseudonyms)
  return maskHeaders([[name, value]])[name] ?? hidden
}

/** Credentials from headers are hidden in bodies too. */
function learnCredentials(value: string, pseudonyms: Pseudonyms): void {
  pseudonyms.learnSecret(value)
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(value) ?? []
  pseudonyms.learnSecret(credentials)
  if (scheme.toLowerCase() !== 'basic') return
  try {
    const text = new TextDecoder().decode(bytesOf(credentials))
    pseudonyms.learnSecret(text.slice(text.indexOf(':') + 1))
  } catch {
    // Not base64, so it contains no password.
  }
}
