/** Walks through a schema: what stands behind `optional` and `nullable`, and in a field or an item. */
import * as z from 'zod'

/** zod's own declarations say less than what `shape`, `element` and `unwrap` hold. */
const known = (type: unknown): z.ZodType | undefined => (type instanceof z.ZodType ? type : undefined)

/** What one wrapper holds; undefined where there is none. */
export const unwrapped = (type: z.ZodType): z.ZodType | undefined =>
  type instanceof z.ZodOptional || type instanceof z.ZodNullable ? known(type.unwrap()) : undefined

/** Without all of its wrappers. */
export function bareOf(type: z.ZodType): z.ZodType {
  const inner = unwrapped(type)
  return inner === undefined ? type : bareOf(inner)
}

/** Of a field, or of the items of a list. */
export function typeIn(type: z.ZodType, key: PropertyKey): z.ZodType | undefined {
  const outer = bareOf(type)
  if (outer instanceof z.ZodObject) return known(outer.shape[String(key)])
  return outer instanceof z.ZodArray ? known(outer.element) : undefined
}

export const typeAt = (type: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined =>
  path.reduce<z.ZodType | undefined>((at, key) => (at === undefined ? undefined : typeIn(at, key)), type)

/** The fields that an object at that place may have. */
export function fieldsAt(type: z.ZodType, path: readonly PropertyKey[]): string[] {
  const found = typeAt(type, path)
  const at = found === undefined ? undefined : bareOf(found)
  const options = at instanceof z.ZodUnion ? at.options : [at]
  return options.flatMap((option) => (option instanceof z.ZodObject ? Object.keys(option.shape) : []))
}
