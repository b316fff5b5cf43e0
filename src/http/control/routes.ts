/**
 * Turns rows of the control API into routes: input is validated against the schema of its row before it reaches a handler,
 * with suggestions for unknown fields and wrong values, the row types the output, and lists have pages.
 */
import type { Hono } from 'hono'
import * as z from 'zod'
import { JsonNumber } from '../../base/json.js'
import { didYouMean, nearest } from '../../base/text.js'
import { droppedKey, fieldAt } from '../../base/unknown.js'
import { findAccount, listAccounts } from '../../core/auth/account.js'
import type { Account } from '../../core/auth/authenticate.js'
import type { Unit } from '../../core/unit/unit.js'
import { nearestName } from '../../protocol/actions/nearest-name.js'
import type { AnswerOf, BodyOf, ControlRow, ParamsOf, QueryOf } from '../../protocol/control/route.js'
import { ApiError, type ErrorCode, invalid } from '../../protocol/platform/errors.js'
import { innerTypeOf, typeAt, typeIn, unwrapType } from '../../protocol/platform/fields.js'
import { responseHeaders } from '../../protocol/platform/headers.js'
import { controlDefaults } from '../../protocol/platform/limits.js'
import type { AppEnv, CallContext, DirectRoutes, RouteSet } from '../host.js'
import {
  errorResponse,
  type HttpRequest,
  jsonObject,
  plainResponse,
  queryOf,
  type ResponseData,
  receiveBody,
  requireContentType,
  toResponse,
  withRequestId,
} from '../messages.js'

export type { CallContext } from '../host.js'

export interface ControlCall<Row extends ControlRow> extends CallContext {
  params: ParamsOf<Row>
  query: QueryOf<Row>
  body: BodyOf<Row>
}

/** The response data that the row declares; a `Response` if it is not JSON, or too long to be built at once. */
type Reply<Row extends ControlRow> = Row extends { mediaType: string } | { otherStatuses: object } | { streamed: true }
  ? Response
  : AnswerOf<Row>

export type Handlers<Rows extends Record<string, ControlRow>> = {
  [Name in keyof Rows]: (call: ControlCall<Rows[Name]>) => Reply<Rows[Name]> | Promise<Reply<Rows[Name]>>
}

/**
 * Joins rows and their handlers: a missing handler is a type error. A function loads the handlers with the first call:
 * most sandboxes never use most features.
 */
export const routeSet = <Rows extends Record<string, ControlRow>>(
  rows: Rows,
  handlers: Handlers<Rows> | (() => Promise<Handlers<Rows>>),
): RouteSet => ({
  rows,
  mount: (routes, direct, base) => mountRows(routes, direct, base, rows, handlers),
})

/** `base` is the prefix of every path. */
function mountRows<Rows extends Record<string, ControlRow>>(
  routes: Hono<AppEnv>,
  direct: DirectRoutes,
  base: string,
  rows: Rows,
  handlers: Handlers<Rows> | (() => Promise<Handlers<Rows>>),
): void {
  for (const [name, row] of Object.entries<ControlRow>(rows)) {
    const path = base + row.path.replace(/\{([a-z_]+)\}/g, ':$1')
    const schemas = schemasOf(row)
    const answer = async (context: CallContext, params: Record<string, string>): Promise<ResponseData | Response> => {
      const requestId = context.ws.memory.ids.next('requests').id
      try {
        const input = await inputOf(row, schemas, context, params)
        const loaded = typeof handlers === 'function' ? await handlers() : handlers
        // `Handlers` guarantees that each handler fits its row, but a loop over all of them cannot express it.
        const handle = loaded[name as keyof Rows] as (call: ControlCall<ControlRow>) => unknown
        return toAnswer(row, await handle({ ...context, ...input }), requestId)
      } catch (error) {
        return withRequestId(errorResponse(error, undefined, context.ws.db), requestId)
      }
    }
    routes.on(row.method, path, async (c) => {
      const { host, ws, callApp } = c.env
      const answered = await answer({ host, ws, env: c.env, request: c.req.raw, callApp }, { ...c.req.param() })
      return 'errorCode' in answered ? toResponse(answered) : answered
    })
    // `toAnswer` returns data for a row that is answered with data.
    if (isAnsweredWithData(row) && row.rawBodyTypes === undefined && !path.includes(':'))
      direct.set(`${row.method} ${path}`, (context) => answer(context, {}) as Promise<ResponseData>)
  }
}

type Input = Pick<ControlCall<ControlRow>, 'params' | 'query' | 'body'>

const nothing = z.strictObject({})

/** Cached from the first call on, because zod compiles a schema on first use. */
function schemasOf(row: ControlRow) {
  const cached = new Map<keyof ControlRow, z.ZodType>()
  return (part: 'params' | 'query' | 'body'): z.ZodType => {
    const schema = cached.get(part) ?? row[part]?.() ?? nothing
    cached.set(part, schema)
    return schema
  }
}

