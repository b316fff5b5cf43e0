/** Redacts JSON field by field; numbers and the order of fields stay. */
import { JsonNumber, parseJson } from '../../base/json.js'
import { isJsonObject } from '../../base/unknown.js'
import { hidden, type Pseudonyms } from '../core/pseudonyms.js'
import { type Class, redactName, redactText, sensitivityOf } from './values.js'

interface Place {
  name: string
  of: Class
}

/** Shorter numbers are amounts and counts. */
const shortestNumber = 8

/** Throws `JsonError` if the text is invalid. */
export function redactJson(text: string, pseudonyms: Pseudonyms): string {
  return print(parseJson(text), { name: '', of: null }, pseudonyms)
}

function print(item: unknown, place: Place, pseudonyms: Pseudonyms): string {
  if (item === null || typeof item === 'boolean') return String(item)
  if (typeof item === 'string') return JSON.stringify(redactText(item, place.of, pseudonyms))
  if (place.of === 'secret') return JSON.stringify(hidden)
  if (item instanceof JsonNumber) return redactedNumber(item.text, place.of, pseudonyms)
  if (Array.isArray(item)) return `[${item.map((one) => print(one, place, pseudonyms)).join(',')}]`
  if (!isJsonObject(item)) return 'null'
  return `{${Object.entries(item)
    .map(([name, one]) => printField(name, one, place, pseudonyms))
    .join(',')}}`
}

function printField(name: string, item: unknown, parent: Place, pseudonyms: Pseudonyms): string {
  const known = sensitivityOf(name, parent.name)
  const redacted = redactName(name, pseudonyms)
  // An undocumented field within a person's object is personal.
  const of = known ?? (parent.of === 'personal' ? 'personal' : null)
  return `${JSON.stringify(redacted)}:${print(item, { name, of }, pseudonyms)}`
}

function redactedNumber(text: string, of: Class, pseudonyms: Pseudonyms): string {
  if (of === 'personal') return /^\d+$/.test(text) ? pseudonyms.of(text) : JSON.stringify(hidden)
  const known = of === 'plain' || text.length < shortestNumber ? null : pseudonyms.known(text)
  return known === null || /^\d+$/.test(known) ? (known ?? text) : JSON.stringify(known)
}
