/** The built-in receiver: stores messages, verifies their signatures, and answers as configured. */

import { hmacHex, isHmacHex, sameHex } from '../../base/crypto.js'
import { isoUtc } from '../../base/iso.js'
import { parseUntrustedJson } from '../../base/json.js'
import { listAccounts } from '../../core/auth/account.js'
import { credentialOf, credentialsOf } from '../../core/auth/authenticate.js'
import { findEvent } from '../../core/delivery/deliveries.js'
import type { Workspace } from '../../core/unit/unit.js'
import {
  type InboxResponse,
  listInboxes,
  messagesOf,
  receiveFromStranger,
  receiveInInbox,
  removeInbox,
  requireInbox,
  type StoredMessage,
  setInboxResponses,
} from '../../core/webhooks/inbox.js'
import { inboxIn, type inboxRoutes } from '../../protocol/control/webhooks.js'
import { lowerCaseWebhookHeaders, requestHeaders, webhookHeaders } from '../../protocol/platform/headers.js'
import { baseUrlOf, type Env } from '../host.js'
import { type CallHeaders, isAdmin, receiveBody } from '../messages.js'
import { type ControlCall, type Handlers, pagedByName, pageFrom, rangeOf } from './routes.js'

type Rows = typeof inboxRoutes

async function postToInbox({
  host,
  ws,
  request,
  env,
  params: { name },
}: ControlCall<Rows['postToInbox']>): Promise<Response> {
  const isStranger = !isAdmin(host, request) && !isOwnWebhook(ws, request.headers, name)
  if (isStranger) requireInbox(ws.db, name)
  const received = await receiveBody(request, env.memoryShare)
  if (received.error !== null) throw received.error
  const headers = Object.fromEntries(request.headers)
  delete headers[requestHeaders.adminToken.toLowerCase()]
  const answer = await ws.unit((unit) => {
    const signatureValid = isSigned(ws, headers, received.bytes)
    const raw = new TextDecoder().decode(received.bytes)
    unit.publishChange({
      type: 'inbox',
      id: name,
      event: headers[lowerCaseWebhookHeaders.event] ?? null,
      signature_valid: signatureValid,
    })
    const message = { headers, raw, signatureValid }
    return isStranger ? receiveFromStranger(unit, name, message) : receiveInInbox(unit, name, message)
  })
  if (answer === undefined) return emptyResponse({ status: 200, delayMs: 0 })
  await pause(ws, answer.delayMs, env)
  return emptyResponse(answer)
}

/** Event ids are random and secret, so a request with a known id is a webhook of this workspace for this inbox. */
function isOwnWebhook(ws: Workspace, headers: CallHeaders, name: string): boolean {
  const id = headers.get(webhookHeaders.id) ?? ''
  const url = findEvent(ws.db, id)?.url ?? ''
  return URL.canParse(url) && inboxIn(new URL(url).pathname) === name
}

/**
 * Verifies the signature with the secret of the event's credential, or with every secret of the workspace if the event
 * is unknown. Returns null if there is no signature.
 */
function isSigned(ws: Workspace, headers: Record<string, string>, body: Uint8Array): boolean | null {
  const signature = headers[lowerCaseWebhookHeaders.signature]
  if (signature === undefined) return null
  if (!isHmacHex(signature)) return false
  const id = headers[lowerCaseWebhookHeaders.id] ?? ''
  const credential = credentialOf(ws.db, findEvent(ws.db, id)?.credentialSeq ?? null)
  const candidates =
    credential === undefined
      ? listAccounts(ws.db).flatMap((account) => credentialsOf(ws.db, account.seq))
      : [credential]
  return candidates.some(({ webhookSecret }) => sameHex(signature, hmacHex(webhookSecret, body)))
}

/** Waits for `delayMs`, or until the caller disconnects. */
function pause(ws: Workspace, delayMs: number, env: Env): Promise<void> {
  if (delayMs === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      cancel()
      stopWatching()
      resolve()
    }
    const cancel = ws.callAfter(delayMs, end)
    const stopWatching = env.onDisconnect?.(end) ?? (() => {})
  })
}

const withoutBody = [204, 205, 304]

const emptyResponse = ({ status }: InboxResponse) =>
  withoutBody.includes(status)
    ? new Response(null, { status })
    : new Response(JSON.stringify({ status }), {
        status,
        headers: { 'Content-Type': 'application/json; charset=utf-8' },
      })

function readInbox({ ws, query, params: { name } }: ControlCall<Rows['readInbox']>) {
  const { order = 'oldest', event, about, after } = query
  const { limit, rowLimit } = rangeOf(query)
  const filter = { name, newestFirst: order === 'newest', event: event ?? null, about: about ?? null }
  const from = after === undefined ? null : Number(after)
  return pageFrom(messagesOf(ws.db, { ...filter, after: from, limit: rowLimit }), limit, messageFields)
}

const messageFields = ({ headers, raw, signatureValid, receivedAtMs }: StoredMessage) => ({
  headers,
  body: parseUntrustedJson(raw) ?? null,
  raw,
  signature_valid: signatureValid,
  received_at: isoUtc(receivedAtMs),
})

async function setInboxAnswers({ ws, body, params: { name } }: ControlCall<Rows['setInboxAnswers']>) {
  const responses = body.responses.map(({ status, delay }) => ({ status, delayMs: delay ?? 0 }))
  await ws.unit((unit) => setInboxResponses(unit, name, responses))
  return { responses: responses.map(responseFields) }
}

const responseFields = ({ status, delayMs }: InboxResponse) => ({ status, delay: `${delayMs}ms` })

export const inboxHandlers: Handlers<Rows> = {
  async listInboxes(call) {
    const boxes = await call.ws.unit(({ db }) => listInboxes(db))
    const page = pagedByName(boxes, call.query, ({ name }) => name)
    const data = page.data.map(({ name, messages, lastMs, responses }) => ({
      name,
      url: `${baseUrlOf(call)}/_sandbox/inbox/${name}`,
      messages,
      last_received_at: lastMs === null ? null : isoUtc(lastMs),
      responses: responses.map(responseFields),
    }))
    return { data, next: page.next }
  },
  postToInbox,
  readInbox,
  setInboxAnswers,
  async emptyInbox({ ws, params }) {
    await ws.unit((unit) => removeInbox(unit.db, params.name))
    return null
  },
}
