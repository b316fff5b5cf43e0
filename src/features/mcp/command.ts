/** `payments-sandbox mcp`: serves a running sandbox to agents over the Model Context Protocol, on standard input and output. */

import { Transform } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { Command } from 'commander'
import * as z from 'zod'
import manifest from '../../../package.json' with { type: 'json' }
import { apiClientFor, SandboxError, UnreachableError } from '../../inside/client.js'
import {
  accountNamed,
  addConnectionFlags,
  type CommandUsages,
  type Composition,
  type ConnectionFlags,
  connect,
  credentialOf,
  Failure,
  resolveSettings,
  type Sandbox,
  UsageError,
} from '../../inside/commands.js'
import { platformSettings } from '../../inside/control.js'
import type { RouteSet } from '../../inside/handlers.js'
import { isLoopback, type RunningSandbox } from '../../inside/node.js'
import { createServer, maxMessageBytes } from './server.js'
import { type Arguments, type Caller, rejection, type Tool, ToolMistake } from './tools/call.js'

interface Flags extends ConnectionFlags {
  account?: string
  tools?: string
}

export const usages: CommandUsages = {
  mcp: {
    jsonOutputs: [],
    examples: {
      'payments-sandbox mcp < /dev/null': 'start the MCP server, as an agent does; it uses standard input and output',
      'payments-sandbox mcp --tools default,save_snapshot,restore_snapshot < /dev/null':
        'offer two tools more than by default',
    },
  },
}

export function define(command: Command, { routes }: Composition): void {
  addConnectionFlags(command)
    .option('--account <username>', 'account that the tools act as (default: the first account)')
    .option(
      '--tools <all|names>',
      'tools to offer: all, or names separated by commas (default: a selection of at most 16)',
    )
    .action(async (flags: Flags) => {
      const sandbox = connect(flags)
      const { tool, close } = startTool(sandbox.url, routes)
      const server = createServer(callerOver(sandbox, flags.account), {
        ...{ version: manifest.version, routes, tools: flags.tools },
        more: { start_sandbox: tool },
        refuse: (why) => new UsageError(`--tools: ${why}`),
      })
      const input = process.stdin.pipe(
        limitLineLength((id) => process.stdout.write(`${JSON.stringify(tooLarge(id))}\n`)),
      )
      await server.connect(new StdioServerTransport(input))
      await new Promise<void>((resolve) => {
        server.onclose = resolve
        input.once('end', () => void server.close())
      })
      await close()
    })
}

/** Settings that an agent chooses; the environment and its defaults give the rest. */
const settingNames = ['clock', 'webhook_url'] as const

/** The tool `start_sandbox`, which only the command has. `url`: the address at which the tools look for their sandbox. `routes`: those of the features. */
function startTool(url: string, routes: readonly RouteSet[]): { tool: Tool; close: () => Promise<void> } {
  let started: Promise<RunningSandbox> | undefined
  const tool: Tool = {
    description: `Start a sandbox at ${url}, where the other tools call it, unless one runs there. It stops when this server stops.`,
    example: { clock: 'manual' },
    isDefault: true,
    input: () => ({ type: 'object', properties: Object.fromEntries(settingNames.map(describeSetting)), required: [] }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    async call(caller, input) {
      const isRunning = started !== undefined || (await answers(caller))
      started ??= isRunning ? undefined : open(url, input, routes)
      await started?.catch((error: unknown) => {
        started = undefined
        throw error
      })
      const accounts = await caller.control('GET', '/accounts')
      return { started: !isRunning, base_url: url, dashboard_url: `${url}/`, accounts }
    },
  }
  return { tool, close: async () => (await started)?.close() }
}

function describeSetting(name: (typeof settingNames)[number]) {
  const { schema, help } = platformSettings[name]
  return [name, { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), description: help }] as const
}

