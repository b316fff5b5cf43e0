/** Turns rows of the control API into routes: what comes in is checked before a handler sees it, what goes out is typed by the row. */

import type { Hono } from 'hono'
import * as z from 'zod'
import type { Workspace } from '../../core/unit/workspace.js'
import type { AnswerOf, BodyOf, ControlRow, ParamsOf, QueryOf } from '../../protocol/control/route.js'
import { answerHeaders } from '../../protocol/platform/headers.js'
import { errorAnswer, jsonObject, plainAnswer, receive, requireContentType, toResponse } from '../bodies.js'
import type { AppEnv, CallEnv, Host } from '../host.js'
import { queryOf } from '../query.js'
import { check } from './check.js'

/** What a handler works with, whatever the row. */
export interface CallContext {
  host: Host
  ws: Workspace
  env: CallEnv
  request: Request
}

export interface ControlCall<Row extends ControlRow> extends CallContext {
  params: ParamsOf<Row>
  query: QueryOf<Row>
  body: BodyOf<Row>
}

/** What the row says; a `Response` if that is not JSON, or too long to be made at once. */
type Reply<Row extends ControlRow> = Row extends { media: string } | { also: object } | { streamed: true }
  ? Response
  : AnswerOf<Row>

export type Handlers<Rows extends Record<string, ControlRow>> = {
  [Name in keyof Rows]: (call: ControlCall<Rows[Name]>) => Reply<Rows[Name]> | Promise<Reply<Rows[Name]>>
}

/** `base` comes before every path. */
export function mountRows<Rows extends Record<string, ControlRow>>(
  routes: Hono<AppEnv>,
  base: string,
  rows: Rows,
  handlers: Handlers<Rows>,
): void {
  for (const [name, row] of Object.entries<ControlRow>(rows)) {
    // Each handler fits its row, which `Handlers` holds; a loop over all of them cannot say so.
    const handle = handlers[name as keyof Rows] as (call: ControlCall<ControlRow>) => unknown
    const path = base + row.path.replace(/\{([a-z_]+)\}/g, ':$1')
    const schemas = schemasOf(row)
    routes.on(row.method, path, async (c) => {
      const { host, ws } = c.env
      const requestId = ws.memory.ids.next('requests').id
      try {
        const context = { host, ws, env: c.env, request: c.req.raw }
        const given = await inputOf(row, schemas, context, { ...c.req.param() })
        return toAnswer(row, await handle({ ...context, ...given }), requestId)
      } catch (error) {
        return toResponse(errorAnswer(error), requestId)
      }
    })
  }
}

type Input = Pick<ControlCall<ControlRow>, 'params' | 'query' | 'body'>

const nothing = z.strictObject({})

/** Made at the first call, and kept: zod compiles a schema when it is first used. */
function schemasOf(row: ControlRow) {
  const kept = new Map<keyof ControlRow, z.ZodType>()
  return (part: 'params' | 'query' | 'body'): z.ZodType => {
    const schema = kept.get(part) ?? row[part]?.() ?? nothing
    kept.set(part, schema)
    return schema
  }
}

/** 400, 413, 415, 422: in the order of path, query, body. */
async function inputOf(
  row: ControlRow,
  schemaOf: ReturnType<typeof schemasOf>,
  { request, env }: CallContext,
  params: Record<string, string>,
): Promise<Input> {
  if (row.params !== undefined) check(schemaOf('params'), params, 'parameter')
  // What a schema answers is what `QueryOf` and `BodyOf` read from it.
  const query = check(schemaOf('query'), queryOf(request), 'parameter') as Input['query']
  if (row.raw === 'any') return { params, query, body: {} }
  if (request.method !== 'GET') forbidForms(request, row)
  if (row.raw !== undefined) return { params, query, body: {} }
  const received = await receive(request, env.bodyShare)
  const given = jsonObject(received, request.headers)
  // Likewise.
  const body = check(schemaOf('body'), given, 'field') as Input['body']
  return { params, query, body }
}

function toAnswer(row: ControlRow, value: unknown, requestId: string): Response {
  if (value instanceof Response) {
    value.headers.set(answerHeaders.requestId, requestId)
    return value
  }
  if (row.answer === undefined)
    return new Response(null, { status: 204, headers: { [answerHeaders.requestId]: requestId } })
  return toResponse(plainAnswer(200, value), requestId)
}

/** A form is the one thing that a foreign page can post without being asked first: a body must be JSON or YAML. */
function forbidForms({ headers }: Request, { raw, untyped }: ControlRow): void {
  const type = headers.get('content-type')
  const length = headers.get('content-length')
  const isEmpty = (length === null || length === '0') && headers.get('transfer-encoding') === null
  if (type === null && (isEmpty || untyped === true)) return
  requireContentType(headers, raw === undefined || raw === 'any' ? ['application/json', 'application/yaml'] : raw)
}
