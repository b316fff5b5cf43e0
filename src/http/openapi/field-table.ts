/** A schema as a table of fields for a page: name, type, meaning, and whether the platform documents it. */
import { code, markdownTable } from '../../base/markdown.js'
import { joinWords } from '../../base/text.js'
import { chainNames, currencyNames, networkLabels, networkNames } from '../../protocol/platform/currencies.js'
import type { Schema } from './types.js'

interface FieldRow {
  name: string
  isRequired: boolean
  /** Alternatives: `string`, `null`, a fixed value. */
  types: readonly string[]
  meaning: string
  source: string
}

/** `isAssumed`: an outer shape is already assumed, so every field in it is. */
interface Place {
  name: string
  isRequired: boolean
  isAssumed: boolean
}

export const requestTable = (schema: Schema, below = ''): string => tableOf(schema, below, true)
export const responseTable = (schema: Schema): string => tableOf(schema, '', false)

/** `below`: only the fields of that object. */
function tableOf(schema: Schema, below: string, isRequest: boolean): string {
  const rows = mergeByName(fieldsIn(schema, { name: '', isRequired: true, isAssumed: schema['x-assumed'] === true }))
  const nestedRows = rows.filter(({ name }) => name.startsWith(below) && name !== below)
  return markdownTable(
    ['Field', 'Type', ...(isRequest ? ['Required'] : []), 'Meaning', 'Source'],
    nestedRows.map(({ name, isRequired, types, meaning, source }) => [
      code(name),
      alternatives(types) + (isRequest || isRequired ? '' : ', optional'),
      ...(isRequest ? [isRequired ? 'yes' : 'no'] : []),
      meaning,
      source,
    ]),
  )
}

/** The fields of an object, of the items of a list, and of each variant. */
function fieldsIn(schema: Schema, place: Place): FieldRow[] {
  const isAssumed = place.isAssumed || schema['x-assumed'] === true
  const inner = { ...place, isAssumed }
  const nestedRows = Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = place.name === '' ? key : `${place.name}.${key}`
    const at = { name, isRequired: schema.required?.includes(key) === true, isAssumed }
    return [rowOf(field, at), ...fieldsIn(field, at)]
  })
  const items = schema.items === undefined ? [] : fieldsIn(schema.items, { ...inner, name: `${place.name}[]` })
  return [...nestedRows, ...variantsOf(schema).flatMap((variant) => fieldsIn(variant, inner)), ...items]
}

const variantsOf = ({ anyOf = [], oneOf = [] }: Schema): readonly Schema[] => [...anyOf, ...oneOf]

const rowOf = (schema: Schema, { name, isRequired, isAssumed }: Place): FieldRow => ({
  name,
  isRequired,
  types: typesOf(schema),
  meaning: schema.description ?? '',
  source: sourceOf(schema, isAssumed),
})

function sourceOf({ 'x-assumed': mark, 'x-assumed-choice': choice }: Schema, isAssumed: boolean): string {
  if (isAssumed) return 'assumed'
  if (mark !== true) return 'documented'
  return choice === undefined ? 'assumed' : `documented; assumed: ${choice}`
}

/** Merges fields of the same name in several variants into one row with all types. */
function mergeByName(rows: readonly FieldRow[]): FieldRow[] {
  const byName = new Map<string, FieldRow>()
  for (const row of rows) {
    const before = byName.get(row.name)
    byName.set(row.name, before === undefined ? row : bothOf(before, row))
  }
  return [...byName.values()]
}

const bothOf = (one: FieldRow, other: FieldRow): FieldRow => ({
  ...one,
  isRequired: one.isRequired && other.isRequired,
  types: [...one.types, ...other.types],
})

/** Lists of values that the page shows once, in sections of their own. */
const sharedValueLists = [
  { text: 'currency', values: currencyNames },
  { text: 'chain', values: chainNames },
  { text: 'network', values: networkNames },
  { text: 'network label', values: networkLabels },
]

function typesOf(schema: Schema): string[] {
  const variants = variantsOf(schema)
  if (variants.length > 0) return variants.flatMap(typesOf)
  if (schema.const !== undefined) return [code(String(schema.const))]
  const values = schema.enum?.map(String)
  if (values !== undefined) {
    const list = sharedValueLists.find((one) => one.values.join() === values.join())
    return list === undefined ? values.map(code) : [list.text]
  }
  if (schema.items !== undefined) return [`array of ${alternatives(typesOf(schema.items))}${boundsOf(schema)}`]
  return [schema.type ?? 'any']
    .flat()
    .map((type) => `${type === 'string' ? stringType(schema) : type}${boundsOf(schema)}`)
}

function stringType({ format, pattern }: Schema): string {
  if (format === 'date-time') return pattern === 'Z$' ? 'ISO 8601 time in UTC' : 'ISO 8601 time with offset'
  if (format !== undefined) return `string (${format})`
  return pattern === '^-?\\d+(\\.\\d+)?$' ? 'decimal string' : 'string'
}

function boundsOf({ maxLength, minimum, maximum, maxItems }: Schema): string {
  const range = minimum === undefined || maximum === undefined ? [] : [`${minimum} to ${maximum}`]
  const length = maxLength === undefined ? [] : [`at most ${maxLength} characters`]
  const items = maxItems === undefined ? [] : [`at most ${maxItems}`]
  return [...range, ...length, ...items].map((bound) => `, ${bound}`).join('')
}

const alternatives = (types: readonly string[]): string => joinWords([...new Set(types)], 'or')
