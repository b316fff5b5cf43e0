/** Applies the settings of a workspace to its document: schemas, examples, statuses, tables (assumptions.md decision 45). */
import { mapRows } from '../../base/keys.js'
import { type Fields, isJsonObject } from '../../base/unknown.js'
import { type Endpoint, type EndpointName, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { eventNames } from '../../protocol/platform/events.js'
import { decimal } from '../../protocol/platform/fields.js'
import { type Config, defaultConfig } from '../../protocol/settings/platform.js'
import {
  errorFormOf,
  isDocumentedAnswer,
  isTextualAmount,
  renamedValues,
  type WireFormat,
  wireFormatOf,
} from '../../protocol/settings/wire-format.js'
import { type Extensions, extensions } from './assumptions.js'
import { eventSchemaName } from './field-descriptions.js'
import {
  type Answer,
  type Document,
  jsonSchema,
  type Media,
  type Operation,
  type PathItem,
  type Schema,
} from './json-schema.js'
import { errorExamples, errorSchemas, responseSchemaName } from './paths.js'

export function withSettings(document: Document & Extensions, config: Config): Document & Extensions {
  if (config === defaultConfig) return document
  const { components, paths, webhooks } = document
  const wire = wireFormatOf(config)
  const form = errorFormOf(config)
  return {
    ...document,
    paths: { ...paths, ...endpointPaths(paths, wire, config) },
    webhooks: wire === null ? webhooks : eventItems(webhooks, wire),
    components: {
      ...components,
      schemas: { ...components.schemas, ...platformSchemas(components.schemas, config), ...errorSchemas(form) },
      examples: errorExamples(form),
    },
    ...extensions(config),
  }
}

function platformSchemas(schemas: Record<string, Schema>, config: Config): Record<string, Schema> {
  const usual = changeOf(config, false)
  const assumed = changeOf(config, config.answerAmounts === 'string')
  const changed = [
    ...endpointNames.map((name) => [responseSchemaName(name), isDocumentedAnswer(name) ? usual : assumed] as const),
    ...eventNames.map((event) => [eventSchemaName(event), usual] as const),
  ]
  return Object.fromEntries(changed.map(([name, change]) => [name, change(schemas[name] ?? {})]))
}

type SchemaChange = (schema: Schema) => Schema

const amountText = () => jsonSchema(decimal(), 'output', '')

function changeOf(config: Config, hasTextualAmounts: boolean): SchemaChange {
  const isAbsent = config.emptyFields === 'absent'
  const inField = (name: string, schema: Schema): Schema => {
    const names = renamedValues(config)[name]
    const isAmount = hasTextualAmounts && isTextualAmount(name)
    return eachAlternative(isAbsent ? withoutNull(schema) : schema, (one) => {
      if (isAmount && one.type === 'number') return { ...one, ...amountText() }
      if (names === undefined || one.enum === undefined) return one
      return { ...one, enum: [...new Set(one.enum.map((value) => names[String(value)] ?? value))] }
    })
  }
  return function change(schema): Schema {
    const { properties, required, items, anyOf, oneOf } = schema
    return {
      ...schema,
      ...(properties === undefined
        ? {}
        : { properties: mapRows(properties, (field, name) => change(inField(name, field))) }),
      ...(required === undefined || !isAbsent
        ? {}
        : { required: required.filter((name) => !isNullable(properties?.[name])) }),
      ...(items === undefined ? {} : { items: change(items) }),
      ...(anyOf === undefined ? {} : { anyOf: anyOf.map(change) }),
      ...(oneOf === undefined ? {} : { oneOf: oneOf.map(change) }),
    }
  }
}

const isNullable = (schema: Schema | undefined) => schema?.anyOf?.some(({ type }) => type === 'null') === true

/** The schema without the alternative null; its notes say `absent` instead. */
function withoutNull({ anyOf, ...schema }: Schema): Schema {
  if (!isNullable({ anyOf: anyOf ?? [] })) return anyOf === undefined ? schema : { ...schema, anyOf }
  const others = anyOf?.filter(({ type }) => type !== 'null') ?? []
  const [only] = others
  const { 'x-assumed-choice': choice, description } = schema
  return {
    ...(others.length === 1 ? only : { anyOf: others }),
    ...schema,
    ...(choice === undefined ? {} : { 'x-assumed-choice': choice.replace(/^null /, 'absent ') }),
    ...(description === undefined ? {} : { description: description.replace('null if', 'absent if') }),
  }
}

const eachAlternative = (schema: Schema, change: SchemaChange): Schema =>
  schema.anyOf === undefined ? change(schema) : { ...schema, anyOf: schema.anyOf.map(change) }

/** The operations with the status of withdrawals, the examples of answers and the headers of the sandbox. */
function endpointPaths(paths: Record<string, PathItem>, wire: WireFormat | null, config: Config) {
  const changed: Record<string, PathItem> = {}
  for (const name of endpointNames) {
    const endpoint: Endpoint = endpoints[name]
    const method = endpoint.method.toLowerCase()
    const item = changed[endpoint.path] ?? paths[endpoint.path] ?? {}
    const operation = item[method]
    if (operation === undefined) continue
    const status = endpoint.operation === 'cashout' ? config.withdrawalStatus : endpoint.status
    const answered = withAnswer(operation, name, String(status), wire)
    changed[endpoint.path] = { ...item, [method]: config.strict ? withoutHeaders(answered) : answered }
  }
  return changed
}

/** With the setting `strict`, the headers of the sandbox have no effect. */
const withoutHeaders = ({ parameters = [], ...operation }: Operation): Operation => ({
  ...operation,
  parameters: parameters.filter((parameter) => parameter.in !== 'header'),
})

function withAnswer(operation: Operation, name: EndpointName, status: string, wire: WireFormat | null): Operation {
  const { status: usual } = endpoints[name]
  const { [String(usual)]: success = {}, ...errors } = operation.responses
  const format = (body: Fields) => {
    if (wire === null) return body
    return name === 'token' ? wire.answer(name, body) : { ...body, data: wire.answer(name, body.data) }
  }
  return { ...operation, responses: { [status]: { ...success, ...withExamples(success, format) }, ...errors } }
}

function eventItems(webhooks: Record<string, PathItem>, wire: WireFormat): Record<string, PathItem> {
  return mapRows(webhooks, (item) =>
    mapRows(item, (operation) => {
      const { requestBody } = operation
      if (requestBody === undefined) return operation
      return { ...operation, requestBody: { ...requestBody, ...withExamples(requestBody, wire.event) } }
    }),
  )
}

function withExamples(
  { content = {} }: Pick<Answer, 'content'>,
  format: (body: Fields) => unknown,
): { content: Record<string, Media> } {
  return {
    content: mapRows(content, ({ examples = {}, ...media }) => ({
      ...media,
      examples: mapRows(examples, (example) =>
        isJsonObject(example.value) ? { ...example, value: format(example.value) } : example,
      ),
    })),
  }
}