async function answers(caller: Caller): Promise<boolean> {
  try {
    await caller.control('GET', '/health')
    return true
  } catch (error) {
    if (error instanceof UnreachableError) return false
    throw error
  }
}

async function open(address: string, input: Arguments, routes: readonly RouteSet[]): Promise<RunningSandbox> {
  const { protocol, hostname, port, pathname } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'http:' || !isLoopback(host) || pathname !== '/')
    throw new ToolMistake(
      `nothing answers at ${address}, and start_sandbox starts sandboxes at http addresses of this machine only; start it there, or start this server with another --url`,
    )
  try {
    const given = { ...input, host, port: port || '80', log_level: 'silent' }
    const settings = await resolveSettings(given, process.env, 'option')
    const { openFromSettings } = await import('../../cli/run-sandbox.js')
    return (await openFromSettings(settings, routes)).sandbox
  } catch (error) {
    if (error instanceof UsageError || error instanceof Failure) throw new ToolMistake(error.message)
    throw error
  }
}

const tooLarge = (id: number | string | null) => ({
  jsonrpc: '2.0',
  id,
  error: { code: ErrorCode.InvalidRequest, message: `the message is larger than ${maxMessageBytes} bytes` },
})

function callerOver(sandbox: Sandbox, account: string | undefined): Caller {
  const api = apiClientFor(sandbox.url, async () => {
    const { client_id, client_secret, signing_key } = credentialOf(await accountNamed(sandbox, account))
    return { clientId: client_id, clientSecret: client_secret, signingKey: signing_key }
  })
  return {
    control: (method, path, body, options) => sandbox.call(method, path, body, options),
    platform(name, request) {
      // The schema of the same endpoint described its arguments.
      const call = api[name] as (request: Arguments) => Promise<unknown>
      return call(request)
    },
    explain: refusalOf,
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof SandboxError) return rejection(error.code, error.message, error.details)
  if (error instanceof UnreachableError) return `${error.message}; start a sandbox with start_sandbox`
  if (error instanceof UsageError) return error.message
  return undefined
}

/** Number of bytes at the start and at the end of a message in which its id is searched. */
const idSearchBytes = 200
const lineFeed = 10

/**
 * Returns a stream that forwards lines, each of which is a message, and calls `refuse` for each line longer than
 * `maxMessageBytes`, with its id or null.
 */
function limitLineLength(refuse: (id: number | string | null) => void): Transform {
  let pieces: Buffer[] = []
  let size = 0
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)

  const addPiece = (piece: Buffer) => {
    size += piece.length
    if (head.length < idSearchBytes) head = Buffer.concat([head, piece.subarray(0, idSearchBytes)])
    tail = Buffer.concat([tail, piece.subarray(-idSearchBytes)]).subarray(-idSearchBytes)
    if (size > maxMessageBytes) pieces = []
    else pieces.push(piece)
  }
  const endLine = (stream: Transform) => {
    if (size > maxMessageBytes) refuse(idIn(head.toString(), tail.toString()))
    else stream.push(Buffer.concat(pieces))
    pieces = []
    size = 0
    head = tail = Buffer.alloc(0)
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0
      for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
        addPiece(chunk.subarray(from, at + 1))
        endLine(this)
        from = at + 1
      }
      if (from < chunk.length) addPiece(chunk.subarray(from))
      done()
    },
  })
}

const id = '("id":\\s*(?<id>\\d{1,15}|"[^"\\\\]{0,100}"))'
const atHead = new RegExp(`^\\s*\\{\\s*("jsonrpc":\\s*"2\\.0",\\s*)?${id}`)
const atEnd = new RegExp(`${id}(,\\s*"jsonrpc":\\s*"2\\.0")?\\s*\\}\\s*$`)

function idIn(head: string, tail: string): number | string | null {
  const found = atHead.exec(head) ?? atEnd.exec(tail)
  return found?.groups?.id === undefined ? null : JSON.parse(found.groups.id)
}
