/** Turns rows of the control API into routes: input is validated before it reaches a handler, and the row types the output. */

import type { Hono } from 'hono'
import * as z from 'zod'
import type { AnswerOf, BodyOf, ControlRow, ParamsOf, QueryOf } from '../../protocol/control/route.js'
import { responseHeaders } from '../../protocol/platform/headers.js'
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
import { validateInput } from './check.js'

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
        return withRequestId(errorResponse(error), requestId)
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
