/** One endpoint on the page: input, output, errors, and commands to paste into a shell. */

import { mapRows } from '../../../base/keys.js'
import { exampleInfractionId } from '../../../protocol/platform/emulated-interface.js'
import { type Endpoint, type EndpointName, endpoints } from '../../../protocol/platform/endpoints.js'
import { requestHeaders } from '../../../protocol/platform/headers.js'
import {
  bearer,
  fieldOf,
  jsonHeader,
  lines,
  quoteForShell,
  type ShellCredential,
  signedParts,
  signSteps,
  tokenCall,
  tokenStep,
} from '../../../protocol/platform/shell-calls.js'
import { type Html, html } from '../../html.js'
import type { SandboxDocument } from '../document.js'
import { type Answer, markAssumed, type Operation, type Schema } from '../json-schema.js'

/** Follows `$ref`s to schemas of the document, at the top and in `data`. */
function resolve(document: SandboxDocument, schema: Schema | undefined): Schema {
  if (schema?.$ref === undefined) return schema ?? {}
  return document.components.schemas[schema.$ref.slice('#/components/schemas/'.length)] ?? {}
}

export function endpointCard(document: SandboxDocument, name: EndpointName, place: PageContext): Html {
  const endpoint: Endpoint = endpoints[name]
  const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()]
  if (operation === undefined) return html``
  const success = String(endpoint.status)
  const answer = operation.responses[success]
  return html`<section class="endpoint" id="${name}">
<header><h3><a href="#${name}">${endpoint.title}</a></h3>
<p class="route"><span class="method method-${endpoint.method.toLowerCase()}">${endpoint.method}</span> <code>${endpoint.path}</code>${
    endpoint.hmac === true ? html` <span class="badge">signed</span>` : null
  }${mark(endpoint.basis === 'assumed')}</p></header>
<div class="columns"><div class="words"><p>${prose(operation.description ?? '')}</p>
${fieldTable(requestSchema(document, operation), requestCaption(endpoint), true)}
${fieldTable(dataSchema(document, answer), endpoint.auth === 'basic' ? 'Response' : 'Response, in data', false)}
${errorList(operation, success)}</div>
<div class="samples">${codeSample('Terminal', curlOf(endpoint, place))}
${codeSample(html`Response <span class="status">${success}</span>${mark(answer?.['x-assumed'])}`, exampleOf(answer))}</div></div>
</section>`
}

const requestCaption = ({ input }: Endpoint) =>
  input === 'query' ? 'Query' : input === 'multipart' ? 'Form (multipart/form-data)' : 'Body'

function requestSchema(document: SandboxDocument, { parameters, requestBody }: Operation): Schema {
  if (requestBody !== undefined) return resolve(document, Object.values(requestBody.content)[0]?.schema)
  const query = (parameters ?? []).filter((parameter) => parameter.in === 'query')
  return {
    properties: Object.fromEntries(
      query.map(({ name = '', schema, description, 'x-assumed': assumed }) => [
        name,
        {
          ...schema,
          ...(description === undefined ? {} : { description }),
          ...markAssumed(assumed === true),
        },
      ]),
    ),
    required: query.filter(({ required }) => required).map(({ name = '' }) => name),
  }
}

function dataSchema(document: SandboxDocument, answer: Answer | undefined): Schema {
  const schema = answer?.content?.['application/json']?.schema
  return resolve(document, schema?.properties?.data ?? schema)
}

function exampleOf(answer: Answer | undefined): Html {
  const [example] = Object.values(answer?.content?.['application/json']?.examples ?? {})
  return json(example?.value)
}

export const codeSample = (caption: Html | string, code: Html | string) =>
  html`<figure class="sample"><figcaption>${caption}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`

function errorList(operation: Operation, success: string): Html {
  const answers = Object.entries(operation.responses).filter(([status]) => status !== success)
  return html`<details class="errors"><summary>Errors</summary><dl>${answers.map(
    ([status, answer]) =>
      html`<div><dt>${status}</dt><dd>${Object.keys(answer.content?.['application/json']?.examples ?? {}).map(
        (code) => html`<a href="#${code}"><code>${code}</code></a> `,
      )}</dd></div>`,
  )}</dl></details>`
}

