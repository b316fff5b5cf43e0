/** Schemas as tables of fields for a page: name, type, meaning, and what of it is assumed. */
import { code, codes, markdownTable } from '../../src/base/markdown.js'
import { joinWords } from '../../src/base/text.js'
import type { Schema } from '../../src/http/openapi/types.js'
import { chainNames, currencyNames, networkLabels, networkNames } from '../../src/protocol/platform/currencies.js'
import { cashoutFailureCodes } from '../../src/protocol/platform/failures.js'

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

/** A field that several responses and events have in common. Amounts are numbers in responses and strings in events. */
interface Common {
  type: string
  meaning: string
  note: string
}

const isAmount = (type: string) => type === 'number' || type === 'decimal string'
const commonType = ({ types }: FieldRow) => alternatives(types.map((type) => (isAmount(type) ? 'amount' : type)))
/** `items[].payer.name` as `payer.name`. */
const nameInItem = (name: string) => name.replace(/^\w+\[\]\./, '')

/** Returns the fields that several of the schemas have, each with its most frequent meaning. */
export function commonFields(schemas: readonly Schema[]): Map<string, Common> {
  const found = new Map<string, { name: string; type: string; meaning: string; notes: string[] }>()
  for (const rows of schemas.map(rowsOf))
    for (const row of rows.filter((one) => !isFixed(one))) {
      const [name, type] = [nameInItem(row.name), commonType(row)]
      const key = JSON.stringify([name, type, row.meaning])
      const entry = found.get(key) ?? { name, type, meaning: row.meaning, notes: [] }
      entry.notes.push(areAssumed(rows) ? anyNote : noteOf(row))
      found.set(key, entry)
    }
  const shared = [...found.values()]
    .filter(({ notes }) => notes.length > 1)
    .sort((one, other) => other.notes.length - one.notes.length)
  const byName = new Map<string, Common>()
  for (const { name, type, meaning, notes } of shared)
    if (!byName.has(name))
      byName.set(name, { type, meaning, note: mostFrequent(notes.filter((note) => note !== anyNote)) })
  return new Map([...byName].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** A field with one value, such as the status of an event, says something about its place only. */
const isFixed = ({ types }: FieldRow) => types.length === 1 && types[0]?.startsWith('`') === true

/** In a schema that is assumed as a whole, no field has a note of its own. */
const anyNote = 'any'

const mostFrequent = (notes: readonly string[]): string =>
  notes.reduce((best, note) => {
    const count = (one: string) => notes.filter((other) => other === one).length
    return count(note) > count(best) ? note : best
  }, notes[0] ?? '')

export const commonTable = (common: ReadonlyMap<string, Common>): string =>
  markdownTable(
    ['Field', 'Type', 'Meaning'],
    [...common].map(([name, { type, meaning, note }]) => [code(name), type, meaning + note]),
  )

/** The fields of a response or event: common ones by name, then a table of its own. */
export function sharedResponse(schema: Schema, common: ReadonlyMap<string, Common>): string {
  const rows = rowsOf(schema)
  const isCommon = (row: FieldRow) => {
    const found = common.get(nameInItem(row.name))
    if (found === undefined || found.type !== commonType(row) || found.meaning !== row.meaning) return false
    return areAssumed(rows) || found.note === noteOf(row)
  }
  const own = rows.filter((row) => !isCommon(row))
  const names = rows.filter(isCommon).map(({ name, isRequired }) => name + (isRequired ? '' : '?'))
  const table = markdownTable(
    ['Field', 'Type', 'Meaning'],
    [
      ...commonRows(names),
      ...own.map((row) => [
        code(row.name),
        alternatives(row.types) + optional(row),
        areAssumed(rows) ? row.meaning : row.meaning + noteOf(row),
      ]),
    ],
  )
  return areAssumed(rows) ? `Response, which the platform does not document:\n\n${table}` : table
}

/** One row for the common fields, and one for those of each list. */
function commonRows(names: readonly string[]): string[][] {
  const lists = new Map<string, string[]>()
  for (const name of names) {
    const list = /^\w+\[\](?=\.)/.exec(name)?.[0] ?? ''
    lists.set(list, [...(lists.get(list) ?? []), nameInItem(name)])
  }
  const link = '[common fields](#section-2-5)'
  return [...lists].map(([list, found]) => [list === '' ? link : `${link} of ${code(list)}`, '', codes(found)])
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
