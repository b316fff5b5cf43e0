/** Reads bodies that should be JSON objects, from anybody. */
import { JsonError, readJson } from './json.js'
import { type Fields, isJsonObject } from './unknown.js'

/** The fields of a text that should be a JSON object; null if it is anything else. `parseJson` keeps the text of numbers. */
export function fieldsOfJson(text: string, parse: (text: string) => unknown = readJson): Fields | null {
  try {
    const value = parse(text)
    return isJsonObject(value) ? value : null
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}
