/** Looking into values of which nothing is known yet. */
import { JsonNumber } from './json.js'

export type Fields = Record<string, unknown>

/** An object with names, as JSON has them: no list, and no number that kept its text. */
export const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof JsonNumber)

/** Its fields; none where it has none. */
export const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {})

/** What stands there in an object or a list. */
export const stepInto = (value: unknown, key: PropertyKey): unknown =>
  value !== null && typeof value === 'object' ? Reflect.get(value, key) : undefined

/** The word by which a runtime calls an error: `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const code = stepInto(error, 'code')
  return typeof code === 'string' ? code : undefined
}
