/** Finds warnings for a call, in the masked text that the request log shows. */
import { parseUntrustedJson } from '../../base/json.js'
import { nearest } from '../../base/text.js'
import { type Fields, fieldsOfJson, isJsonObject } from '../../base/unknown.js'
import type { Endpoint } from '../../protocol/platform/endpoints.js'
import {
  type CallWarning,
  callWarnings,
  singleHeaders,
  type WarningCode,
  warningLimits,
} from '../../protocol/platform/warnings.js'
import { planOf, type SchemaPlan } from '../endpoints/validate.js'

export interface CheckedCall {
  endpoint: Endpoint
  /** Path and query, masked. */
  path: string
  /** Masked, and not truncated. */
  body: string | null
  headers: Pick<Headers, 'get'>
  hasTokenPerCall: boolean
}

export function warningsOf(call: CheckedCall): CallWarning[] {
  const plan = planOf(call.endpoint.request())
  const fields = bodyFields(call)
  return [
    ...(call.hasTokenPerCall ? [warning('token_per_call')] : []),
    ...(fields !== null && lacksExternalId(call.endpoint, fields) ? [warning('no_external_id', 'external_id')] : []),
    ...singleHeaders.flatMap((name) => (isRepeated(call.headers, name) ? [warning('duplicate_header', name)] : [])),
    ...unknownWarnings(unknownFields(plan, fields, call)),
  ]
}

/** `subject` is what the message names, if that is not the field. */
export function warning(code: WarningCode, field?: string, subject = field ?? ''): CallWarning {
  const message = `${callWarnings[code].message(subject)}.`
  return { code, message, ...(field === undefined ? {} : { field }) }
}

/** Returns null if the body is not a JSON object. */
const bodyFields = ({ endpoint: { input }, body }: CheckedCall): Fields | null =>
  body === null || body === '' || input === 'query' || input === 'none' ? null : fieldsOfJson(body, parseUntrustedJson)

/** The request log shows the uploaded files as a field of this name. */
const filesOf = ({ input }: Endpoint): readonly string[] => (input === 'multipart' ? ['files[]'] : [])

interface UnknownField {
  /** Path of the object that contains it, with a dot at its end. */
  path: string
  name: string
  /** Names that the object can have. */
  known: readonly string[]
}

function* unknownFields(plan: SchemaPlan | null, fields: Fields | null, call: CheckedCall): Generator<UnknownField> {
  if (fields !== null) yield* unknownIn(plan, fields, filesOf(call.endpoint))
  yield* unknownParameters(plan, call)
}

function* unknownIn(
  plan: SchemaPlan | null,
  value: unknown,
  more: readonly string[] = [],
  path = '',
): Generator<UnknownField> {
  if (plan === null) return
  if (plan.kind === 'array') {
    if (Array.isArray(value))
      for (const [index, item] of value.entries()) yield* unknownIn(plan.element, item, [], `${path}${index}.`)
    return
  }
  if (!isJsonObject(value)) return
  const known = [...plan.fields.keys(), ...more]
  for (const name of Object.keys(value)) {
    const field = plan.fields.get(name)
    if (field !== undefined) yield* unknownIn(field.plan, value[name], [], `${path}${name}.`)
    else if (!more.includes(name)) yield { path, name, known }
  }
}

/** Without a query in the schema, every parameter is unknown. */
function* unknownParameters(plan: SchemaPlan | null, { endpoint, path }: CheckedCall): Generator<UnknownField> {
  const query = path.indexOf('?')
  if (query < 0) return
  const names = new Set(new URLSearchParams(path.slice(query)).keys())
  names.delete(hidden)
  const emptyFields = Object.fromEntries([...names].map((name) => [name, '']))
  yield* unknownIn(endpoint.input === 'query' ? plan : noFields, emptyFields)
}

/** Shown instead of a parameter whose name is a secret. */
const hidden = '***'
const noFields: SchemaPlan = { kind: 'object', fields: new Map(), required: [], nested: [] }

/** The last warning states how many warnings were omitted. Only the others get a suggestion: to search for one takes time. */
function unknownWarnings(unknown: Iterable<UnknownField>): CallWarning[] {
  const { unknownFields: most } = warningLimits
  const first: UnknownField[] = []
  let count = 0
  for (const one of unknown) if (++count <= most) first.push(one)
  if (count <= most) return first.map(unknownWarning)
  const named = first.slice(0, most - 1).map(unknownWarning)
  return [...named, { code: 'unknown_field', message: `${count - named.length} more unknown fields have no effect.` }]
}

function unknownWarning({ path, name, known }: UnknownField): CallWarning {
  const field = shorten(`${path}${name}`)
  const { code, message } = warning('unknown_field', field)
  const guess = nearest(name, known)
  if (guess === null) return { code, message, field }
  return { code, message: `${message.slice(0, -1)}; did you mean ${shorten(`${path}${guess}`)}?`, field }
}

const shorten = (text: string) => {
  const { fieldChars } = warningLimits
  return text.length > fieldChars ? `${text.slice(0, fieldChars).toWellFormed()}…` : text
}

function lacksExternalId({ operation, request }: Endpoint, fields: Fields): boolean {
  const { external_id: field } = request().shape
  if (operation === undefined || field === undefined || !isOptional(request)) return false
  return (fields.external_id ?? null) === null
}

/** Where the field is required, the error for its absence is enough. */
function isOptional(request: Endpoint['request']): boolean {
  const plan = planOf(request())
  return plan?.kind === 'object' && plan.fields.get('external_id')?.isRequired === false
}

/** The runtime joins the values of a repeated header with commas. */
function isRepeated(headers: CheckedCall['headers'], name: string): boolean {
  const value = headers.get(name)
  return value?.replaceAll(/"[^"]*"/g, '').includes(',') === true
}
