/** Generates JSON text from a JSON Schema, with some wrong values. */
import type { Schema } from '../../../src/http/openapi/json-schema.js'
import { oneOf } from '../chance.js'
import { hostileJson, rightJson } from './hostile.js'

export interface Shape {
  schema: Schema & { $defs?: Record<string, Schema> }
  chance: () => number
  /** Ids of existing objects. */
  ids: readonly string[]
  /** The share of values that are wrong. */
  wrong: number
}

export const jsonOf = (shape: Shape): string => value(shape, shape.schema, '', 0)

function value(shape: Shape, given: Schema, field: string, depth: number): string {
  const { chance, wrong } = shape
  if (chance() < wrong || depth > 6) return oneOf(chance, hostileJson)
  const right = rightJson[field]
  if (right !== undefined && chance() < 0.9) return oneOf(chance, right)
  const schema = resolved(shape, given)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return value(shape, choices[Math.floor(chance() * choices.length)] ?? {}, field, depth + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return JSON.stringify(schema.enum[Math.floor(chance() * schema.enum.length)])
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  return (kinds[type ?? (schema.properties === undefined ? 'string' : 'object')] ?? text)(shape, schema, field, depth)
}

function resolved({ schema }: Shape, one: Schema): Schema {
  const name = one.$ref?.split('/').at(-1)
  if (one.$ref === '#') return schema
  return name === undefined ? one : (schema.$defs?.[name] ?? {})
}

type Kind = (shape: Shape, schema: Schema, field: string, depth: number) => string

const text: Kind = ({ chance, ids }, { examples, maxLength = 40 }, field) => {
  const example = examples?.[Math.floor(chance() * (examples?.length ?? 0))]
  if (example !== undefined) return JSON.stringify(example)
  if (/id$/.test(field) && chance() < 0.8 && ids.length > 0)
    return JSON.stringify(ids[Math.floor(chance() * ids.length)])
  return JSON.stringify('x'.repeat(Math.min(maxLength, Math.ceil(chance() * 12))))
}

const number: Kind = ({ chance }, { minimum = 0, maximum = 100, type }) => {
  const found = minimum + chance() * (maximum - minimum)
  return String(type === 'integer' ? Math.round(found) : Math.round(found * 100) / 100)
}

const kinds: Record<string, Kind> = {
  string: text,
  number,
  integer: number,
  boolean: ({ chance }) => String(chance() < 0.5),
  null: () => 'null',
  array: (shape, { items = {} }, field, depth) =>
    `[${Array.from({ length: Math.floor(shape.chance() * 4) }, () => value(shape, items, field, depth + 1)).join(',')}]`,
  object(shape, { properties = {}, required = [], additionalProperties }, _field, depth) {
    const { chance, wrong } = shape
    const all = Object.keys(properties)
    // An object with many optional fields is a choice, such as the steps of scenarios.
    const isChoice = all.length > 15 && required.length === 0 && chance() > wrong
    const names = isChoice
      ? [all[Math.floor(chance() * all.length)] ?? '']
      : all.filter((name) => (required.includes(name) ? chance() > wrong : chance() < 0.4))
    const pairs = names.map(
      (name) => `${JSON.stringify(name)}:${value(shape, properties[name] ?? {}, name, depth + 1)}`,
    )
    if (typeof additionalProperties === 'object')
      for (const name of ['a', 'BRL', 'delay'])
        if (chance() < 0.4) pairs.push(`${JSON.stringify(name)}:${value(shape, additionalProperties, name, depth + 1)}`)
    if (chance() < wrong) pairs.push(`"zzz":${oneOf(chance, hostileJson)}`)
    return `{${pairs.join(',')}}`
  },
}
