/** Redacts texts by the class of their field: addresses and pairs part by part, JSON field by field. */
import { isJsonObject, JsonNumber, parseJson } from '../../../inside/values.js'
import { classOf, type FieldClass, isDocumented, isOwnWord } from './fields.js'
import { learnFrom, learnValue } from './learning.js'
import type { Pseudonyms } from './pseudonyms.js'
import { hidden } from './secrets.js'

type Class = FieldClass | null

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
  if (/^(?:https?:\/)?\/\S*$/i.test(shown)) return redactedUrl(shown, of, pseudonyms)
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
  return isForm ? joined(redactPairs(shown, pseudonyms, of)) : null
}

/** A field name can contain personal data too. */
export const redactName = (name: string, pseudonyms: Pseudonyms): string =>
  isDocumented(name) ? name : redactText(name, null, pseudonyms)

/** Scheme and host stay. The path of a personal address, such as a receiver's, can be a secret. */
function redactedUrl(url: string, of: Class, pseudonyms: Pseudonyms): string {
  if (!/^\w+:/.test(url)) return redactedTarget(url, pseudonyms, of).text
  const start = url.indexOf('//') + 2
  const length = url.slice(start).search(/[/?#]/)
  const end = length < 0 ? url.length : start + length
  const host = url.slice(start, end)
  const target = redactedTarget(url.slice(end), pseudonyms, of).text
  return url.slice(0, start) + host.slice(host.lastIndexOf('@') + 1) + target
}

export interface Target {
  text: string
  pairs: Pair[]
}

/** Path, query and fragment. */
export function redactedTarget(target: string, pseudonyms: Pseudonyms, of: Class = null): Target {
  const shown = pseudonyms.secrets.hide(target)
  const [, path = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(shown) ?? []
  const pairs = query === undefined ? [] : redactPairs(query, pseudonyms, of)
  const shownQuery = query === undefined ? '' : `?${joined(pairs)}`
  const shownFragment = fragment === undefined ? '' : `#${redactedFragment(fragment, of, pseudonyms)}`
  return { text: redactedPath(path, of, pseudonyms) + shownQuery + shownFragment, pairs }
}

const redactedFragment = (text: string, of: Class, pseudonyms: Pseudonyms) =>
  text.includes('=') ? joined(redactPairs(text, pseudonyms, of)) : redactedPath(text, of, pseudonyms)

const joined = (pairs: readonly Pair[]) => pairs.map(({ text }) => text).join('&')

/** Words of paths such as `/oauth/token/revoke`. */
const followsToken = new Set(
  'callback current info introspect list login logout me new refresh revoke status validate verify'.split(' '),
)

/** What follows `token` in a path is one; `;name=value` is a pair. */
function redactedPath(path: string, of: Class, pseudonyms: Pseudonyms): string {
  let before = ''
  return path
    .split(/([/;])/)
    .map((part, at) => {
      if (at % 2 === 1 || part === '') return part
      const isSecret = classOf(before) === 'secret' && !followsToken.has(part)
      before = part
      if (part.includes('=')) return joined(redactPairs(part, pseudonyms, of))
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

export interface Pair {
  name: string
  value: string
  /** The raw text between two `&`. */
  text: string
}

/** `a=b&c=d`, from a query or a form. */
export function redactPairs(text: string, pseudonyms: Pseudonyms, of: Class = null): Pair[] {
  return text.split('&').map((pair) => {
    const [, rawName = '', rawValue] = /^([^=]*)(?:=(.*))?$/s.exec(pair) ?? []
    const [name, value] = [decodedPart(rawName, true), decodedPart(rawValue ?? '', true)]
    if (name === null || value === null) return { name: hidden, value: '', text: hidden }
    const shownName = redactName(name, pseudonyms)
    const shownValue = redactText(value, classOf(name, '?') ?? of, pseudonyms)
    const encodedName = shownName === name ? rawName : encodeURIComponent(shownName)
    const encodedValue = shownValue === value ? rawValue : encodeURIComponent(shownValue)
    const redacted = rawValue === undefined ? encodedName : `${encodedName}=${encodedValue}`
    return { name: shownName, value: shownValue, text: redacted }
  })
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
