/** A call of the platform API from its first byte to its answer: receive, enter the core once, respond, record. */
import type { Hono } from 'hono'
import { type Call, newTrace } from '../../core/calls/call.js'
import { enter, type Outcome } from '../../core/calls/enter.js'
import { playOut } from '../../core/calls/intercept.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { type Endpoint, type EndpointName, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { type Answer, errorAnswer, insteadAnswer, plainAnswer, successAnswer, toResponse } from '../answer.js'
import type { AppEnv, CallEnv } from '../host.js'
import { receiveCall } from './call.js'
import { nothingReceived } from './receive.js'
import { recordCall } from './record.js'

export function mountPlatform(routes: Hono<AppEnv>): void {
  for (const name of endpointNames) {
    const { method, path }: Endpoint = endpoints[name]
    routes.on(method, path, (c) => handleCall(c.env.ws, name, c.req.raw, c.env))
  }
}

export async function handleCall(ws: Workspace, name: EndpointName, request: Request, env: CallEnv): Promise<Response> {
  const startedMs = ws.clock.wall()
  const requestId = ws.memory.ids.next('requests').id
  const trace = newTrace()
  let received = nothingReceived
  let answer: Answer
  try {
    const incoming = await receiveCall(ws, name, requestId, request, env)
    const { call } = incoming
    received = incoming.received
    answer = toAnswer(await ws.unit((unit) => enter(unit, call, trace)), call)
  } catch (error) {
    trace.staged = null
    answer = errorAnswer(error)
  }
  if (trace.staged !== null) await playOut(ws, trace.staged, env.disconnect)
  recordCall(ws, { endpoint: endpoints[name], request, env, received, answer, requestId, trace, startedMs })
  return toResponse(answer.status === 0 ? neverSent(answer) : answer, requestId)
}

function toAnswer(outcome: Outcome, { name, requestId }: Call): Answer {
  if ('rejected' in outcome) return errorAnswer(outcome.rejected)
  if ('respond' in outcome) return insteadAnswer(outcome.respond)
  const { status, data, atMs } = outcome
  return name === 'token' ? plainAnswer(status, data) : successAnswer(status, data, requestId, atMs)
}

/** The connection is gone, but the runtime needs a status. */
const neverSent = (answer: Answer): Answer => ({ ...answer, status: 503 })