/** Validates path, query and body, in this order: 400, 413, 415, 422. */
async function inputOf(
  row: ControlRow,
  schemaOf: ReturnType<typeof schemasOf>,
  { request, env }: CallContext,
  params: Record<string, string>,
): Promise<Input> {
  if (row.params !== undefined) validateInput(schemaOf('params'), params, 'parameter')
  // The output of the schema has the type that `QueryOf` and `BodyOf` derive from it.
  const query = validateInput(schemaOf('query'), queryOf(request), 'parameter') as Input['query']
  if (row.rawBodyTypes === 'any') return { params, query, body: {} }
  if (request.method !== 'GET') forbidForms(request, row)
  if (row.rawBodyTypes !== undefined) return { params, query, body: {} }
  const received = await receiveBody(request, env.memoryShare)
  const input = jsonObject(received, request.headers)
  // The output of the schema has the type that `BodyOf` derives from it.
  const body = validateInput(schemaOf('body'), input, 'field') as Input['body']
  return { params, query, body }
}

/** The handlers of all other rows return a `Response`, or nothing. */
const isAnsweredWithData = ({ answer, mediaType, otherStatuses, streamed }: ControlRow): boolean =>
  answer !== undefined && mediaType === undefined && otherStatuses === undefined && streamed !== true

function toAnswer(row: ControlRow, value: unknown, requestId: string): ResponseData | Response {
  if (!isAnsweredWithData(row) && value instanceof Response) {
    value.headers.set(responseHeaders.requestId, requestId)
    return value
  }
  if (row.answer === undefined)
    return new Response(null, { status: 204, headers: { [responseHeaders.requestId]: requestId } })
  return withRequestId(plainResponse(200, value), requestId)
}

/** Rejects forms: a page of another site can post one without a preflight request, so a body must be JSON or YAML. */
function forbidForms({ headers }: HttpRequest, { rawBodyTypes, acceptsNoMediaType }: ControlRow): void {
  const type = headers.get('content-type')
  const length = headers.get('content-length')
  const isEmpty = (length === null || length === '0') && headers.get('transfer-encoding') === null
  if (type === null && (isEmpty || acceptsNoMediaType === true)) return
  requireContentType(
    headers,
    rawBodyTypes === undefined || rawBodyTypes === 'any' ? ['application/json', 'application/yaml'] : rawBodyTypes,
  )
}

type Issue = z.core.$ZodIssue
type Fields = Record<string, unknown>

/** What error messages call an input: `field` in a body, `parameter` in a path or query. */
export type InputKind = 'field' | 'parameter'

/**
 * Throws 400 MISSING_REQUIRED_FIELD, else 422 INVALID_VALUE (or the field's own code) with field and rule. Unknown
 * names are reported last.
 */
export function validateInput<Schema extends z.ZodType>(
  schema: Schema,
  input: Fields,
  kind: InputKind,
): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) {
    const dropped = droppedKey(input, result.data)
    // An object that ignores unknown fields ignores this one, too.
    const holder = dropped && typeAt(schema, dropped.slice(0, -1))
    if (dropped === undefined || (holder !== undefined && unwrapType(holder) instanceof z.ZodObject)) return result.data
    throw unknownName(schema, dropped.slice(0, -1), dropped.at(-1) ?? '', kind)
  }
  const issues = result.error.issues.map((one) => ({ ...one, path: givenPath(input, one.path) }))
  const variant = variantOf(schema, input)
  const issue =
    issues.find((one) => isMissing(variant, input, one)) ??
    issues.find((one) => one.code !== 'unrecognized_keys') ??
    issues[0]
  throw issue === undefined ? invalid('', 'is invalid') : errorFor(variant, input, issue, kind)
}

/** Shortens a path to the value that was given in place of an object: `"20/s"` instead of `{"rate": "20/s"}`. */
function givenPath(input: Fields, path: PropertyKey[]): PropertyKey[] {
  const isValue = (value: unknown) =>
    value instanceof JsonNumber || ['string', 'number', 'boolean'].includes(typeof value)
  const end = path.findIndex((_, at) => isValue(valueAt(input, path.slice(0, at + 1))))
  return end < 0 ? path : path.slice(0, end + 1)
}

/** Returns whether a field is missing. An issue of a rule about several fields has no field path, so it is never a missing field. */
const isMissing = (schema: z.ZodType, input: Fields, { code, path }: Issue) =>
  code !== 'unrecognized_keys' && valueAt(input, path) === undefined && typeAt(schema, path) !== undefined

