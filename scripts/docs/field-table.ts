/** Schemas as tables of fields for a page: name, type, meaning, and what of it is assumed. */

import { joinWords } from '../../src/base/text.js'
import type { Schema } from '../../src/http/openapi/json-schema.js'
import { chainNames, currencyNames, networkLabels, networkNames } from '../../src/protocol/platform/currencies.js'
import { cashoutFailureCodes } from '../../src/protocol/platform/failures.js'
import { code, codes, markdownTable } from './markdown.js'

interface FieldRow {
  name: string
  isRequired: boolean
  /** Alternatives: `string`, `null`, a fixed value. */
  types: readonly string[]
  meaning: string
  isAssumed: boolean
  /** The assumed part of a documented field. */
  choice: string
}

/** `isAssumed`: an outer shape is already assumed, so every field in it is. */
interface Place {
  name: string
  isRequired: boolean
  isAssumed: boolean
}

/** The fields of a request. `below`: only the fields of that object; `except`: without the fields of these objects. */
export function requestTable(schema: Schema, { below = '', except = [] }: { below?: string; except?: string[] } = {}) {
  const rows = rowsOf(schema).filter(
    ({ name }) =>
      name.startsWith(below) && name !== below && !except.some((one) => name !== one && name.startsWith(one)),
  )
  return tableOf(rows, ({ isRequired }) => (isRequired ? ', required' : ''))
}

/** The fields of a response or event in full. */
export const responseTable = (schema: Schema): string => tableOf(rowsOf(schema), optional)

const optional = ({ isRequired }: FieldRow) => (isRequired ? '' : ', optional')
const rowsOf = (schema: Schema) =>
  mergeByName(fieldsIn(schema, { name: '', isRequired: true, isAssumed: schema['x-assumed'] === true }))
const areAssumed = (rows: readonly FieldRow[]) => rows.every(({ isAssumed }) => isAssumed)

function tableOf(rows: readonly FieldRow[], suffix: (row: FieldRow) => string): string {
  const table = markdownTable(
    ['Field', 'Type', 'Meaning'],
    rows.map((row) => [
      code(row.name),
      alternatives(row.types) + suffix(row),
      areAssumed(rows) ? row.meaning : row.meaning + noteOf(row),
    ]),
  )
  return areAssumed(rows) ? `The platform documents none of these fields.\n\n${table}` : table
}

const noteOf = ({ isAssumed, choice }: FieldRow): string =>
  isAssumed ? ' (assumed)' : choice === '' ? '' : ` *Assumed: ${choice}.*`

const isAmount = (type: string) => type === 'number' || type === 'decimal string'
/** Amounts are numbers in responses and decimal strings in events. */
const sharedType = (type: string) => (isAmount(type) ? 'amount' : type)
/** `items[].payer.name` as `payer.name`, and `replies[].files[].name` as `files[].name`. */
const nameInItem = (name: string) => name.replace(/^(?!files)\w+\[\]\./, '')

/** An assumption about every time, which the page states once. */
const utcChoice = 'UTC, ending in Z'

/** One table of the fields of all the schemas: a row for each name, with all its meanings. `except`: without these names. */
export function glossary(schemas: readonly Schema[], except: ReadonlySet<string>): string {
  const found = new Map<string, { types: Set<string>; meanings: Set<string>; notes: Set<string> }>()
  for (const rows of schemas.map(rowsOf))
    for (const { name: path, types, meaning, isAssumed, choice } of rows) {
      const name = nameInItem(path)
      if (except.has(name)) continue
      const entry = found.get(name) ?? { types: new Set(), meanings: new Set(), notes: new Set() }
      for (const type of types) entry.types.add(sharedType(type))
      entry.meanings.add(meaning)
      if (!isAssumed && choice !== '' && choice !== utcChoice) entry.notes.add(choice)
      found.set(name, entry)
    }
  const rows = [...found].sort(([one], [other]) => (one < other ? -1 : 1))
  const table = markdownTable(
    ['Field', 'Type', 'Meaning'],
    rows.map(([name, { types, meanings, notes }]) => [
      code(name),
      alternatives([...types]),
      [[...meanings].join(' Or: '), ...[...notes].map((note) => `*Assumed: ${note}.*`)].join(' '),
    ]),
  )
  return `Where events have a time without an offset, it is assumed: ${utcChoice}.\n\n${table}`
}

/** An example of a body, the names of its assumed fields, and those of the fields that the example lacks. */
export function exampleWithNames(schema: Schema, example: unknown): string {
  const rows = rowsOf(schema)
  const text = JSON.stringify(example, null, 2)
  const isShown = ({ name }: FieldRow) => text.includes(`"${name.replace(/^.*[.\]]/, '')}":`)
  const names = (list: readonly FieldRow[]) => codes([...new Set(list.map(({ name }) => nameInItem(name)))])
  const others = rows.filter((row) => !isShown(row))
  const assumed = areAssumed(rows) ? [] : rows.filter(({ isAssumed }) => isAssumed)
  return [
    `\`\`\`json\n${text}\n\`\`\``,
    ...(others.length === 0 ? [] : [`Other fields: ${names(others)}.`]),
    ...(assumed.length === 0 ? [] : [`Assumed fields: ${names(assumed)}.`]),
  ].join('\n\n')
}

/** The names of the fields of a schema. */
export const fieldNames = (schema: Schema): Set<string> => new Set(rowsOf(schema).map(({ name }) => name))

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
  isAssumed: isAssumed || (schema['x-assumed'] === true && schema['x-assumed-choice'] === undefined),
  choice: schema['x-assumed'] === true ? (schema['x-assumed-choice'] ?? '') : '',
})

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
  { text: 'failure code', values: cashoutFailureCodes },
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
  if (format === 'date-time') return pattern === 'Z$' ? 'time in UTC' : 'time with offset'
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
