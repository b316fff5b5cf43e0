/** Generates the library's types from the schemas as plain TypeScript, so that users do not need the packages that define the schemas. */

import type * as z from 'zod'
import { features } from '../src/features/node.js'
import { jsonSchema } from '../src/http/openapi/json-schema.js'
import { actionNames, actionTable, paramsOf } from '../src/protocol/actions/actions.js'
import { controlRoutes } from '../src/protocol/control/index.js'
import type { ControlRow } from '../src/protocol/control/route.js'
import { type Endpoint, type EndpointName, endpointNames, endpoints } from '../src/protocol/platform/endpoints.js'
import { eventNames, eventTable } from '../src/protocol/platform/events.js'
import { bodyLimits } from '../src/protocol/platform/limits.js'
import * as sharedRequests from '../src/protocol/platform/requests.js'
import * as sharedResponses from '../src/protocol/platform/responses.js'
import { platformSettingNames, platformSettings } from '../src/protocol/settings/platform.js'

interface Node {
  propertyNames?: Node
  $ref?: string
  $defs?: Record<string, Node>
  minItems?: number
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Node[]
  oneOf?: Node[]
  items?: Node
  properties?: Record<string, Node>
  required?: string[]
  additionalProperties?: Node | boolean
  description?: string
}

/** The form field of uploads; callers of the library pass `files`. */
const uploads = 'files[]'

/** `input` is the type of a request, `output` that of a response. */
type Direction = 'input' | 'output'

const schemaOf = (type: z.ZodType, direction: Direction) => jsonSchema(type, direction, 'SandboxTypes') as Node

function typeText(node: Node, direction: Direction): string {
  if (node.$ref !== undefined) return node.$ref.split('/').at(-1) ?? 'unknown'
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.enum !== undefined) return node.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (node.anyOf !== undefined) return [...new Set(node.anyOf.map((one) => typeText(one, direction)))].join(' | ')
  if (node.oneOf !== undefined) return typeText({ anyOf: node.oneOf }, direction)
  if (Array.isArray(node.type)) return node.type.map((type) => typeText({ ...node, type }, direction)).join(' | ')
  if (node.type === 'array') return listText(node, direction)
  if (node.type === 'object') return objectText(node, direction)
  if (node.type === 'integer') return 'number'
  return node.type ?? 'unknown'
}

/** A list that is never empty has a first item. */
function listText({ items = {}, minItems = 0 }: Node, direction: Direction): string {
  const item = typeText(items, direction)
  return direction === 'output' && minItems > 0 ? `[${item}, ...Array<${item}>]` : `Array<${item}>`
}

function objectText(node: Node, direction: Direction): string {
  const { properties = {}, required = [], additionalProperties, propertyNames } = node
  if (propertyNames?.enum !== undefined && typeof additionalProperties === 'object')
    return `{ [Name in ${typeText(propertyNames, direction)}]?: ${typeText(additionalProperties, direction)} | undefined }`
  if (Object.keys(properties).length === 0 && typeof additionalProperties === 'object')
    return `Record<string, ${typeText(additionalProperties, direction)}>`
  const fields = Object.entries(properties)
    .filter(([name]) => name !== uploads)
    .map(([name, node]) => {
      const optional = !required.includes(name)
      const type = typeText(node, direction) + (optional ? ' | undefined' : '')
      const note = node.description === undefined ? '' : `/** ${node.description} */\n`
      return `${note}${name}${optional ? '?' : ''}: ${type}`
    })
  if (uploads in properties)
    fields.push(
      `/** At most ${bodyLimits.files} of ${bodyLimits.fileBytes / 1024 / 1024} MB: PDF, JPG or PNG. */\nfiles?: readonly UploadFile[] | undefined`,
    )
  if (additionalProperties !== undefined && additionalProperties !== false) fields.push('[more: string]: unknown')
  if (fields.length === 0) return 'Record<never, never>'
  return `{\n${fields.join('\n')}\n}`
}

