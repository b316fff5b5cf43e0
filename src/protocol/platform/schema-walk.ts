/** Walks through zod schemas: unwraps `optional` and `nullable`, and finds fields and items. */

import * as z from 'zod'
import { rowAt } from '../../base/keys.js'

/** zod's declarations of `shape`, `element` and `unwrap` are less precise than their values. */
const known = (type: unknown): z.ZodType | undefined => (type instanceof z.ZodType ? type : undefined)

/** The type inside one wrapper; undefined if there is none. */
export const innerTypeOf = (type: z.ZodType): z.ZodType | undefined =>
  type instanceof z.ZodOptional || type instanceof z.ZodNullable ? known(type.unwrap()) : undefined

/** The type without any wrappers. */
export function unwrapType(type: z.ZodType): z.ZodType {
  const inner = innerTypeOf(type)
  return inner === undefined ? type : unwrapType(inner)
}

/** What a preprocessed value is parsed by. */
const parsedBy = (type: z.ZodType): z.ZodType =>
  type instanceof z.ZodPipe && type.in instanceof z.ZodTransform ? (known(type.out) ?? type) : type

/** The type of a field, or of the items of a list. */
export function typeIn(type: z.ZodType, key: PropertyKey): z.ZodType | undefined {
  const outer = parsedBy(unwrapType(type))
  if (outer instanceof z.ZodObject) return known(rowAt(outer.shape, String(key)))
  return outer instanceof z.ZodArray ? known(outer.element) : undefined
}

export const typeAt = (type: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined =>
  path.reduce<z.ZodType | undefined>((at, key) => (at === undefined ? undefined : typeIn(at, key)), type)

/** The possible fields of the object at that path. */
export function fieldsAt(type: z.ZodType, path: readonly PropertyKey[]): string[] {
  const found = typeAt(type, path)
  const at = found === undefined ? undefined : parsedBy(unwrapType(found))
  const options = at instanceof z.ZodUnion ? at.options : [at]
  return options.flatMap((option) => (option instanceof z.ZodObject ? Object.keys(option.shape) : []))
}
