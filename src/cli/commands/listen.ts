/** `payments-sandbox listen`: a temporary receiver that prints the webhooks of an account and can forward them. */

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Command } from 'commander'
import { parseUntrustedJson } from '../../base/json.js'
import { codeOf, fieldsIn } from '../../base/unknown.js'
import { UnreachableError } from '../../client/errors.js'
import { verifyWebhook } from '../../client/signatures.js'
import type { Credential } from '../../client/types/control.js'
import { lowerCaseWebhookHeaders } from '../../protocol/platform/headers.js'
import { webhookTimeouts } from '../../protocol/platform/limits.js'
import { defaultHost } from '../../protocol/settings/process.js'
import { originOf, readWhole } from '../../runtime/node/server/http-guard.js'
import {
  accountNamed,
  addConnectionFlags,
  type CommandUsages,
  type ConnectionFlags,
  connect,
  credentialOf,
  portNumber,
  type Sandbox,
} from '../command.js'
import { Failure, UsageError } from '../errors.js'
import { untilInterrupted } from '../lists.js'
import { bold, dim, paint, paintState, replaceControls } from '../terminal/style.js'

interface Flags extends ConnectionFlags {
  forwardTo?: string
  account?: string
  host: string
  port: string
}

interface ReceivedWebhook {
  received_at: string
  id: string
  event: string
  transaction_id: string
  signature: 'valid' | 'invalid'
  reason?: string
  answered: number
  forwarded_to?: string
  answer?: string
  error?: string
  body: unknown
}

/** Part of every URL of `listen`. A webhook URL with it was left by a `listen` that was killed. */
const marker = '/payments-sandbox-listen/'

export const usages: CommandUsages = {
  listen: {
    jsonOutputs: [{ shape: 'listenOutput', description: 'one line at the start, and one line for each webhook' }],
    examples: {
      'payments-sandbox listen': 'print each webhook and check its signature',
      'payments-sandbox listen --forward-to http://localhost:3000/webhooks': 'also forward each webhook to your app',
    },
  },
}

export function define(command: Command): void {
  addConnectionFlags(command)
    .option('--forward-to <url>', 'forward each webhook to this URL, and pass its response to the sandbox')
    .option('--account <username>', 'account whose webhooks are received (default: the first account)')
    .option('--host <address>', `address to listen on (default: ${defaultHost})`, defaultHost)
    .option('--port <number>', 'port to listen on (default: any free port)', '0')
    .action(listen)
}

async function listen(flags: Flags): Promise<void> {
  if (flags.forwardTo !== undefined && !/^https?:\/\/[^/]/i.test(flags.forwardTo))
    throw new UsageError(`--forward-to must be an http:// or https:// URL, not ${flags.forwardTo}`)
  const port = portNumber('--port', flags.port)
  const sandbox = connect(flags)
  const account = await accountNamed(sandbox, flags.account)
  const credential = credentialOf(account)
  const server = createServer((request, response) => void receive(request, response, credential, flags))
  const url = `${await addressOf(server, flags.host, port)}${marker}${randomUUID()}`
  const previousUrl = credential.postback_url?.includes(marker) ? null : credential.postback_url
  const setUrl = (postback_url: string | null) =>
    sandbox.call('PATCH /credentials/{client_id}', {
      params: { client_id: credential.client_id },
      body: { postback_url },
    })
  try {
    await untilInterrupted(new AbortController(), async (signal) => {
      await setUrl(url)
      await untilStopped(sandbox, signal, {
        onConnected: () => welcome(account.username, url, previousUrl, flags),
        onStateReplaced: () => setUrl(url),
      })
    })
  } finally {
    // If the sandbox has stopped, there is no URL to restore.
    await setUrl(previousUrl).catch(() => undefined)
    server.close()
    server.closeAllConnections()
  }
}

/** A reset and a restored snapshot also restore the webhook URL of that state. */
const replacingStates: ReadonlySet<unknown> = new Set(['reset', 'restored'])

interface ChangeListeners {
  /** Called when the stream of changes is open. */
  onConnected: () => void
  /** Called after each reset and each restored snapshot. */
  onStateReplaced: () => Promise<unknown>
}

/** Resolves on a signal. Rejects when the sandbox stops. */
async function untilStopped(sandbox: Sandbox, signal: AbortSignal, listeners: ChangeListeners) {
  await sandbox.stream(
    (change) => {
      if (change.type === 'workspace' && replacingStates.has(change.status))
        void listeners.onStateReplaced().catch(() => undefined)
    },
    signal,
    { onOpen: listeners.onConnected },
  )
  if (!signal.aborted) throw new UnreachableError(`the sandbox at ${sandbox.url} has stopped`)
}