// A schema as table rows: name, type, meaning.

/** Text in which `back-ticked` words become code. */
export function prose(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/** A label for facts that the platform does not document. */
export const assumedMark = html`<span class="assumed" title="Not documented by the platform: a choice of the sandbox">assumed</span>`

export const mark = (isAssumed: boolean | undefined) => (isAssumed === true ? html` ${assumedMark}` : null)

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
  properties: mapRows(schema.properties ?? {}, (field) => ({ ...field, ...markAssumed(true) })),
})

export function fieldTable(schema: Schema, caption: string, showRequired: boolean): Html | null {
  const rows = rowsOf(schema, '')
  if (rows.length === 0) return null
  return html`<div class="fields"><h4>${caption}${mark(schema['x-assumed'])}</h4><dl>
${rows.map(
  (row) => html`<div><dt><code>${row.name}</code> <span class="type">${typeOf(row.schema)}</span>${
    showRequired && row.required ? html` <span class="required">required</span>` : null
  }${mark(row.schema['x-assumed'])}</dt><dd>${prose(row.schema.description ?? '')}${rulesOf(row.schema)}${assumptionNote(row.schema)}</dd></div>
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

export interface PageContext {
  baseUrl: string
  credential: ShellCredential
  /** Whether the control API requires an admin token. */
  asksToken: boolean
}

/** A dispute must exist already; the command uses the newest open one. */
const disputeStep = (baseUrl: string) =>
  `ID=$(${lines([`curl -s ${baseUrl}/v2/account/infractions`, bearer])} \\\n  | ${fieldOf('infraction_id')})`

export function curlOf(endpoint: Endpoint, { baseUrl, credential }: PageContext): string {
  if (endpoint.auth === 'basic') return tokenCall(baseUrl, credential)
  const url = baseUrl + endpoint.path
  const [example] = Object.values(endpoint.examples)
  const value = example?.value ?? {}
  const steps = [tokenStep(baseUrl, credential)]
  if (Object.values(value).includes(exampleInfractionId)) steps.push(disputeStep(baseUrl))
  if (endpoint.hmac === true) steps.push(...signSteps(JSON.stringify(value), credential))
  return [...steps, callOf(endpoint, url, value)].join('\n')
}

function callOf(endpoint: Endpoint, url: string, value: Record<string, unknown>): string {
  if (endpoint.input === 'none') return lines([`curl -s ${url}`, bearer])
  if (endpoint.input === 'query') return lines([`curl -s "${url}?${queryOf(value)}"`, bearer])
  if (endpoint.input === 'multipart')
    return lines([
      `curl -s ${url}`,
      bearer,
      ...Object.entries(value).map(([field, text]) =>
        text === exampleInfractionId ? `-F ${field}="$ID"` : `-F ${quoteForShell(`${field}=${text}`)}`,
      ),
    ])
  if (endpoint.hmac !== true)
    return lines([`curl -s ${url}`, bearer, jsonHeader, `-d ${quoteForShell(JSON.stringify(value))}`])
  return lines([`curl -s ${url}`, bearer, jsonHeader, ...signedParts])
}

const queryOf = (value: Record<string, unknown>) =>
  Object.entries(value)
    .map(([field, text]) => `${field}=${text === exampleInfractionId ? '$ID' : encodeURIComponent(String(text))}`)
    .join('&')

const adminHeader = `-H "${requestHeaders.adminToken}: $PAYMENTS_SANDBOX_ADMIN_TOKEN"`

/** From an empty sandbox to a paid charge and its webhook. */
export const firstSteps = ({ baseUrl, credential, asksToken }: PageContext) =>
  [
    tokenStep(baseUrl, credential),
    callOf(endpoints.cashin, baseUrl + endpoints.cashin.path, { amount: 25.5, currency: 'BRL' }),
    '# pay the charge as its payer',
    lines([
      `curl -s ${baseUrl}/_sandbox/trigger`,
      ...(asksToken ? [adminHeader] : []),
      jsonHeader,
      `-d '{"action":"cashin.pay"}'`,
    ]),
  ].join('\n')
