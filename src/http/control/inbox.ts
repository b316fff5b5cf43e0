/** The built-in receiver: what came, whether its signature holds, and what to answer next. */
import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { hmacHex, sameHex } from '../../base/crypto.js'
import { isoUtc } from '../../base/iso.js'
import { credentialOf, credentialsOf, listAccounts } from '../../core/access/account.js'
import type { InboxResponse, KeptMessage } from '../../core/webhooks/inbox.js'
import type { Workspace } from '../../core/workspace/workspace.js'
import { duration, whole } from '../../protocol/api/fields.js'
import { events } from '../../store/schema.js'
import type { Env } from '../host.js'
import { receive } from '../receive.js'
import { durationOf, invalid, knownQuery, pageOf, readBody } from './params.js'
import type { AdminCall, AdminRoute } from './route.js'

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

function nameOf({ params }: AdminCall): string {
  const name = params.name ?? ''
  if (namePattern.test(name)) return name
  throw invalid('name', 'must be 1 to 100 letters, digits, dots, hyphens and underscores')
}

async function take(call: AdminCall): Promise<Response> {
  const { ws, request } = call
  const name = nameOf(call)
  const received = await receive(request, call.env.held)
  if (received.fault !== null) throw received.fault
  const headers = Object.fromEntries(request.headers)
  delete headers['x-sandbox-admin-token']
  let answer: InboxResponse = { status: 200, delayMs: 0 }
  await ws.unit((unit) => {
    const signatureValid = isSigned(ws, headers, received.bytes)
    const raw = new TextDecoder().decode(received.bytes)
    const receivedAtMs = unit.atMs
    unit.after(() => {
      answer = ws.memory.inbox.receive(name, { headers, raw, signatureValid, receivedAtMs })
    })
    unit.change({ type: 'inbox', id: name, event: headers['x-webhook-event'] ?? null, signature_valid: signatureValid })
  })
  await pause(ws, answer.delayMs, call.env)
  return emptyOf(answer)
}

/** Against the secret of the credential that the event belongs to, or any of the workspace where the event is not ours; null without a signature. */
function isSigned(ws: Workspace, headers: Record<string, string>, body: Uint8Array): boolean | null {
  const signature = headers['x-webhook-signature']
  if (signature === undefined) return null
  if (!/^[0-9a-f]{64}$/.test(signature)) return false
  const id = headers['x-webhook-id'] ?? ''
  const event = ws.db.orm.select({ seq: events.credentialSeq }).from(events).where(eq(events.id, id)).get()
  const own = event === undefined ? undefined : credentialOf(ws.db, event.seq)
  const candidates =
    own === undefined ? listAccounts(ws.db).flatMap((account) => credentialsOf(ws.db, account.seq)) : [own]
  return candidates.some(({ webhookSecret }) => sameHex(signature, hmacHex(webhookSecret, body)))
}

/** Ends early when nobody waits for the answer any more. */
function pause(ws: Workspace, delayMs: number, env: Env): Promise<void> {
  if (delayMs === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      cancel()
      stopWatching()
      resolve()
    }
    const cancel = ws.alarm(delayMs, end)
    const stopWatching = env.whenGone?.(end) ?? (() => {})
  })
}

const withoutBody = [204, 205, 304]

const emptyOf = ({ status }: InboxResponse) =>
  withoutBody.includes(status)
    ? new Response(null, { status })
    : new Response(JSON.stringify({ status }), {
        status,
        headers: { 'Content-Type': 'application/json; charset=utf-8' },
      })

function list(call: AdminCall) {
  knownQuery(call.query, ['limit', 'after'])
  const { limit } = pageOf(call.query)
  const after = Number(call.query.get('after') ?? 0)
  const messages = call.ws.memory.inbox.list(nameOf(call), after, limit + 1)
  const page = messages.slice(0, limit)
  return { data: page.map(shown), next: messages.length > limit ? String(page.at(-1)?.seq) : null }
}

const shown = ({ headers, raw, signatureValid, receivedAtMs }: KeptMessage) => ({
  headers,
  body: parsed(raw),
  raw,
  signature_valid: signatureValid,
  received_at: isoUtc(receivedAtMs),
})

/** As JSON readers see it; null where it is no JSON. */
function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return null
  }
}

const maxDelayMs = 60_000
const responsesBody = z.strictObject({
  responses: z
    .array(z.strictObject({ status: whole(200, 599), delay: duration().optional() }), 'must be a list')
    .max(100, 'must be at most 100'),
})

function respond(call: AdminCall) {
  const responses = readBody(responsesBody, call.body).responses.map(({ status, delay }, index) => {
    const delayMs = delay === undefined ? 0 : durationOf(delay, `responses.${index}.delay`)
    if (delayMs > maxDelayMs) throw invalid(`responses.${index}.delay`, 'must be at most 60s')
    return { status, delayMs }
  })
  call.ws.memory.inbox.respond(nameOf(call), responses)
  return { responses: responses.map(({ status, delayMs }) => ({ status, delay: `${delayMs}ms` })) }
}

function empty(call: AdminCall) {
  call.ws.memory.inbox.empty(nameOf(call))
  return null
}

export const inboxRoutes: readonly AdminRoute[] = [
  {
    method: 'POST',
    path: '/_sandbox/inbox/:name',
    title: 'A receiver of webhooks: put this address as postback_url',
    input: 'open',
    handle: take,
  },
  {
    method: 'GET',
    path: '/_sandbox/inbox/:name',
    title: 'What came, in order of arrival',
    queryNames: ['limit', 'after'],
    handle: list,
  },
  {
    method: 'PUT',
    path: '/_sandbox/inbox/:name',
    title: 'What to answer next; the last answer repeats',
    describeBody: () => responsesBody,
    handle: respond,
  },
  { method: 'DELETE', path: '/_sandbox/inbox/:name', title: 'Empty it: messages and answers', handle: empty },
]
