/** Renders the generated files of the Go package, formatted as gofmt does. */

import { coordinates } from './coordinates.js'
import {
  type ActionData,
  type CallData,
  type EndpointData,
  type Field,
  type FieldType,
  generatedNote,
  listLimit,
  type PackageData,
  type Renderer,
} from './data.js'
import type { ObjectType } from './types.js'
import { callTypes, isConstant, onlyFieldOf, requestTypeNames, sentence } from './words.js'

/** Words that Go writes in capitals, by their lower case. */
const initialisms: Record<string, string> = {
  id: 'ID',
  url: 'URL',
  ip: 'IP',
  json: 'JSON',
  e2e: 'E2E',
  clabe: 'CLABE',
  qrcode: 'QRCode',
}

const goName = (name: string) =>
  name
    .replace(/\[\]$/, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[._]/)
    .map((word) => initialisms[word] ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** Aligns the columns of consecutive lines. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) => `\t${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' ')}`.trimEnd())
    .join('\n')
}

const block = (keyword: string, rows: readonly (readonly string[])[]) => `${keyword} (\n${aligned(rows)}\n)\n`
const quoted = (text: string | number) => JSON.stringify(text)

/** Types of the platform package that the control API uses too. */
const sharedTypes = ['Credential']
const kinds = {
  text: 'string',
  integer: 'int',
  boolean: 'bool',
  time: 'time.Time',
  map: 'map[string]string',
  any: 'any',
}

/** The types of texts with a table of their own, by one of its values; those of the platform package get its prefix. */
const textTypes = { 'cashin.confirmed': 'EventName', NOT_FOUND: 'ErrorCode', 'cashin.pay': 'Action' }

/** The type in the platform package; `prefix` is how another package names that package. */
function goType(type: FieldType, prefix: string): string {
  if (type.kind === 'list') return `[]${goType(type.of, prefix)}`
  if (type.kind === 'object') return `${sharedTypes.includes(type.name) ? prefix : ''}${type.name}`
  if (type.kind === 'decimal') return `${prefix}Amount`
  if (type.kind !== 'text') return kinds[type.kind]
  const name = Object.entries(textTypes).find(([value]) => type.values.includes(value))?.[1] ?? 'string'
  return `${name === 'Action' || name === 'string' ? '' : prefix}${name}`
}

/** An empty text or amount of a request is left out; everything else that may be missing is a pointer, so that null is not zero. */
const isPointer = ({ type: { kind }, optional, nullable }: Field, isRequest: boolean) =>
  (optional || nullable) &&
  !['list', 'map', 'any'].includes(kind) &&
  !(isRequest && (kind === 'text' || kind === 'decimal'))

/** A comment above a field begins a new group of aligned lines, as gofmt does. */
function structOf({ name, fields }: ObjectType, api: 'platform' | 'control', isRequest: boolean): string {
  const prefix = api === 'platform' ? '' : 'platform.'
  const groups: { comment: string; rows: string[][] }[] = []
  for (const one of fields) {
    const { name: field, type, optional, about } = one
    if (!isPlain(field)) continue
    if (about !== '' || groups.length === 0) groups.push({ comment: about === '' ? '' : `\t// ${about}\n`, rows: [] })
    const tag = `\`json:"${field}${optional ? ',omitempty' : ''}"\``
    const pointer = isPointer(one, isRequest) ? '*' : ''
    groups.at(-1)?.rows.push([isConstant(field) ? field : goName(field), pointer + goType(type, prefix), tag])
  }
  const body = groups.map(({ comment, rows }) => `${comment}${aligned(rows)}\n`).join('')
  return `// ${name} has the fields of the ${api} API.\ntype ${name} struct {\n${body}}\n`
}

function methodOf({ name, title, method, path, signed, input, request, response }: EndpointData): string {
  const files = input === 'multipart' ? ', files ...Upload' : ''
  const parameters = `ctx context.Context${request === null ? '' : `, request ${request}`}${files}`
  const encode = {
    json: '\tbody, err := json.Marshal(request)\n',
    query: '\tquery, err := QueryOf(request)\n',
    multipart: '\tbody, mediaType, err := formOf(request, files)\n',
    none: '',
  }[input]
  const mediaType = input === 'multipart' ? 'mediaType' : '"application/json"'
  const sent = { json: 'body, err', multipart: 'body, err', query: 'nil, err', none: 'nil, nil' }[input]
  return `// ${goName(name)} sends ${method} ${path}. ${title}.
func (c *Client) ${goName(name)}(${parameters}) (*${response}, error) {
${encode}\ttarget := endpoint{${quoted(method)}, ${quoted(path)}${input === 'query' ? ' + "?" + query' : ''}, ${mediaType}, ${signed}}
\treturn send[${response}](ctx, c, target, ${sent})
}
`
}

