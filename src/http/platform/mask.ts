/** Masks secrets in logged calls by parsing them, not only by searching the text. Text that cannot be parsed is hidden completely. */
import { JsonNumber, parseJson } from '../../base/json.js'

const mask = '***'

/** Names of fields, parameters and headers, in lower case and without `-` and `_`. */
const secretNames = new Set(
  [
    ...['access_token', 'refresh_token', 'token', 'client_secret', 'secret', 'password', 'signing_key', 'api_key'],
    ...['webhook_secret', 'admin_token', 'authorization', 'proxy_authorization', 'cookie', 'set_cookie', 'signature'],
    ...['x_signature', 'x_webhook_signature', 'x_sandbox_admin_token', 'x_api_key', 'x_auth_token'],
  ].map(normalizedName),
)

function normalizedName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '')
}

const isSecretName = (name: string) => secretNames.has(normalizedName(name))

/** The sandbox's own tokens, secrets and keys are recognized wherever they occur. */
const ownSecret = /\b(?:at|secret|sk|whsec)_[A-Za-z0-9_]{20,}/g

export const maskText = (text: string): string => text.replace(ownSecret, mask)

/** The name of every secret contains one of these words. A backslash can start an escape that hides such a word. */
const suspicious = /[\\]|token|secret|password|signing|api|auth|cookie|signature/

/** Quick check, because most bodies contain no secret. Throws if the text is not JSON. */
function isHarmless(text: string): boolean {
  JSON.parse(text)
  return !suspicious.test(normalizedName(text)) && text.search(ownSecret) < 0
}

/** Masks JSON text; returns it unchanged if it contains no secret. */
function maskJson(text: string): string {
  if (isHarmless(text)) return text
  const value = parseJson(text)
  let found = false
  const print = (item: unknown, name: string | null): string => {
    if (name !== null && isSecretName(name)) {
      found = true
      return JSON.stringify(mask)
    }
    if (item instanceof JsonNumber) return item.text
    if (typeof item === 'string') {
      const masked = maskText(item)
      if (masked !== item) found = true
      return JSON.stringify(masked)
    }
    if (item === null || typeof item !== 'object') return String(item)
    if (Array.isArray(item)) return `[${item.map((one) => print(one, null)).join(',')}]`
    return `{${Object.entries(item)
      .map(([key, one]) => {
        const masked = maskText(key)
        if (masked !== key) found = true
        return `${JSON.stringify(masked)}:${print(one, key)}`
      })
      .join(',')}}`
  }
  const printed = print(value, null)
  return found ? printed : text
}

/** Masks `a=b&c=d`, the format of queries and forms. Throws if an escape is invalid. */
function maskPairs(text: string): string {
  const decoded = (part: string) => decodeURIComponent(part.replaceAll('+', ' '))
  return text
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const [name, value] =
        equals < 0 ? [decoded(pair), ''] : [decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1))]
      if (maskText(name) !== name) return mask
      if (equals < 0) return pair
      return isSecretName(name) || maskText(value) !== value ? `${pair.slice(0, equals)}=${mask}` : pair
    })
    .join('&')
}

/** Masks the parameters in the query of a request target, or the whole query if it cannot be decoded. */
export function maskTarget(target: string): string {
  const query = target.indexOf('?')
  if (query < 0) return maskText(target)
  const path = maskText(target.slice(0, query))
  try {
    return `${path}?${maskPairs(target.slice(query + 1))}`
  } catch {
    return `${path}?${mask}`
  }
}

/** Masks a body according to its content type (default: JSON). */
export function maskBody(text: string, contentType: string | null): string {
  try {
    return contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') ? maskPairs(text) : maskJson(text)
  } catch {
    return `(${text.length} characters that cannot be decoded and are not shown)`
  }
}

/** Masks headers by their names; the scheme of `Authorization` stays. */
export function maskHeaders(headers: Iterable<[string, string]>): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, value]) => [name, maskHeader(name, value)]))
}

function maskHeader(name: string, value: string): string {
  if (!isSecretName(name)) return maskText(value)
  const scheme = normalizedName(name).endsWith('authorization') ? /^(Bearer|Basic) /i.exec(value)?.[1] : undefined
  return scheme === undefined ? mask : `${scheme} ${mask}`
}