function addressOf(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Failure(`cannot listen on ${host} port ${port} (${error.code ?? error.message}); choose another --port`),
      ),
    )
    server.listen({ host, port }, () => {
      resolve(originOf(server))
    })
  })
}

function welcome(username: string, url: string, previousUrl: string | null, flags: Flags): void {
  if (flags.json === true)
    return void process.stdout.write(`${JSON.stringify({ event: 'listening', account: username, url })}\n`)
  const forwardText = flags.forwardTo === undefined ? '' : `, forwarding to ${flags.forwardTo}`
  const after = previousUrl === null ? '' : dim(` (${previousUrl} is restored on exit)`)
  process.stdout.write(
    `${bold('listening')} for the webhooks of ${username}${forwardText}${after}\n${dim('press Ctrl-C to stop')}\n\n`,
  )
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  credential: Credential,
  flags: Flags,
): Promise<void> {
  const raw = await readWhole(request)
  if (raw === null) return void request.socket.destroy()
  const verdict = verifyWebhook({ headers: request.headers, body: raw, secret: credential.webhook_secret })
  const refusal = verdict.ok ? null : verdict.reason
  const forwarded =
    flags.forwardTo === undefined
      ? { status: refusal === null ? 200 : 401, body: '' }
      : await forward(flags.forwardTo, request, raw)
  response.writeHead(forwarded.status).end(forwarded.body)
  show(describeReceived(request, raw, refusal, forwarded, flags), flags)
}

interface ForwardResult {
  status: number
  body: string
  error?: string
}

const connectionHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'])

/** A failed forward returns 502, so that the sandbox retries. */
async function forward(url: string, request: IncomingMessage, raw: Buffer): Promise<ForwardResult> {
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    connectionHeaders.has(name) || value === undefined ? [] : [[name, String(value)]],
  )
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: new Uint8Array(raw),
      redirect: 'manual',
      signal: AbortSignal.timeout(webhookTimeouts.totalMs),
    })
    return { status: answer.status, body: await answer.text() }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return {
      status: 502,
      body: '',
      error: cause instanceof Error ? (codeOf(cause) ?? cause.message) : String(cause),
    }
  }
}

function describeReceived(
  request: IncomingMessage,
  raw: Buffer,
  refusal: string | null,
  forwarded: ForwardResult,
  flags: Flags,
): ReceivedWebhook {
  const text = raw.toString('utf8')
  const body = parseUntrustedJson(text) ?? text
  const { transaction_id } = fieldsIn(body)
  return {
    received_at: new Date().toISOString(),
    id: String(request.headers[lowerCaseWebhookHeaders.id] ?? ''),
    event: String(request.headers[lowerCaseWebhookHeaders.event] ?? ''),
    transaction_id: typeof transaction_id === 'string' ? transaction_id : '',
    signature: refusal === null ? 'valid' : 'invalid',
    ...(refusal === null ? {} : { reason: refusal }),
    answered: forwarded.status,
    ...(flags.forwardTo === undefined
      ? {}
      : { forwarded_to: flags.forwardTo, answer: forwarded.body.slice(0, shownAnswerChars) }),
    ...(forwarded.error === undefined ? {} : { error: forwarded.error }),
    body,
  }
}

/** So much of an answer is shown. */
const shownAnswerChars = 300

/** Where the webhook was forwarded to, and the status and the start of the body of the answer. */
function forwardedText({ forwarded_to, answered, answer = '', error }: ReceivedWebhook): string {
  if (forwarded_to === undefined) return ''
  const result = paint(answered < 300 ? 'green' : 'red', error ?? String(answered))
  const text = replaceControls(answer.replaceAll(/\s+/g, ' ')).trim()
  return `\n  → ${forwarded_to} ${result}${text === '' ? '' : ` ${text}`}`
}

function show(received: ReceivedWebhook, flags: Flags): void {
  if (flags.json === true) return void process.stdout.write(`${JSON.stringify(received)}\n`)
  const { received_at, event, id, transaction_id, signature, reason } = received
  const line = `${dim(received_at.slice(11, 23))} ${bold(replaceControls(event))} ${replaceControls(transaction_id)} ${dim(replaceControls(id))}`
  process.stdout.write(
    `${line} signature ${paintState(signature)}${reason === undefined ? '' : ` (${reason})`}${forwardedText(received)}\n`,
  )
}