const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
const header = (what: string) =>
  `/** ${what}. Generated from the schemas by scripts/client-types.ts, and not kept in git. */\n`

function interfaces(module: Module, suffix: string, direction: Direction): string[] {
  return Object.entries(module)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, schema]) =>
        `export interface ${pascal(name)}${suffix} ${typeText(schemaOf(schema(), direction), direction)}`,
    )
}

type Module = Record<string, () => z.ZodType>

/** The schemas of a module, and those that only one endpoint's row defines, by the endpoint's name. */
function schemasOf(module: object, part: 'request' | 'response'): Module {
  const schemas: Module = Object.fromEntries(
    Object.entries(module).filter(
      ([name, schema]) => name !== 'nothing' && endpointNames.some((one) => endpoints[one][part] === schema),
    ),
  )
  for (const name of endpointNames) {
    const { input, [part]: schema }: Endpoint = endpoints[name]
    if (part === 'request' && input === 'none') continue
    if (!Object.values(schemas).includes(schema)) schemas[name] = schema
  }
  return schemas
}

const requests = schemasOf(sharedRequests, 'request')
const responses = schemasOf(sharedResponses, 'response')

const nameOf = (module: Module, schema: unknown) =>
  pascal(Object.entries(module).find(([, one]) => one === schema)?.[0] ?? '')

function methodText(name: EndpointName): string {
  const { method, path, title, input, request, response }: Endpoint = endpoints[name]
  const required = (schemaOf(request(), 'input').required ?? []).length > 0
  const parameter =
    input === 'none' || name === 'token' ? '' : `request${required ? '' : '?'}: ${nameOf(requests, request)}Request, `
  return `/** ${title}: ${method} ${path} */\n${name}(${parameter}options?: ApiCallOptions): Promise<${nameOf(responses, response)}Response>`
}

/** The request and response of a route of the control API. Adds its named schemas to `named`. */
function routeText(row: ControlRow, named: Map<string, string>): string {
  const text = (type: z.ZodType | undefined, direction: Direction, none: string) => {
    if (type === undefined) return none
    const { $defs = {}, ...schema } = schemaOf(type, direction)
    for (const [name, one] of Object.entries($defs)) named.set(name, declaration(name, one, direction))
    return typeText(schema, direction)
  }
  const params = [...row.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => `${name}: string | number`)
  const body = text(row.body?.(), 'input', '')
  const parts = [
    ['params', params.length === 0 ? '' : `{ ${params.join('; ')} }`],
    ['query', text(row.query?.(), 'input', '')],
    ['body', row.rawBodyTypes === undefined || body === '' ? body : `string | ${body}`],
    ['answer', row.mediaType === undefined ? text(row.answer?.(), 'output', 'null') : 'string'],
  ]
  const fields = parts.filter(([, type]) => type !== '').map(([name, type]) => `${name}: ${type}`)
  return `/** ${row.summary}. */\n'${row.method} ${row.path}': {\n${fields.join('\n')}\n}`
}

const declaration = (name: string, node: Node, direction: Direction) =>
  node.properties === undefined
    ? `export type ${name} = ${typeText(node, direction)}`
    : `export interface ${name} ${typeText(node, direction)}`

function controlTypes(): string {
  const named = new Map<string, string>()
  const rows = [controlRoutes, ...features.flatMap((one) => one.routes ?? []).map((set) => set.rows)]
    .flatMap((rows) => Object.values<ControlRow>(rows))
    .map((row) => routeText(row, named))
  const results = actionNames.map((name) => `'${name}': ${yieldNames[actionTable[name].result]}`)
  return [
    header('Request and response of each route of the control API'),
    ...[...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text),
    `/** The object that each action leaves behind. */
export interface ActionResults {\n${results.join('\n')}\n}`,
    `/** By method and path. */
export interface ControlRoutes {\n${rows.join('\n')}\n}`,
    'export type ControlRoute = keyof ControlRoutes',
  ].join('\n\n')
}

