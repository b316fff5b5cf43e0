/** Redacts texts by the class of their field: addresses and pairs part by part, JSON field by field, headers by name. */

import { requestHeaders, responseHeaders, webhookHeaders } from '../../../inside/platform.js'
import { bytesOf, fieldsOfJson, isJsonObject, JsonNumber, parseJson } from '../../../inside/values.js'
import { classOf, type FieldClass, isDocumented, isOwnWord } from './fields.js'
import type { Pseudonyms } from './pseudonyms.js'
import { hidden, type Secrets, viewsOf } from './secrets.js'

type Class = FieldClass | null

const isUrl = /^(?:https?:\/)?\/\S*$/i

export function redactText(text: string, of: Class, pseudonyms: Pseudonyms): string {
  if (text === '') return text
  if (of === 'secret') {
    if (!isOwnWord(text)) learnValue(text, pseudonyms.secrets)
    return hidden
  }
  if (of !== 'personal' && isOwnWord(text)) return text
  learnFrom(text, pseudonyms.secrets)
  const shown = pseudonyms.secrets.hide(text)
  const nested = redactNested(text, shown, of, pseudonyms)
  if (nested !== null && of !== 'personal') return nested
  // An id that a hidden header repeats must still differ from other ids.
  if (shown === hidden && of === 'plain') return pseudonyms.secretId(text)
  if (isUrl.test(shown)) return redactedUrl(shown, of, pseudonyms)
  if (of === 'personal') return pseudonyms.of(shown)
  // Ids have many forms, but no space, no @, and no ending like that of a document.
  return of === 'plain' && !/[@\s]|-\d\d$/.test(shown) ? pseudonyms.id(shown) : pseudonyms.within(shown)
}

