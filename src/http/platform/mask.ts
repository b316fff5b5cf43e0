/** Hides secrets in what is kept of a call: by reading it, never by searching its text. What cannot be read is not shown at all. */
import { JsonNumber, parseJson } from '../../base/json.js'

const mask = '***'

/** Fields, parameters and headers, in lower case and without `-` and `_`. */
const secretNames = new Set(
  [
    ...['access_token', 'refresh_token', 'token', 'client_secret', 'secret', 'password', 'signing_key', 'api_key'],
    ...['webhook_secret', 'admin_token', 'authorization', 'proxy_authorization', 'cookie', 'set_cookie', 'signature'],
    ...['x_signature', 'x_webhook_signature', 'x_sandbox_admin_token', 'x_api_key', 'x_auth_token'],
  ].map(bare),
)

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '')
}

const isSecretName = (name: string) => secretNames.has(bare(name))

/** The sandbox's own tokens, secrets and keys are known wherever they stand. */
const ownSecret = /\b(?:at|secret|sk|whsec)_[A-Za-z0-9_]{20,}/g

export const maskedText = (text: string): string => text.replace(ownSecret, mask)

/** What every name of a secret has a part of; an escape may spell anything. */
const suspicious = /[\\]|token|secret|password|signing|api|auth|cookie|signature/

/** Most bodies hold no secret, and need not be read closely to know it. Throws where the text is no JSON. */
function isHarmless(text: string): boolean {
  JSON.parse(text)
  return !suspicious.test(bare(text)) && text.search(ownSecret) < 0
}

/** Of a JSON text: itself where it holds no secret. */
function maskedJson(text: string): string {
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
      const shown = maskedText(item)
      if (shown !== item) found = true
      return JSON.stringify(shown)
    }
    if (item === null || typeof item !== 'object') return String(item)
    if (Array.isArray(item)) return `[${item.map((one) => print(one, null)).join(',')}]`
    return `{${Object.entries(item)
      .map(([key, one]) => {
        const shown = maskedText(key)
        if (shown !== key) found = true
        return `${JSON.stringify(shown)}:${print(one, key)}`
      })
      .join(',')}}`
  }
  const printed = print(value, null)
  return found ? printed : text
}

/** `a=b&c=d`, as a query or a form has it. Throws where an escape is none. */
function maskedPairs(text: string): string {
  const decoded = (part: string) => decodeURIComponent(part.replaceAll('+', ' '))
  return text
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const [name, value] =
        equals < 0 ? [decoded(pair), ''] : [decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1))]
      if (maskedText(name) !== name) return mask
      if (equals < 0) return pair
      return isSecretName(name) || maskedText(value) !== value ? `${pair.slice(0, equals)}=${mask}` : pair
    })
    .join('&')
}

/** A request target: its query by its parameters, none of it where one cannot be read. */
export function maskedTarget(target: string): string {
  const query = target.indexOf('?')
  if (query < 0) return maskedText(target)
  const path = maskedText(target.slice(0, query))
  try {
    return `${path}?${maskedPairs(target.slice(query + 1))}`
  } catch {
    return `${path}?${mask}`
  }
}

/** A body by its content type, JSON where that says nothing. */
export function maskedBody(text: string, contentType: string | null): string {
  try {
    return contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded')
      ? maskedPairs(text)
      : maskedJson(text)
  } catch {
    return `(${text.length} characters that cannot be read, so that they are not shown)`
  }
}

/** Headers by their names; of `Authorization` the scheme stays. */
export function maskedHeaders(headers: Iterable<[string, string]>): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, value]) => [name, maskedHeader(name, value)]))
}

function maskedHeader(name: string, value: string): string {
  if (!isSecretName(name)) return maskedText(value)
  const scheme = bare(name).endsWith('authorization') ? /^(Bearer|Basic) /i.exec(value)?.[1] : undefined
  return scheme === undefined ? mask : `${scheme} ${mask}`
}
