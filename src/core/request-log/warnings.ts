/** Finds what a call should be warned about, in the masked text that the request log shows. */
import { JsonError, readJson } from '../../base/json.js'
import { nearest } from '../../base/nearest.js'
import { type Fields, isFields } from '../../base/unknown.js'
import type { Endpoint } from '../../protocol/platform/endpoints.js'
import {
  type CallWarning,
  callWarnings,
  singleHeaders,
  type WarningCode,
  warningLimits,
} from '../../protocol/platform/warnings.js'
import { type Plan, planOf } from '../endpoints/validate.js'

export interface LookedAt {
  endpoint: Endpoint
  /** Path and query, masked. */
  path: string
  /** Masked and whole. */
  body: string | null
  headers: Headers
  hasTokenPerCall: boolean
}

export function warningsOf(call: LookedAt): CallWarning[] {
  const plan = planOf(call.endpoint.request)
  const fields = bodyFields(call)
  const unknown = [
    ...(fields === null ? [] : unknownIn(plan, fields, filesOf(call.endpoint))),
    ...unknownParameters(plan, call),
  ]
  return [
    ...(call.hasTokenPerCall ? [warning('token_per_call')] : []),
    ...(fields !== null && lacksExternalId(call.endpoint, fields) ? [warning('no_external_id', 'external_id')] : []),
    ...singleHeaders.flatMap((name) => (isRepeated(call.headers, name) ? [warning('duplicate_header', name)] : [])),
    ...unknownWarnings(unknown),
  ]
}

function warning(code: WarningCode, field?: string): CallWarning {
  const message = `${callWarnings[code].message(field ?? '')}.`
  return { code, message, ...(field === undefined ? {} : { field }) }
}

/** null: no JSON object. */
function bodyFields({ endpoint: { input }, body }: LookedAt): Fields | null {
  if (body === null || body === '' || input === 'query' || input === 'none') return null
  try {
    const value = readJson(body)
    return isFields(value) ? value : null
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}

/** The request log shows the files of a form as a field of this name. */
const filesOf = ({ input }: Endpoint): readonly string[] => (input === 'multipart' ? ['files[]'] : [])

interface Unknown {
  field: string
  guess: string | null
}

function unknownIn(plan: Plan | null, value: unknown, more: readonly string[], path = ''): Unknown[] {
  if (plan === null) return []
  if (plan.kind === 'array')
    return Array.isArray(value)
      ? value.flatMap((item, index) => unknownIn(plan.element, item, [], `${path}${index}.`))
      : []
  if (!isFields(value)) return []
  const known = [...plan.fields.keys(), ...more]
  return Object.entries(value).flatMap(([name, item]) => {
    const own = plan.fields.get(name)
    if (own !== undefined) return unknownIn(own.plan, item, [], `${path}${name}.`)
    if (known.includes(name)) return []
    const guess = nearest(name, known)
    return [{ field: `${path}${name}`, guess: guess === null ? null : `${path}${guess}` }]
  })
}

/** A call without a query in its schema has no known parameter. */
function unknownParameters(plan: Plan | null, { endpoint, path }: LookedAt): Unknown[] {
  const query = path.indexOf('?')
  if (query < 0) return []
  const names = new Set(new URLSearchParams(path.slice(query)).keys())
  names.delete(hidden)
  const given = Object.fromEntries([...names].map((name) => [name, '']))
  return unknownIn(endpoint.input === 'query' ? plan : noFields, given, [])
}

/** What the log shows instead of a parameter whose name is a secret. */
const hidden = '***'
const noFields: Plan = { kind: 'object', fields: new Map() }

/** The last one counts those that are left out. */
function unknownWarnings(unknown: readonly Unknown[]): CallWarning[] {
  const { unknownFields: most } = warningLimits
  const shown = unknown.length > most ? unknown.slice(0, most - 1) : unknown
  const left = unknown.length - shown.length
  return [
    ...shown.map(({ field, guess }) => {
      const { code, message } = warning('unknown_field', cut(field))
      return {
        code,
        message: guess === null ? message : `${message.slice(0, -1)}; did you mean ${cut(guess)}?`,
        field: cut(field),
      }
    }),
    ...(left === 0 ? [] : [{ code: 'unknown_field' as const, message: `${left} more unknown fields have no effect.` }]),
  ]
}

const cut = (text: string) => {
  const { fieldChars } = warningLimits
  return text.length > fieldChars ? `${text.slice(0, fieldChars).toWellFormed()}…` : text
}

function lacksExternalId({ operation, request }: Endpoint, fields: Fields): boolean {
  const { external_id: field } = request.shape
  if (operation === undefined || field === undefined || !isOptional(request)) return false
  return (fields.external_id ?? null) === null
}

/** A call that requires it is refused without it, which says enough. */
function isOptional(request: Endpoint['request']): boolean {
  const plan = planOf(request)
  return plan?.kind === 'object' && plan.fields.get('external_id')?.isRequired === false
}

/** The runtime joins the values of a repeated header by commas. */
function isRepeated(headers: Headers, name: string): boolean {
  const value = headers.get(name)
  return value?.replaceAll(/"[^"]*"/g, '').includes(',') === true
}
