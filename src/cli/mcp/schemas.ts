/** The input schema of a tool: one object with the parameters of path, query and body. */

import * as z from 'zod'
import { fieldsIn } from '../../base/unknown.js'
import type { ControlRow } from '../../protocol/control/route.js'
import { requestSchemaOf, rowOf, type ToolName } from './tools.js'

export interface ObjectSchema {
  [more: string]: unknown
  type: 'object'
  properties: Record<string, object>
  required: string[]
}

interface JsonSchema {
  properties?: Record<string, object>
  required?: string[]
  oneOf?: JsonSchema[]
  anyOf?: JsonSchema[]
}

/** Replaces each reference to a named schema by the schema itself. */
function jsonOf(schema: z.ZodType): JsonSchema {
  const { $defs = {}, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  // zod returns JSON Schema.
  return inlined(rest, $defs) as JsonSchema
}

function inlined(node: unknown, named: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((one) => inlined(one, named))
  if (typeof node !== 'object' || node === null) return node
  const { $ref, ...rest } = fieldsIn(node)
  const target = typeof $ref === 'string' ? named[$ref.slice('#/$defs/'.length)] : undefined
  const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, inlined(value, named)]))
  return target === undefined ? own : { ...fieldsIn(inlined(target, named)), ...own }
}

export function inputOf(name: ToolName): ObjectSchema {
  const row = rowOf(name)
  return merged('api' in row ? [jsonOf(requestSchemaOf(row.api))] : partsOf(row.control))
}

export const pathNames = (row: ControlRow): string[] =>
  [...row.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name)

function partsOf(row: ControlRow): JsonSchema[] {
  const names = pathNames(row)
  const path = { properties: Object.fromEntries(names.map((one) => [one, { type: 'string' }])), required: names }
  return [path, ...[row.query, row.body].flatMap((schema) => (schema === undefined ? [] : [jsonOf(schema())]))]
}

/** With variants, every property of any of them; those that all require are required. */
function merged(parts: readonly JsonSchema[]): ObjectSchema {
  const flat = parts.map(flattened)
  return {
    type: 'object',
    properties: Object.assign({}, ...flat.map((part) => part.properties)),
    required: flat.flatMap((part) => part.required),
  }
}

function flattened(schema: JsonSchema): { properties: Record<string, object>; required: string[] } {
  const variants = schema.oneOf ?? schema.anyOf
  if (variants === undefined) return { properties: schema.properties ?? {}, required: schema.required ?? [] }
  const all = variants.map(flattened)
  const names = [...new Set(all.flatMap((one) => Object.keys(one.properties)))]
  const properties = Object.fromEntries(
    names.map((name) => [name, either(all.flatMap((one) => one.properties[name] ?? []))]),
  )
  return { properties, required: names.filter((name) => all.every((one) => one.required.includes(name))) }
}

/** Turns constants into an enumeration and removes duplicate schemas. */
function either(schemas: readonly object[]): object {
  const texts = [...new Set(schemas.map((one) => JSON.stringify(one)))]
  const distinct = texts.map((text): { const?: unknown } => JSON.parse(text))
  if (distinct.length === 1) return distinct[0] ?? {}
  if (distinct.every((one) => one.const !== undefined)) return { enum: distinct.map((one) => one.const) }
  return { anyOf: distinct }
}
