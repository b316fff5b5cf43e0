/** Calls the route of a tool, whose input is one object with the parameters of path, query and body. How a call reaches the sandbox is a port: over HTTP from a command, or inside the process. */
import * as z from 'zod'
import type { ControlRow } from '../../../inside/control.js'
import { type EndpointName, endpoints } from '../../../inside/platform.js'
import { didYouMean, fieldsIn, mapRows, nearest, tableOf } from '../../../inside/values.js'
import type { ToolRow } from './tools.js'

export type Arguments = Record<string, unknown>

export interface Caller {
  /** Calls the control API; `path` begins below `/_sandbox`. A body with a media type is text. */
  control(
    method: string,
    path: string,
    body?: unknown,
    options?: { query?: Record<string, string>; contentType?: string },
  ): Promise<unknown>
  /** Calls the platform API with a token and, if required, a signature; resolves to `data`. */
  platform(name: EndpointName, request: Arguments): Promise<unknown>
  /** How an agent sees an error of a call; undefined if the error is a fault of this program. */
  explain(error: unknown): unknown
}

export interface Tool extends Pick<ToolRow, 'description' | 'example' | 'isDefault'> {
  input: () => ObjectSchema
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint?: boolean }
  call: (caller: Caller, input: Arguments) => Promise<unknown>
}

/** A rejection as the sandbox reported it, so that an agent can correct its call. */
export const rejection = (code: unknown, message: unknown, details: unknown) => ({ code, message, details })

export const callTool = (caller: Caller, { calls }: ToolRow, input: Arguments): Promise<unknown> =>
  typeof calls === 'string' ? caller.platform(calls, input) : callControl(caller, calls, input)

function callControl(caller: Caller, row: ControlRow, input: Arguments): Promise<unknown> {
  const rest = { ...input }
  const path = pathNames(row).reduce((text, name) => {
    if (typeof rest[name] !== 'string' || rest[name] === '')
      throw new ToolMistake(`${name} is required and must be a string`)
    const value = encodeURIComponent(rest[name])
    delete rest[name]
    return text.replace(`{${name}}`, value)
  }, row.path)
  const query: Record<string, string> = {}
  for (const name of Object.keys(row.query?.().shape ?? {})) {
    if (rest[name] !== undefined) query[name] = String(rest[name])
    delete rest[name]
  }
  return caller.control(row.method, path, row.method === 'GET' ? undefined : rest, { query })
}

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
function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $defs = {}, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  // zod returns JSON Schema.
  return inlineRefs(rest, $defs) as JsonSchema
}

function inlineRefs(node: unknown, definitions: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((one) => inlineRefs(one, definitions))
  if (typeof node !== 'object' || node === null) return node
  const { $ref, ...rest } = fieldsIn(node)
  const target = typeof $ref === 'string' ? definitions[$ref.slice('#/$defs/'.length)] : undefined
  const resolved = mapRows(rest, (value) => inlineRefs(value, definitions))
  return target === undefined ? resolved : { ...fieldsIn(inlineRefs(target, definitions)), ...resolved }
}

export const inputOf = ({ calls }: ToolRow): ObjectSchema =>
  mergeSchemas(typeof calls === 'string' ? [jsonSchemaOf(endpoints[calls].request())] : schemasOfRow(calls))

const pathNames = (row: ControlRow): string[] => [...row.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name)

function schemasOfRow(row: ControlRow): JsonSchema[] {
  const names = pathNames(row)
  const path = { properties: Object.fromEntries(names.map((one) => [one, { type: 'string' }])), required: names }
  return [path, ...[row.query, row.body].flatMap((schema) => (schema === undefined ? [] : [jsonSchemaOf(schema())]))]
}

/** Merges the properties of all variants; those that every variant requires are required. */
function mergeSchemas(parts: readonly JsonSchema[]): ObjectSchema {
  const flat = parts.map(mergeVariants)
  return {
    type: 'object',
    properties: Object.assign({}, ...flat.map((part) => part.properties)),
    required: flat.flatMap((part) => part.required),
  }
}

function mergeVariants(schema: JsonSchema): { properties: Record<string, object>; required: string[] } {
  const variants = schema.oneOf ?? schema.anyOf
  if (variants === undefined) return { properties: schema.properties ?? {}, required: schema.required ?? [] }
  const all = variants.map(mergeVariants)
  const names = [...new Set(all.flatMap((one) => Object.keys(one.properties)))]
  const properties = tableOf(names, (name) => either(all.flatMap((one) => one.properties[name] ?? [])))
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

/** A tool was called wrongly; the message tells the agent how to call it. */
export class ToolMistake extends Error {}

export function requireKnownArguments(
  tool: string,
  { properties }: ObjectSchema,
  input: Record<string, unknown>,
): void {
  const known = Object.keys(properties)
  const extra = Object.keys(input).find((name) => !known.includes(name))
  if (extra === undefined) return
  const takes = known.length === 0 ? 'it has no arguments' : `use one of ${known.join(', ')}`
  throw new ToolMistake(`${extra} is not an argument of ${tool}${didYouMean(nearest(extra, known))}; ${takes}`)
}