/** The settings by their names in TypeScript. */
function settingTypes(): string {
  const options = platformSettingNames.map((name) => {
    const { schema, title, defaultText } = platformSettings[name]
    const option = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    // Callers may pass a read-only list.
    const type = typeText(schemaOf(schema, 'input'), 'input').replace(/^Array</, 'ReadonlyArray<')
    return `/** ${title}. Default: ${defaultText} */\n${option}?: ${type} | undefined`
  })
  return `${header('Settings of the platform')}\nexport interface PlatformOptions {\n${options.join('\n')}\n}`
}

const yieldNames = {
  cashin: 'CashinTransaction',
  cashout: 'CashoutTransaction',
  conversion: 'ConversionTransaction',
  dispute: 'Dispute',
} as const

const table = (name: string, rows: [string, z.ZodType][], direction: Direction) =>
  `export interface ${name} {\n${rows.map(([key, schema]) => `'${key}': ${typeText(schemaOf(schema, direction), direction)}`).join('\n')}\n}`

/** The text of each file in `src/client/types`. */
export const clientTypes = (): Record<string, string> =>
  Object.fromEntries(Object.entries(files()).map(([name, text]) => [name, indented(text)]))

/** Indents each line by the brackets that are open before it. */
function indented(text: string): string {
  let depth = 0
  const lines = text.split('\n').map((line) => {
    const count = (bracket: string) => (line.startsWith('/**') ? 0 : line.split(bracket).length - 1)
    if (line.startsWith('}')) depth--
    const indent = '  '.repeat(depth)
    depth += count('{') - count('}') + (line.startsWith('}') ? 1 : 0)
    return line === '' ? '' : indent + line.trim()
  })
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n')}\n`
}

function files(): Record<string, string> {
  const imports = (suffix: string, names: string[], file: string) =>
    `import type { ${[...new Set(names.map((name) => `${name}${suffix}`))].join(', ')} } from './${file}.js'`
  const withRequest = endpointNames.filter((name) => endpoints[name].input !== 'none' && name !== 'token')
  return {
    'requests.ts': [
      header('The request of each endpoint'),
      "import type { UploadFile } from '../exchange.js'",
      ...interfaces(requests, 'Request', 'input').filter((text) => !text.startsWith('export interface Token')),
    ].join('\n\n'),
    'responses.ts': [header('The response of each endpoint'), ...interfaces(responses, 'Response', 'output')].join(
      '\n\n',
    ),
    'events.ts': [
      header('The payload of each event'),
      table(
        'EventData',
        eventNames.map((name) => [name, eventTable[name].data()]),
        'output',
      ),
      'export type EventName = keyof EventData',
      `/** The envelope of an event (interface.md §6.2), distinguished by \`event\`. */
export type SandboxEvent<Name extends EventName = EventName> = {
  [N in Name]: { event: N; timestamp: string; transaction_id: string; data: EventData[N] }
}[Name]`,
    ].join('\n\n'),
    'actions.ts': [
      header('The parameters of each action'),
      table(
        'ActionParameters',
        actionNames.map((name) => [name, paramsOf(name)]),
        'input',
      ),
      'export type ActionName = keyof ActionParameters',
    ].join('\n\n'),
    'settings.ts': settingTypes(),
    'control.ts': controlTypes(),
    'api-client.ts': [
      header('A method for each endpoint'),
      "import type { ApiCallOptions } from '../exchange.js'",
      imports(
        'Request',
        withRequest.map((name) => nameOf(requests, endpoints[name].request)),
        'requests',
      ),
      imports(
        'Response',
        endpointNames.map((name) => nameOf(responses, endpoints[name].response)),
        'responses',
      ),
      `/** The platform API, typed. Each call resolves to the \`data\` of the response; throws \`SandboxError\` and \`UnreachableError\`. */
export interface ApiClient {\n${endpointNames.map(methodText).join('\n')}\n}`,
    ].join('\n\n'),
  }
}
