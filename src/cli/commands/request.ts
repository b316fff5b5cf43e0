/** `payments-sandbox request`: one call of the platform API, with token and signature. */

import { STATUS_CODES } from 'node:http'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { indentedJson } from '../../base/json.js'
import { nearest } from '../../base/text.js'
import { fieldsIn, messageOf } from '../../base/unknown.js'
import type { Answer } from '../../client/exchange.js'
import { signRequest } from '../../client/signatures.js'
import type { Credential } from '../../client/types/control.js'
import { type Endpoint, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { cliUserAgent, responseHeaders } from '../../protocol/platform/headers.js'
import { readInputFile, readStandardInput } from '../../runtime/node/files/input.js'
import {
  accountNamed,
  addConnectionFlags,
  type CommandUsages,
  type ConnectionFlags,
  connect,
  credentialOf,
  httpSend,
  repeatableFlag,
} from '../command.js'
import { didYouMean, exitCodes, Failure, UsageError } from '../errors.js'
import { tryThis } from '../terminal/advice.js'
import { dim, paint, replaceControls } from '../terminal/style.js'

interface Flags extends ConnectionFlags {
  data?: string
  file: string[]
  account?: string
}

export const usages: CommandUsages = {
  request: {
    jsonOutputs: [{ description: 'the response of the platform API, on one line' }],
    examples: {
      'payments-sandbox request GET /v2/account/balance': 'read balances; the token is fetched for you',
      'payments-sandbox request POST /v2/transactions/cashin --data \'{"amount":25,"currency":"BRL"}\'':
        'create a charge',
      'payments-sandbox request POST /v2/transactions/cashout --data \'{"amount":10,"currency":"BRL","key":"ana@example.com","external_id":"w-1"}\'':
        'create a withdrawal; the required signature is added',
      'payments-sandbox request POST /v2/transactions/cashin --data @charge.json': 'read the body from a file',
    },
  },
}

export function define(command: Command): void {
  addConnectionFlags(command)
    .argument('<method>', 'GET or POST')
    .argument('<path>', 'such as /v2/account/balance')
    .option('--data <json>', 'request body; @FILE reads a file, - reads standard input')
    .addOption(repeatableFlag('--file <path>', 'attach a file (dispute replies only)'))
    .option('--account <username>', 'account that makes the call (default: the first account)')
    .action(run)
}

async function run(typedMethod: string, typedPath: string, flags: Flags): Promise<void> {
  const method = typedMethod.toUpperCase()
  if (typedMethod.startsWith('/') && /^[a-z]+$/i.test(typedPath))
    throw new UsageError(
      `the method stands before the path; ${tryThis('request', typedPath.toUpperCase(), typedMethod)}`,
    )
  if (!/^[A-Z]+$/.test(method)) throw new UsageError(`${typedMethod} is not an HTTP method`)
  const path = typedPath.startsWith('/') ? typedPath : `/${typedPath}`
  const endpoint = endpointAt(method, path)
  const body = bodyOf(flags, endpoint)
  const sandbox = connect(flags)
  const credential = credentialOf(await accountNamed(sandbox, flags.account))
  const headers: Record<string, string> = { ...cliUserAgent }
  if (typeof body === 'string') headers['Content-Type'] = 'application/json'
  headers.Authorization =
    endpoint?.auth === 'basic' ? basic(credential) : `Bearer ${await token(sandbox.url, credential)}`
  if (endpoint?.hmac === true)
    Object.assign(
      headers,
      signRequest({ signingKey: credential.signing_key, body: typeof body === 'string' ? body : '' }),
    )
  const answer = await send(sandbox.url + path, { method, headers, ...(body === undefined ? {} : { body }) })
  await printResponse(answer, flags, endpoint === undefined ? path : undefined)
}

function endpointAt(method: string, path: string): Endpoint | undefined {
  const pathWithoutQuery = path.split('?', 1)[0]
  return Object.values<Endpoint>(endpoints).find((row) => row.method === method && row.path === pathWithoutQuery)
}

/** Returns the body. Text is sent exactly as typed, so that invalid bodies can be tried too. */
function bodyOf({ data, file }: Flags, endpoint: Endpoint | undefined): string | FormData | undefined {
  const text = data === undefined ? undefined : textOf(data)
  if (endpoint?.input === 'multipart') return formOf(text, file)
  if (file.length > 0) throw new UsageError(`--file is supported only for ${endpoints.infractionReply.path}`)
  return text ?? (endpoint?.auth === 'basic' ? '{"grant_type":"client_credentials"}' : undefined)
}

function textOf(data: string): string {
  if (data !== '-' && !data.startsWith('@')) return data
  return (data === '-' ? readStandardInput('body') : readInputFile('body', data.slice(1))).toString('utf8')
}

function formOf(text: string | undefined, files: readonly string[]): FormData {
  const form = new FormData()
  let fields: unknown
  try {
    fields = JSON.parse(text ?? '{}')
  } catch {
    throw new UsageError('--data must be JSON: its fields become the fields of the multipart form')
  }
  for (const [name, value] of Object.entries(fieldsIn(fields))) form.append(name, String(value))
  for (const file of files)
    form.append('files[]', new Blob([new Uint8Array(readInputFile('attachment', file))]), basename(file))
  return form
}

const basic = ({ client_id, client_secret }: Credential) =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`

async function token(base: string, credential: Credential): Promise<string> {
  const answer = await send(`${base}${endpoints.token.path}`, {
    method: 'POST',
    headers: { ...cliUserAgent, Authorization: basic(credential), 'Content-Type': 'application/json' },
    body: '{"grant_type":"client_credentials"}',
  })
  const body: { access_token?: string; error?: { code: string; message: string } } = JSON.parse(await answer.text())
  if (body.access_token !== undefined) return body.access_token
  throw new Failure(`the token request failed: ${body.error?.code}: ${body.error?.message}`)
}

async function send(url: string, init: RequestInit): Promise<Answer> {
  try {
    return await httpSend(url, init.body instanceof FormData ? withEncodedForm(init, init.body) : init)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new Failure(
      `the call failed before a response arrived (${messageOf(cause)}); payments-sandbox requests shows whether a scenario or chaos dropped it`,
    )
  }
}

function withEncodedForm(init: RequestInit, form: FormData): RequestInit {
  const { headers, body } = new Response(form)
  return {
    ...init,
    body,
    headers: { ...Object.fromEntries(new Headers(init.headers)), ...Object.fromEntries(headers) },
  }
}

/** Prints the response to standard output as it is, and its status to standard error. */
async function printResponse(answer: Answer, flags: Flags, unknownPath: string | undefined): Promise<void> {
  const text = await answer.text()
  const color = answer.ok ? 'green' : 'red'
  const id = answer.headers.get(responseHeaders.requestId)
  process.stderr.write(
    `${paint(color, `${answer.status} ${STATUS_CODES[answer.status] ?? ''}`.trim(), process.stderr)}${id === null ? '' : ` ${paint('dim', id, process.stderr)}`}\n`,
  )
  process.stdout.write(`${flags.json === true ? text : indentedJson(text, replaceControls)}\n`)
  if (answer.ok) return
  process.exitCode = exitCodes.failed
  if (unknownPath === undefined || answer.status !== 404) return
  const guess = nearest(
    unknownPath,
    endpointNames.map((name) => endpoints[name].path),
  )
  if (guess !== null)
    process.stderr.write(
      `${dim(`payments-sandbox: the platform API has no ${replaceControls(unknownPath)}${didYouMean(guess)}`)}\n`,
    )
}