/** A method of the test's sandbox, or of a part of it. It ends the test if the sandbox rejects the call. */
function controlMethodOf(call: CallData, onlyField: string | undefined): string {
  const { group, name, title, method, path, places, input, request, response, item } = call
  const own = goName(name)
  const receiver = group === 'workspace' ? 's *Sandbox' : `s *${callTypes[group].type}`
  const given = onlyField === undefined ? `fields ${request}` : `${onlyField} string`
  const parameters = [...places.map((place) => `${place} string`), ...(request === null ? [] : [given])]
  const result = item === null ? (response === null ? '' : `*${response}`) : `[]${item}`
  const target = quoted(item === null ? path : `${path}?limit=${listLimit}`)
    .replaceAll(/\{(\w+)\}/g, '"+url.PathEscape($1)+"')
    .replace(/\+""$/, '')
  const fields =
    request === null ? 'nil' : onlyField === undefined ? 'fields' : `Params{${quoted(onlyField)}: ${onlyField}}`
  const [query, body] = input === 'query' ? [fields, 'nil'] : ['nil', fields]
  const sent = (into: string) => `\ts.call(${quoted(method)}, ${target}, ${query}, ${body}, ${into})\n`
  const lines =
    response === null
      ? sent('nil')
      : `\tresult := new(${response})\n${sent('result')}\treturn result${item === null ? '' : '.Data'}\n`
  return `// ${own} sends ${method} ${path}. ${sentence(title)}
func (${receiver}) ${own}(${parameters.join(', ')}) ${result}${result === '' ? '' : ' '}{
\ts.tb.Helper()
${lines}}
`
}

const isShared = ({ name }: ObjectType) => sharedTypes.includes(name)

/** Attachments are arguments of their own. */
const isPlain = (name: string) => name !== 'files[]'

/** The types and methods of the platform API. */
function platformFile(data: PackageData): string {
  const { call, answer, webhook } = data.headers
  const requests = requestTypeNames(data)
  const endpoints = data.endpoints.filter(({ name }) => name !== 'token')
  const token = data.endpoints.find(({ name }) => name === 'token')
  return [
    `// Code generated by npm run docs. DO NOT EDIT.\n// ${generatedNote}\n\npackage platform\n`,
    'import (\n\t"context"\n\t"encoding/json"\n\t"time"\n)\n',
    block('const', [
      ['tokenPath', `= ${quoted(token?.path ?? '')}`],
      ['signatureWindowSeconds', `= ${data.signatureWindowSeconds}`],
      ['headerSignature', `= ${quoted(call.signature)}`],
      ['headerTimestamp', `= ${quoted(call.timestamp)}`],
      ['headerNonce', `= ${quoted(call.nonce)}`],
      ['headerRequestID', `= ${quoted(answer.requestId)}`],
      ['headerWebhookSignature', `= ${quoted(webhook.signature)}`],
      ['headerWebhookTimestamp', `= ${quoted(webhook.timestamp)}`],
    ]),
    '// HeaderAdminToken is the header of the admin token of a shared sandbox.',
    `const HeaderAdminToken = ${quoted(call.adminToken)}\n`,
    '// ErrorCode is the code of an error response.\ntype ErrorCode string\n',
    '// Codes of the platform API and of the control API.',
    block(
      'const',
      data.errors.map(({ code, message }) => [
        `Code${goName(code)}`,
        'ErrorCode',
        `= ${quoted(code)}`,
        `// ${message}`,
      ]),
    ),
    '// EventName is the name of an event.\ntype EventName string\n',
    '// Events of the platform.',
    block(
      'const',
      data.events.map(({ name, sentWhen }) => [goName(name), 'EventName', `= ${quoted(name)}`, `// ${sentWhen}`]),
    ),
    ...[...data.types, ...data.controlTypes.filter(isShared)].map((type) =>
      structOf(type, 'platform', requests.has(type.name)),
    ),
    ...endpoints.map(methodOf),
  ].join('\n')
}

const paramText = ({ name, required }: ActionData['params'][number]) => `${name}${required ? ' (required)' : ''}`

/** The actions and types of the control API. */
function controlFile({ actions, calls, chaosPresets, controlTypes, inputTypes }: PackageData): string {
  const rows = actions.map(({ name, title, params }) => {
    const all = params.map(paramText).join(', ')
    return [goName(name), 'Action', `= ${quoted(name)}`, `// ${title}${all === '' ? '' : `; parameters: ${all}`}`]
  })
  return [
    `// Code generated by npm run docs. DO NOT EDIT.\n// ${generatedNote}\n\npackage sandboxtest\n`,
    `import (\n\t"encoding/json"\n\t"net/url"\n\t"time"\n\n\t"${coordinates.goModule}/platform"\n)\n`,
    '// Action is something that happens to an object, such as a payment.\ntype Action string\n',
    '// Actions of the control API.',
    block('const', rows),
    `// npx starts the published program; it is empty before it is published.\nvar npx = []string{${coordinates.npx.map(quoted).join(', ')}}\n`,
    '// chaosPresets are the faults of each preset.',
    `var chaosPresets = map[string]json.RawMessage{\n${aligned(
      Object.entries(chaosPresets).map(([name, faults]) => [`${quoted(name)}:`, `json.RawMessage(\`${faults}\`),`]),
    )}\n}\n`,
    ...inputTypes.map((type) => structOf(type, 'control', true)),
    ...controlTypes.filter((type) => !isShared(type)).map((type) => structOf(type, 'control', false)),
    ...calls.map((call) => controlMethodOf(call, onlyFieldOf(call.request, inputTypes))),
  ].join('\n')
}

export const go: Renderer = (data) => ({
  'packages/go/platform/generated.go': platformFile(data),
  'packages/go/sandboxtest/generated.go': controlFile(data),
})
