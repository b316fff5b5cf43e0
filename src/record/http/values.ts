/** Redacts texts by the class of their field; addresses and pairs part by part. */
import { isSecretName, maskText } from '../../http/platform/mask.js'
import { hidden, type Pseudonyms } from '../core/pseudonyms.js'
import { classOf, type FieldClass, isDocumented, isOwnWord } from '../protocol/fields.js'

export type Class = FieldClass | null

const classes = new Map<string, Class>()
const mostClasses = 10_000

/** `parent` is the field that contains the field. */
export function sensitivityOf(name: string, parent = ''): Class {
  const place = `${parent}.${name}`
  const before = classes.get(place)
  if (before !== undefined) return before
  if (classes.size >= mostClasses) classes.clear()
  const found = isSecretName(name) ? 'secret' : classOf(name, parent)
  classes.set(place, found)
  return found
}

export function redactText(text: string, of: Class, pseudonyms: Pseudonyms): string {
  if (text === '') return text
  if (of === 'secret') {
    pseudonyms.learnSecret(text)
    return hidden
  }
  if (of !== 'personal' && isOwnWord(text)) return text
  const redacted = maskText(text)
  if (/^https?:\/\//i.test(redacted)) return redactedUrl(redacted, of, pseudonyms)
  if (of === 'personal') return pseudonyms.of(redacted)
  // Ids have many forms, but no space, no @, and no ending like that of a document.
  if (of === 'plain' && !/[@\s]|-\d\d$/.test(redacted)) return pseudonyms.known(redacted) ?? redacted
  return pseudonyms.within(redacted)
}

/** A field name can contain personal data too. */
export const redactName = (name: string, pseudonyms: Pseudonyms): string =>
  isDocumented(name) ? name : redactText(name, null, pseudonyms)

/** Scheme and host stay. The path of a personal address, such as a receiver's, can be a secret. */
function redactedUrl(url: string, of: Class, pseudonyms: Pseudonyms): string {
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

/** Path and query. */
export function redactedTarget(target: string, pseudonyms: Pseudonyms, of: Class = null): Target {
  const [, path = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(target) ?? []
  const segments = path.split(/([/#])/).map((part, at) => (at % 2 === 1 ? part : redactedPart(part, of, pseudonyms)))
  const redacted = segments.join('')
  if (query === undefined) return { text: redacted, pairs: [] }
  const pairs = redactPairs(query, pseudonyms, of)
  return { text: `${redacted}?${pairs.map(({ text }) => text).join('&')}`, pairs }
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
    const shownValue = redactText(value, sensitivityOf(name) ?? of, pseudonyms)
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
