/** Schemas in strict form: an unknown field is an error. */
import * as z from 'zod'

type Def = {
  type: string
  shape?: Record<string, z.ZodType>
  catchall?: z.ZodType
  element?: z.ZodType
  innerType?: z.ZodType
  options?: z.ZodType[]
  items?: z.ZodType[]
  rest?: z.ZodType | null
}

/** Makes a schema strict at every depth, except objects that allow any field. */
export function strictly(schema: z.ZodType): z.ZodType {
  const def = schema.def as unknown as Def
  if (def.type === 'object') {
    const shape = Object.fromEntries(Object.entries(def.shape ?? {}).map(([key, type]) => [key, strictly(type)]))
    return def.catchall === undefined ? z.strictObject(shape) : z.looseObject(shape)
  }
  if (def.type === 'array' && def.element !== undefined) return z.array(strictly(def.element))
  if (def.type === 'optional' && def.innerType !== undefined) return strictly(def.innerType).optional()
  if (def.type === 'nullable' && def.innerType !== undefined) return strictly(def.innerType).nullable()
  if (def.type === 'union' && def.options !== undefined) return z.union(def.options.map(strictly))
  if (def.type === 'tuple' && def.items !== undefined)
    return z.tuple(def.items.map(strictly) as [z.ZodType], def.rest == null ? z.never() : strictly(def.rest))
  return schema
}
