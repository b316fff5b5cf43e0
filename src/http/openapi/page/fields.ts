/** A schema as table rows: name, type, meaning. */

import { type Html, html } from '../../html.js'
import type { Schema } from '../types.js'

/** Text in which `back-ticked` words become code. */
export function prose(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/** A label for facts that the platform does not document. */
export const assumedMark = html`<span class="assumed" title="Not documented by the platform: a choice of the sandbox">assumed</span>`

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null|-?\d[\d.eE+-]*)/g

/** Renders a value as indented JSON, with syntax highlighting. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2) ?? ''
  const parts: Html[] = []
  let end = 0
  for (const match of text.matchAll(token)) {
    const [all, quoted, colon] = match
    const kind = quoted === undefined ? 'word' : colon === undefined ? 'text' : 'key'
    parts.push(html`${text.slice(end, match.index)}<i class="${kind}">${quoted ?? all}</i>${colon ?? ''}`)
    end = match.index + all.length
  }
  return html`${parts}${text.slice(end)}`
}

interface Row {
  name: string
  schema: Schema
  required: boolean
}

/** `payer.name`, `split[].username`; the fields of all variants, one after another. */
function rowsOf(schema: Schema, prefix: string): Row[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([field, inner]) => [
    { name: prefix + field, schema: inner, required: required.includes(field) },
    ...nested(inner, prefix + field),
  ])
}

function nested(schema: Schema, name: string): Row[] {
  if (schema.properties !== undefined) return rowsOf(schema, `${name}.`)
  if (schema.items !== undefined) return nested(schema.items, `${name}[]`)
  const seen = new Set<string>()
  return alternativesOf(schema)
    .flatMap((choice) =>
      rowsOf(choice['x-assumed'] === true ? markFieldsAssumed(choice) : choice, `${name}.`).map((row) => ({
        ...row,
        required: false,
      })),
    )
    .filter((row) => !seen.has(row.name) && seen.add(row.name))
}

const alternativesOf = ({ anyOf = [], oneOf = [] }: Schema): readonly Schema[] => [...anyOf, ...oneOf]

/** Fields of an assumed object are assumed as well. */
const markFieldsAssumed = (schema: Schema): Schema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([field, inner]) => [field, { ...inner, 'x-assumed': true }]),
  ),
})

export function fieldTable(schema: Schema, caption: string, showRequired: boolean): Html | null {
  const rows = rowsOf(schema, '')
  if (rows.length === 0) return null
  return html`<div class="fields"><h4>${caption}${schema['x-assumed'] === true ? html` ${assumedMark}` : null}</h4><dl>
${rows.map(
  (row) => html`<div><dt><code>${row.name}</code> <span class="type">${typeOf(row.schema)}</span>${
    showRequired && row.required ? html` <span class="required">required</span>` : null
  }${row.schema['x-assumed'] === true ? html` ${assumedMark}` : null}</dt><dd>${prose(row.schema.description ?? '')}${rulesOf(row.schema)}${assumptionNote(row.schema)}</dd></div>
`,
)}</dl></div>`
}

function typeOf(schema: Schema): string {
  const choices = alternativesOf(schema)
  if (choices.length > 0) return [...new Set(choices.map(typeOf))].join(' or ')
  if (schema.$ref !== undefined) return 'object'
  const type = [schema.type ?? 'any'].flat().join(' or ')
  if ([schema.type].flat().includes('array')) return `${typeOf(schema.items ?? {})}[]`
  return schema.format === undefined ? type : `${type}, ${schema.format}`
}

function rulesOf(schema: Schema): Html | null {
  const rules: Html[] = []
  if (schema.enum !== undefined) rules.push(html`One of ${codes(schema.enum)}.`)
  if (schema.const !== undefined) rules.push(html`Always ${codes([schema.const])}.`)
  rules.push(...boundsOf(schema.minimum, schema.maximum))
  if (!isAssumed(schema, schema.maxLength, ' characters'))
    rules.push(...boundsOf(schema.minLength, schema.maxLength, ' characters'))
  if (!isAssumed(schema, schema.maxItems, ' items')) rules.push(...boundsOf(schema.minItems, schema.maxItems, ' items'))
  return rules.length === 0 ? null : html` <span class="rules">${rules.map((rule) => html`${rule} `)}</span>`
}

/** Whether the assumption already names the greatest length. */
const isAssumed = ({ 'x-assumed-choice': choice = '' }: Schema, most: number | undefined, unit: string): boolean =>
  choice.includes(`${most}${unit}`)

function boundsOf(least: number | undefined, most: number | undefined, unit = ''): Html[] {
  if (least !== undefined && most !== undefined) return [html`From ${least} to ${most}${unit}.`]
  if (least !== undefined) return [html`At least ${least}${unit}.`]
  return most === undefined ? [] : [html`At most ${most}${unit}.`]
}

const assumptionNote = ({ 'x-assumed-choice': choice }: Schema): Html | null =>
  choice === undefined ? null : html` <span class="rules">${prose(`Assumed: ${choice}.`)}</span>`

const codes = (values: readonly unknown[]) =>
  values.map((value, index) => html`${index === 0 ? '' : ', '}<code>${String(value)}</code>`)
