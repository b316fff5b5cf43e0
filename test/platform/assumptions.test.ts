/** Every assumption is marked: compares each field, limit, format, value and null of our schemas with the documented interface (decision 36). */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { jsonSchema, type Schema } from '../../src/http/openapi/json-schema.js'
import { requestSchemaName, responseSchemaName } from '../../src/http/openapi/paths.js'
import { type Endpoint, endpointNames, endpoints } from '../../src/protocol/platform/endpoints.js'
import { eventNames, eventTable } from '../../src/protocol/platform/events.js'
import { documented } from '../support/interface.js'

const schemas: [name: string, schema: Schema][] = [
  ...endpointNames.flatMap((name): [string, Schema][] => {
    const { request, response, input }: Endpoint = endpoints[name]
    const [asked, answered] = [requestSchemaName(name), responseSchemaName(name)]
    return [
      ...(input === 'none' ? [] : [[asked, jsonSchema(request(), 'input', asked)] as [string, Schema]]),
      [answered, jsonSchema(response(), 'output', answered)],
    ]
  }),
  ...eventNames.map((event): [string, Schema] => [event, jsonSchema(eventTable[event].data(), 'output', event)]),
]

/** The rules of a schema beyond its JSON type. */
function rulesOf(schema: Schema): string[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, format, pattern } = schema
  const bounds = Object.entries({ minLength, maxLength, minimum, maximum, minItems, maxItems, format })
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  return [
    ...bounds.flatMap(([rule, value]) => (value === undefined ? [] : [`${rule}:${value}`])),
    ...(pattern === undefined ? [] : [pattern === '^-?\\d+(\\.\\d+)?$' ? 'decimal' : `pattern:${pattern}`]),
    ...(values === undefined ? [] : [`values:${values.join('|')}`]),
    ...(isNullable(schema) ? ['null'] : []),
    ...('default' in schema ? ['default'] : []),
  ]
}

const isNullable = ({ type, anyOf = [] }: Schema) =>
  [type].flat().includes('null') || anyOf.some((choice) => choice.type === 'null')

const known = (allowed: string, rule: string) =>
  allowed.split(' ').some((one) => one === rule || (one.startsWith('values:') && sameValues(one, rule)))
const sameValues = (one: string, other: string) => sorted(one) === sorted(other)
const sorted = (rule: string) =>
  rule
    .replace(/^values:/, '')
    .split('|')
    .sort()
    .join('|')

interface Found {
  path: string
  wrong: string
}

/** Returns the undocumented fields and rules that are not marked as assumed. */
function unmarked(name: string, schema: Schema, path = ''): Found[] {
  if (schema['x-assumed'] === true) return []
  const field = documented[name]?.[path]
  const own: Found[] =
    path === ''
      ? []
      : field === undefined
        ? [{ path, wrong: 'is not documented' }]
        : rulesOf(schema).flatMap((rule) => (known(field, rule) ? [] : [{ path, wrong: rule }]))
  const below = Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    unmarked(name, inner, path === '' ? key : `${path}.${key}`),
  )
  // The alternatives of a field and the items of a list count as the field itself.
  const choices = (schema.anyOf ?? []).filter((one) => one.type !== 'null').flatMap((one) => unmarked(name, one, path))
  const items = schema.items === undefined ? [] : unmarked(name, schema.items, `${path}[]`)
  return [...own, ...below, ...choices, ...items]
}

/** Returns all fields by path, marked or not. */
function pathsOf(schema: Schema, path = ''): [string, Schema][] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    pathsOf(inner, path === '' ? key : `${path}.${key}`),
  )
  const choices = (schema.anyOf ?? []).filter((one) => one['x-assumed'] !== true)
  return [[path, schema], ...below, ...choices.flatMap((one) => pathsOf(one, path))]
}

describe.each(schemas)('%s', (name, schema) => {
  test('marks everything that the interface does not show', () => {
    expect(unmarked(name, schema)).toEqual([])
  })

  test('has every field of the interface', () => {
    const fields = new Set(pathsOf(schema).map(([path]) => path))
    expect(Object.keys(documented[name] ?? {}).filter((path) => !fields.has(path))).toEqual([])
  })

  test('says which parts of each documented field are assumed, and marks no fully documented field', () => {
    for (const [path, field] of pathsOf(schema)) {
      const allowed = documented[name]?.[path]
      if (allowed === undefined || field['x-assumed'] !== true) continue
      expect(field['x-assumed-choice'], path).toEqual(expect.any(String))
    }
  })
})

test('the page about the platform API names the assumed part of each documented field', () => {
  const page = readFileSync('docs/interface.md', 'utf8')
  const choices = schemas.flatMap(([, schema]) => pathsOf(schema).map(([, field]) => field['x-assumed-choice'] ?? ''))
  expect(new Set(choices).size).toBeGreaterThan(10)
  for (const choice of new Set(choices)) expect(page).toContain(choice.replaceAll('|', '\\|'))
})