/** JSON or a form in a string; null if it is neither. `shown` is the text without secrets. */
function redactNested(text: string, shown: string, of: Class, pseudonyms: Pseudonyms): string | null {
  if (/^\s*[{[]/.test(text)) {
    try {
      return redactJson(text, pseudonyms, of)
    } catch {
      return null
    }
  }
  const isForm = /^[\w.[\]%*-]+=[^\s&]*(?:&[\w.[\]%*-]+=[^\s&]*)*$/.test(shown) && !/^[\w+/-]+=+$/.test(shown)
  return isForm ? redactPairs(shown, pseudonyms, of).text : null
}

/** A field name can contain personal data too. */
export const redactName = (name: string, pseudonyms: Pseudonyms): string =>
  isDocumented(name) ? name : redactText(name, null, pseudonyms)

/** Scheme and host stay, and that there is a user name. The path of a personal address, such as a receiver's, can be a secret. */
function redactedUrl(url: string, of: Class, pseudonyms: Pseudonyms): string {
  if (!/^\w+:/.test(url)) return redactedTarget(url, pseudonyms, of).text
  const start = url.indexOf('//') + 2
  const length = url.slice(start).search(/[/?#]/)
  const end = length < 0 ? url.length : start + length
  const host = url.slice(start, end)
  const target = redactedTarget(url.slice(end), pseudonyms, of).text
  const at = host.lastIndexOf('@')
  return url.slice(0, start) + (at < 0 ? '' : `${hidden}@`) + host.slice(at + 1) + target
}

/** An address or a form, and its pairs. */
export interface Target {
  text: string
  pairs: HarPair[]
}

/** Path, query and fragment. */
export function redactedTarget(target: string, pseudonyms: Pseudonyms, of: Class = null): Target {
  learnTarget(target, pseudonyms.secrets)
  const shown = pseudonyms.secrets.hide(target)
  const [, path = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(shown) ?? []
  const shownQuery = query === undefined ? null : redactPairs(query, pseudonyms, of)
  const shownFragment = fragment === undefined ? '' : `#${redactedFragment(fragment, of, pseudonyms)}`
  const text = redactedPath(path, of, pseudonyms) + (shownQuery === null ? '' : `?${shownQuery.text}`) + shownFragment
  return { text, pairs: shownQuery?.pairs ?? [] }
}

const redactedFragment = (text: string, of: Class, pseudonyms: Pseudonyms) =>
  text.includes('=') ? redactPairs(text, pseudonyms, of).text : redactedPath(text, of, pseudonyms)

/** Words of paths such as `/oauth/token/revoke`. */
const followsToken = new Set(
  'callback current info introspect list login logout me new refresh revoke status validate verify'.split(' '),
)

const isSecretPart = (part: string, before: string) => classOf(before) === 'secret' && !followsToken.has(part)

/** A pair has its value beside it, so it says nothing about the next part. */
const nextBefore = (part: string) => (part.includes('=') ? '' : part)

/** What follows `token` in a path is one; `;name=value` is a pair. */
function redactedPath(path: string, of: Class, pseudonyms: Pseudonyms): string {
  let before = ''
  return path
    .split(/([/;])/)
    .map((part, at) => {
      if (at % 2 === 1 || part === '') return part
      const isSecret = isSecretPart(part, before)
      before = nextBefore(part)
      if (part.includes('=')) return redactPairs(part, pseudonyms, of).text
      return redactedPart(part, isSecret ? 'secret' : of, pseudonyms)
    })
    .join('')
}

function redactedPart(part: string, of: Class, pseudonyms: Pseudonyms): string {
  const decoded = decodedPart(part)
  if (decoded === null) return hidden
  const redacted = redactText(decoded, of, pseudonyms)
  return redacted === decoded ? part : encodeURIComponent(redacted)
}

/** `a=b&c=d`, from a query or a form. */
export function redactPairs(text: string, pseudonyms: Pseudonyms, of: Class = null): Target {
  const redacted = text.split('&').map((pair) => {
    const [, rawName = '', rawValue] = /^([^=]*)(?:=(.*))?$/s.exec(pair) ?? []
    const [name, value] = [decodedPart(rawName, true), decodedPart(rawValue ?? '', true)]
    if (name === null || value === null) return { name: hidden, value: '', text: hidden }
    const shownName = redactName(name, pseudonyms)
    const shownValue = redactText(value, classOf(name, '?') ?? of, pseudonyms)
    const encodedName = shownName === name ? rawName : encodeURIComponent(shownName)
    const encodedValue = shownValue === value ? rawValue : encodeURIComponent(shownValue)
    const shown = rawValue === undefined ? encodedName : `${encodedName}=${encodedValue}`
    return { name: shownName, value: shownValue, text: shown }
  })
  const pairs = redacted.map(({ name, value }) => ({ name, value }))
  return { text: redacted.map((pair) => pair.text).join('&'), pairs }
}

/** null for an invalid escape. */
function decodedPart(text: string, isPair = false): string | null {
  try {
    return decodeURIComponent(isPair ? text.replaceAll('+', ' ') : text)
  } catch {
    return null
  }
}

interface Place {
  name: string
  of: Class
}

/** Shorter numbers are amounts and counts. */
const shortestNumber = 6

/** Numbers and the order of fields stay. Throws `JsonError` if the text is invalid. */
export function redactJson(text: string, pseudonyms: Pseudonyms, of: Class = null): string {
  return print(parseJson(text), { name: '', of }, pseudonyms)
}

function print(item: unknown, place: Place, pseudonyms: Pseudonyms): string {
  if (item === null || typeof item === 'boolean') return String(item)
  if (typeof item === 'string') return JSON.stringify(redactText(item, place.of, pseudonyms))
  if (place.of === 'secret') {
    learnAll(item, pseudonyms)
    return JSON.stringify(hidden)
  }
  if (item instanceof JsonNumber) return redactedNumber(item.text, place.of, pseudonyms)
  if (Array.isArray(item)) return `[${item.map((one) => print(one, place, pseudonyms)).join(',')}]`
  if (!isJsonObject(item)) return 'null'
  return `{${Object.entries(item)
    .map(([name, one]) => printField(name, one, place, pseudonyms))
    .join(',')}}`
}

/** Learns every text and number in a secret object or array, such as the token in `{"token":{"value":…}}`. */
function learnAll(item: unknown, pseudonyms: Pseudonyms): void {
  if (typeof item === 'string') redactText(item, 'secret', pseudonyms)
  else if (item instanceof JsonNumber) learnValue(item.text, pseudonyms.secrets)
  else if (Array.isArray(item)) for (const one of item) learnAll(one, pseudonyms)
  else if (isJsonObject(item))
    for (const [name, one] of Object.entries(item)) if (classOf(name) !== 'plain') learnAll(one, pseudonyms)
}

function printField(name: string, item: unknown, parent: Place, pseudonyms: Pseudonyms): string {
  const known = classOf(name, parent.name)
  const redacted = redactName(name, pseudonyms)
  // An undocumented field within a person's object is personal.
  const of = known ?? (parent.of === 'personal' ? 'personal' : null)
  return `${JSON.stringify(redacted)}:${print(item, { name, of }, pseudonyms)}`
}

function redactedNumber(text: string, of: Class, pseudonyms: Pseudonyms): string {
  const isWhole = /^\d+$/.test(text)
  if (of === 'personal') return isWhole ? pseudonyms.of(text) : JSON.stringify(hidden)
  if (text.length < shortestNumber) return text
  const shown = pseudonyms.secrets.hide(text)
  if (shown !== text) return JSON.stringify(shown)
  if (of === 'plain') return text
  const found = isWhole ? pseudonyms.found(text) : pseudonyms.known(text)
  return found === null || /^\d+$/.test(found) ? (found ?? text) : JSON.stringify(found)
}

/** `name=value`, `name: value` and `"name":"value"` within a text; `;name=value` in a path or a header. */
const assignment =
  /(?<![\w.-])([A-Za-z][\w.-]{1,60})["']?[ ]{0,2}[:=]([ ]{0,2})(?:"((?:[^"\\]|\\.){4,1000})"|["']?([^\s"'\\&;,<>(){}[\]]{4,}))/g
const schemes = /^(?:bearer|basic|digest|token|negotiate)$/i
/** The sandbox's own secrets, and others that begin like it. */
const prefixed = /(?<![A-Za-z\d])(?:at|rt|pk|rk|sk|secret|whsec|ghp|gho|xoxb)_\w{20,}/g
const codeText = /[\w.~+/=-]{16,}/g

/** Learns the secrets that a text shows by what stands around them: `password=…`, `https://user:…@host`, tokens with a known form. */
function learnFrom(text: string, secrets: Secrets): void {
  if (!secrets.markAsRead(text)) return
  if (isUrl.test(text)) learnTarget(text, secrets)
  else learnQueries(text, secrets)
  for (const { text: view } of viewsOf(text)) {
    for (const [, name = '', space = '', quoted, bare = ''] of view.matchAll(assignment)) {
      const value = quoted ?? bare
      // `token: invalid` is a sentence.
      const isWord = space !== '' && /^[a-z]+[.!]?$/.test(value)
      if (classOf(name) === 'secret' && !isWord && !schemes.test(value)) learnValue(value, secrets)
    }
    for (const [secret] of view.matchAll(prefixed)) secrets.learn(secret)
    for (const [run] of view.matchAll(codeText)) learnJsonWebToken(run, secrets)
    for (let at = view.indexOf('://'); at >= 0; at = view.indexOf('://', at + 3)) learnUserInfo(view, at + 3, secrets)
  }
}

/** The secrets of a URL are read before any known secret is replaced, which may be part of them. */
function learnTarget(target: string, secrets: Secrets): void {
  learnQueries(target, secrets)
  let before = ''
  for (const part of (target.split(/[?#]/, 1)[0] ?? '').split(/[/;]/).filter(Boolean)) {
    if (isSecretPart(part, before)) learnValue(part, secrets)
    before = nextBefore(part)
  }
}

/** Queries and fragments of URLs. */
function learnQueries(text: string, secrets: Secrets): void {
  for (const pair of text.split(/[?#&]/).slice(1)) {
    const equals = pair.indexOf('=')
    if (equals < 1 || equals > 60 || classOf(pair.slice(0, equals), '?') !== 'secret') continue
    const value = pair.slice(equals + 1)
    learnValue(value.slice(0, (/[\s"<>]/.exec(value) ?? { index: value.length }).index), secrets)
  }
}

/** As it stands, decoded, and without the end of a sentence, and with the spaces of a form: it can stand elsewhere in each form. */
function learnValue(text: string, secrets: Secrets): void {
  // In a form, `+` is a space and `%2B` is a plus, so spaces are read before the value is decoded.
  const forms = text.includes('+') ? [text, text.replaceAll('+', ' ')] : [text]
  for (const { text: view } of forms.flatMap(viewsOf)) {
    secrets.learn(view)
    secrets.learn(view.replace(/[.!?]$/, ''))
    secrets.learn(view.replaceAll('+', ' '))
  }
}

/** So often can a random id contain `eyJ`; what contains it more often is hidden. */
const mostChances = 8

/** With whatever stands in front of it or behind it. An id that contains `eyJ` by chance has no JSON up to a point. */
function learnJsonWebToken(run: string, secrets: Secrets): void {
  const first = run.indexOf('eyJ')
  let start = first
  for (let chance = 0; chance < mostChances; chance++) {
    const end = start < 0 ? -1 : run.indexOf('.', start)
    if (end < 0) return
    if (isTokenHeader(run.slice(start, end))) return void secrets.learn(run.slice(start))
    start = run.indexOf('eyJ', start + 3)
  }
  if (start >= 0) secrets.learn(run.slice(first))
}

function isTokenHeader(base64url: string): boolean {
  try {
    const bytes = bytesOf(base64url.replaceAll('-', '+').replaceAll('_', '/'))
    return fieldsOfJson(new TextDecoder().decode(bytes)) !== null
  } catch {
    return false
  }
}

function learnUserInfo(text: string, from: number, secrets: Secrets): void {
  const rest = text.slice(from, from + 1000)
  const authority = rest.slice(0, (/[\s/?#"<>\\]/.exec(rest) ?? { index: rest.length }).index)
  const end = authority.lastIndexOf('@')
  if (end < 0) return
  const info = authority.slice(0, end)
  learnValue(info, secrets)
  learnValue(info.slice(info.indexOf(':') + 1), secrets)
}

/** `Authorization` and the like: the value, what follows its scheme, and the password of `Basic`. */
function learnCredentials(value: string, secrets: Secrets): void {
  const gap = value.indexOf(' ')
  const scheme = gap < 0 ? '' : value.slice(0, gap)
  const credentials = gap < 0 ? '' : value.slice(gap).trimStart()
  if (!schemes.test(scheme)) learnValue(value, secrets)
  if (schemes.test(scheme) || !credentials.includes(' ')) learnValue(credentials, secrets)
  if (scheme.toLowerCase() !== 'basic') return
  try {
    const text = new TextDecoder().decode(bytesOf(credentials))
    learnValue(text, secrets)
    learnValue(text.slice(text.indexOf(':') + 1), secrets)
  } catch {
    // Not base64, so it contains no password.
  }
}

const unquoted = (text: string): string => text.slice(text.startsWith('"') ? 1 : 0, text.endsWith('"') ? -1 : undefined)

const cookieAttributes = /^(?:path|domain|expires|max-age|samesite|secure|httponly|priority|partitioned)$/i

/** The values of `Cookie` and `Set-Cookie`. */
function learnCookies(value: string, secrets: Secrets): void {
  for (const pair of value.split(';')) {
    const equals = pair.indexOf('=')
    if (equals < 0 || cookieAttributes.test(pair.slice(0, equals).trim())) continue
    learnValue(unquoted(pair.slice(equals + 1).trim()), secrets)
  }
}

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

export type HeaderList = readonly (readonly [name: string, value: string])[]

export interface HarPair {
  name: string
  value: string
}

/** Harmless values are searched, signatures and nonces get a pseudonym, all other values are hidden. */
export function redactedHeaders(headers: HeaderList, pseudonyms: Pseudonyms): HarPair[] {
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
