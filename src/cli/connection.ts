/** Connects a command to a running sandbox, finds the account that it uses, and prints results: tables for people, one line of JSON for programs. */

import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { SecureContext } from 'node:tls'
import { type Command, Option } from 'commander'
import { camelCase, suggestion } from '../base/text.js'
import { type ControlClient, connectControl } from '../client/control.js'
import type { Send, StreamedAnswer } from '../client/exchange.js'
import type { Account, Credential } from '../client/types/control.js'
import { defaultUrl } from '../protocol/settings/process.js'
import { UsageError } from './errors.js'

export interface ConnectionFlags {
  url?: string | undefined
  adminToken?: string | undefined
  workspace?: string | undefined
  json?: boolean
}

export function addConnectionFlags(command: Command): Command {
  for (const [flag, help] of connectionFlags) command.addOption(new Option(flag, help).helpGroup('Connection:'))
  return addJsonFlag(command)
}

export const subcommand = (command: Command, name: string, summary: string): Command =>
  addConnectionFlags(command.command(name).description(summary))

export const addJsonFlag = (command: Command): Command => command.option('--json', 'print JSON')

const connectionFlags = [
  ['--url <address>', `base URL of the sandbox (PAYMENTS_SANDBOX_URL; default: ${defaultUrl})`],
  ['--admin-token <text>', 'admin token, if the sandbox requires one (PAYMENTS_SANDBOX_ADMIN_TOKEN)'],
  ['--workspace <name>', 'workspace to use (PAYMENTS_SANDBOX_WORKSPACE; default: default)'],
] as const

export const repeatableFlag = (flags: string, help: string): Option =>
  new Option(flags, `${help}; repeatable`).default([]).argParser((text: string, before: string[]) => [...before, text])

/** Parses a flag that is a whole number. Throws `UsageError`. */
export function wholeNumber(flag: string, text: string, least: number, most = Number.POSITIVE_INFINITY): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text)
  const range = most === Number.POSITIVE_INFINITY ? `of at least ${least}` : `from ${least} to ${most}`
  throw new UsageError(`${flag} must be a whole number ${range}, not ${text}`)
}

/** Parses a flag that is a port; 0 is any free one. Throws `UsageError`. */
export const portNumber = (flag: string, text: string): number => wholeNumber(flag, text, 0, 65_535)

const fromEnvironment = (name: string): string | undefined => process.env[name] || undefined

export type Sandbox = ControlClient

/** Returns the address that the caller names; undefined if the default applies. */
export const namedUrl = (flags: ConnectionFlags): string | undefined =>
  flags.url ?? fromEnvironment('PAYMENTS_SANDBOX_URL')

/** Returns a connection; sends nothing yet. Throws `UsageError` for an invalid URL. */
export function connect(flags: ConnectionFlags): Sandbox {
  const address = namedUrl(flags) ?? defaultUrl
  const url = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`${address} is not the URL of a sandbox; use a form such as ${defaultUrl}`)
  const workspace = flags.workspace ?? fromEnvironment('PAYMENTS_SANDBOX_WORKSPACE')
  return connectControl(url, { adminToken: adminTokenOf(flags), workspace, send: httpSend, sendStream: httpSend })
}

export const adminTokenOf = (flags: ConnectionFlags): string | undefined =>
  flags.adminToken ?? fromEnvironment('PAYMENTS_SANDBOX_ADMIN_TOKEN')

/** Prints a value: one line of JSON with `--json`, otherwise the result of `text`. */
export function print<T>(flags: ConnectionFlags, value: T, text: (value: T) => string): void {
  process.stdout.write(flags.json === true ? `${JSON.stringify(value)}\n` : text(value))
}

/** Returns the given flags as query parameters with the same names in snake_case. */
export function queryOf(flags: Record<string, unknown>, names: readonly string[]): Record<string, string> {
  const values = names.flatMap((name): [string, string][] => {
    const value = flags[camelCase(name)]
    return value === undefined ? [] : [[name, String(value)]]
  })
  return Object.fromEntries(values)
}

/** Returns the account with that username (default: the first one). Throws `UsageError` if it does not exist. */
export async function accountNamed(sandbox: Sandbox, username: string | undefined): Promise<Account> {
  const { data } = await sandbox.call('GET /accounts')
  const found = username === undefined ? data[0] : data.find((account) => account.username === username)
  if (found !== undefined) return found
  const names = data.map((account) => account.username)
  throw new UsageError(
    username === undefined
      ? 'the sandbox has no account; create one with payments-sandbox account create'
      : `unknown account ${username}${suggestion(username, names)}`,
  )
}

/** Returns the first active credential, or the first one if none is active. */
export function credentialOf(account: Account): Credential {
  return account.credentials.find((credential) => credential.active) ?? account.credentials[0]
}

/** Sends texts and streams, and does not follow redirects. Rejects with the error of the network. */
export const httpSend: Send<StreamedAnswer> = async (url, { method = 'GET', headers, body, signal }) => {
  const { protocol } = new URL(url)
  const isTls = protocol === 'https:'
  // A dynamic import of a built-in module fails in a program that was loaded from V8's cache.
  const open = isTls ? process.getBuiltinModule('node:https').request : request
  const trust = isTls ? await ownTrust() : {}
  const text = typeof body === 'string' ? body : ''
  return new Promise((resolve, reject) => {
    const headerFields = Object.fromEntries(new Headers(headers))
    const length =
      body instanceof ReadableStream || (text === '' && method === 'GET')
        ? {}
        : { 'Content-Length': String(Buffer.byteLength(text)) }
    const outgoing = open(
      url,
      { method, headers: { ...headerFields, ...length }, ...trust, ...(signal ? { signal } : {}) },
      (incoming) => resolve(answerOf(url, incoming)),
    )
    outgoing.once('error', reject)
    if (!(body instanceof ReadableStream)) return void outgoing.end(text)
    // The types of Node's web streams differ from those of the browser.
    const source = Readable.fromWeb(body as NodeReadableStream)
    source.once('error', (error) => outgoing.destroy(error)).pipe(outgoing)
  })
}

/** Returns a TLS context that also trusts the authority of the sandbox, if the authority exists. */
async function ownTrust(): Promise<{ secureContext?: SecureContext }> {
  const { authorityCertificate } = await import('./tls-authority.js')
  const authority = authorityCertificate()
  if (authority === undefined) return {}
  return { secureContext: (await import('../runtime/node/send/connect.js')).contextTrusting(authority) }
}

function answerOf(url: string, incoming: IncomingMessage): StreamedAnswer {
  const status = incoming.statusCode ?? 0
  return {
    ok: status >= 200 && status < 300,
    status,
    url,
    headers: {
      get(name) {
        const value = incoming.headers[name.toLowerCase()]
        return value === undefined ? null : String(value)
      },
    },
    get body() {
      // The types of Node's web streams differ from those of the browser.
      return Readable.toWeb(incoming) as ReadableStream<Uint8Array>
    },
    async text() {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk)
      return Buffer.concat(chunks).toString('utf8')
    },
  }
}
