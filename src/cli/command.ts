/** What commands are made of: definition, outputs and examples, connection to a running sandbox, printed results. */

import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { SecureContext } from 'node:tls'
import { type Command, Option } from 'commander'
import { camelCase, nearest, suggestion } from '../base/text.js'
import { type ControlClient, connectControl } from '../client/control.js'
import type { Send, StreamedAnswer } from '../client/exchange.js'
import type { Account, Credential } from '../client/types/control.js'
import type { RouteSet } from '../http/host.js'
import type { controlRoutes } from '../protocol/control/index.js'
import type { shapes } from '../protocol/control/outputs.js'
import type { ControlRow } from '../protocol/control/route.js'
import { defaultUrl } from '../protocol/settings/process.js'
import { didYouMean, UsageError } from './errors.js'

/** One kind of output with `--json`. */
export interface Output {
  /** The arguments or flags that select this output. */
  when?: string
  /** The response of this route; a feature names its own row. */
  route?: keyof typeof controlRoutes | ControlRow
  /** A shape that is not the response of a route. */
  shape?: keyof typeof shapes
  /** A description, if the output is neither, or if the command prints several lines of JSON. */
  description?: string
}

export interface Usage {
  /** Empty if the command prints no JSON. Several outputs differ by `when`. */
  jsonOutputs: readonly Output[]
  /** Lines to type, and what each does. A test runs each of them against a real sandbox. */
  examples: Readonly<Record<string, string>>
  /** The help has no room for the examples; another option prints them. */
  hidesExamples?: true
}

/** Usages by command and subcommand, such as `webhooks` and `webhooks wait`. */
export type CommandUsages = Readonly<Record<string, Usage>>

/** What the program is composed of, for commands that open a sandbox. */
export interface Composition {
  routes: readonly RouteSet[]
}

export interface CommandFile {
  usages: CommandUsages
  define(command: Command, composition: Composition): void
}

export const commandGroups = [
  'Start and stop a sandbox',
  'Simulate activity',
  'Inspect what happened',
  'Manage state',
  'Test and integrate',
] as const

export interface CommandRow {
  group: (typeof commandGroups)[number]
  /** Summary in the list of all commands, which fits one screen. */
  short: string
  /** Summary in the help of the command. */
  summary: string
  /** Loads the file of the command. Only the command that runs is loaded. */
  load(): Promise<CommandFile>
}

export type CommandTable = Readonly<Record<string, CommandRow>>

export const formatExamples = ({ examples }: Usage): string =>
  ['Examples:', ...Object.entries(examples).flatMap(([line, effect]) => [`  # ${effect}`, `  ${line}`])].join('\n')

export function addExamples(command: Command, usages: CommandUsages, path = command.name()): void {
  const usage = usages[path]
  if (usage !== undefined && usage.hidesExamples !== true) command.addHelpText('after', `\n${formatExamples(usage)}`)
  for (const inner of command.commands) addExamples(inner, usages, `${path} ${inner.name()}`)
}

/**
 * Gives the command an action with at most `atMost` arguments. More arguments, or one that looks like a
 * subcommand, are taken for a misspelled subcommand: `UsageError` with a suggestion.
 */
export function addDefaultAction<Flags>(
  command: Command,
  atMost: 0 | 1,
  act: (word: string | undefined, flags: Flags) => Promise<void>,
): void {
  if (atMost === 1) command.argument('[id]', 'show the object with this ID in full')
  command.allowExcessArguments().action(async () => {
    const [first, second] = command.args
    const names = command.commands.map((inner) => inner.name())
    const guess = first === undefined ? null : nearest(first, names)
    const isListVerb = first !== undefined && verbs.has(first)
    if (first !== undefined && (atMost === 0 || second !== undefined || guess !== null || isListVerb))
      throw unknownWord(
        command,
        second !== undefined && names.length === 0 && !isListVerb ? second : first,
        guess,
        atMost,
      )
    await act(first, command.opts<Flags & Record<string, unknown>>())
  })
}

/** Subcommands of other programs for showing one or all. Here the command does that without a subcommand. */
const verbs: ReadonlySet<string> = new Set(['show', 'get', 'read', 'view', 'list', 'ls'])

function unknownWord(command: Command, word: string, guess: string | null, atMost: 0 | 1): UsageError {
  const names = command.commands.map((inner) => inner.name())
  const commandLine = `payments-sandbox ${command.name()}`
  const usageHint = atMost === 0 ? '' : `; ${commandLine} lists them, ${commandLine} ID shows one in full`
  if (names.length === 0 && !verbs.has(word))
    return new UsageError(`${command.name()} accepts only one ID; remove ${word}`)
  const subcommandHint = names.length === 0 ? '' : `; use one of ${names.join(', ')}`
  const hint = guess === null ? `${subcommandHint}${usageHint}` : didYouMean(guess)
  return new UsageError(`${command.name()} has no subcommand ${word}${hint}`)
}

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