function errorFor(schema: z.ZodType, input: Fields, issue: Issue, kind: InputKind): ApiError {
  if (issue.code === 'unrecognized_keys') return unknownName(schema, issue.path, issue.keys[0] ?? '', kind)
  const field = issue.path.join('.')
  const value = valueAt(input, issue.path)
  if (isMissing(schema, input, issue)) return new ApiError('MISSING_REQUIRED_FIELD', { field }, `${field} is required.`)
  const names = namesOf(issue)
  const { code, allowedValuesKey = 'supported' } = metaOf(typeAt(schema, issue.path))
  if (names === null) return invalid(field, issue.message, {}, code)
  const guess = typeof value === 'string' ? nearestName(value, names) : null
  const rule = `must be one of ${names.join(', ')}${didYouMean(guess)}`
  return invalid(field, rule, { [allowedValuesKey]: names, ...(guess === null ? {} : { did_you_mean: guess }) }, code)
}

/** Returns the allowed values, if the value must be one of a list. */
function namesOf(issue: Issue): readonly string[] | null {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  const options = fieldAt(issue, 'options')
  return issue.code === 'invalid_union' && Array.isArray(options) ? options.map(String) : null
}

function unknownName(schema: z.ZodType, path: readonly PropertyKey[], name: string, kind: InputKind): ApiError {
  const found = typeAt(schema, path)
  const type = found === undefined ? undefined : unwrapType(found)
  const known = type instanceof z.ZodObject ? Object.keys(type.shape) : []
  const { unknownCode } = metaOf(type)
  const field = [...path, name].join('.')
  if (unknownCode !== undefined) return new ApiError(unknownCode, { field, supported: known })
  return invalid(field, `is not a ${kind} of this call${didYouMean(nearest(name, known))}`, {
    [`${kind}s`]: known,
  })
}

interface Meta {
  code?: ErrorCode
  /** Error code for an unknown field of the object. */
  unknownCode?: ErrorCode
  /** Key of the allowed values in `details`. */
  allowedValuesKey?: string
}

function metaOf(type: z.ZodType | undefined): Meta {
  for (let inner = type; inner !== undefined; inner = innerTypeOf(inner)) {
    // Registered by `choice` and similar functions, which check the type.
    const meta = z.globalRegistry.get(inner) as Meta | undefined
    if (meta?.code !== undefined || meta?.unknownCode !== undefined || meta?.allowedValuesKey !== undefined) return meta
  }
  return {}
}

/** Returns the variant of a discriminated union that the input selects. */
function variantOf(schema: z.ZodType, input: Fields): z.ZodType {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema
  const name = schema.def.discriminator
  const options = schema.options.filter((option) => option instanceof z.ZodObject)
  return options.find((option) => typeIn(option, name)?.safeParse(input[name]).success) ?? options[0] ?? schema
}

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown => path.reduce(fieldAt, input)

interface PageQuery {
  limit?: number | undefined
  after?: string | undefined
}

/**
 * Lists are newest first: the rows after one have a smaller `seq`. One row more than the page shows is read, to know
 * whether there is a next page.
 */
export function rangeOf({ limit = controlDefaults.rows, after }: PageQuery): {
  limit: number
  rowLimit: number
  belowSeq: number
} {
  return { limit, rowLimit: limit + 1, belowSeq: after === undefined ? Number.MAX_SAFE_INTEGER : Number(after) }
}

/** Builds `{data, next}` from rows that were read one beyond the limit. */
export function pageFrom<Row extends { seq: number }, Shown>(
  rows: Row[],
  limit: number,
  show: (row: Row) => Shown,
): { data: Shown[]; next: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { data: page.map(show), next: rows.length > limit && last !== undefined ? String(last.seq) : null }
}

/**
 * Builds `{data, next}` from a complete list; `after` is the name of the last row of the previous page. Throws 422
 * INVALID_VALUE if no row has this name.
 */
export function pagedByName<Row>(
  rows: readonly Row[],
  { limit = rows.length, after }: PageQuery,
  nameOf: (row: Row) => string,
): { data: Row[]; next: string | null } {
  const from = after === undefined ? 0 : rows.findIndex((row) => nameOf(row) === after) + 1
  if (after !== undefined && from === 0) throw invalid('after', 'must be the value of `next` from an earlier page')
  const data = rows.slice(from, from + limit)
  const last = data.at(-1)
  return { data, next: last === undefined || from + limit >= rows.length ? null : nameOf(last) }
}

/**
 * Returns the `seq` of the account with this username; undefined without a username. Throws 422 INVALID_VALUE if the
 * account does not exist.
 */
export const accountSeqNamed = (unit: Unit, username: string | undefined): number | undefined =>
  accountNamed(unit, username)?.seq

/** Returns the account with this username; undefined without a username. Throws 422 INVALID_VALUE if it does not exist. */
export function accountNamed({ db }: Unit, username: string | undefined): Account | undefined {
  if (username === undefined) return undefined
  const account = findAccount(db, username)
  if (account !== undefined) return account
  const guess = nearest(
    username,
    listAccounts(db).map((one) => one.username),
  )
  const hint = guess === null ? {} : { did_you_mean: guess }
  throw invalid('account', `is not the username of an account${didYouMean(guess)}`, hint)
}
