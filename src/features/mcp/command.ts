/** `payments-sandbox mcp`: serves a running sandbox to agents over the Model Context Protocol, on standard input and output. */

import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { Command } from 'commander'
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
  type Sandbox,
  UsageError,
} from '../../inside/commands.js'
import { limitLineLength } from './bounded-input.js'
import { maxMessageBytes } from './routes.js'
import { createServer, type ServerOptions } from './server.js'
import { startTool } from './start-tool.js'
import { type Arguments, type Caller, rejection } from './tools/call.js'
import { ToolMistake } from './tools/schemas.js'

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
      const server = serverFor(callerOver(sandbox, flags.account), {
        version: manifest.version,
        routes: routes.flatMap(({ rows }) => Object.values(rows)),
        more: { start_sandbox: tool },
        tools: flags.tools,
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

/** Throws `UsageError` for an unknown tool. */
function serverFor(caller: Caller, options: ServerOptions): Server {
  try {
    return createServer(caller, options)
  } catch (error) {
    throw error instanceof ToolMistake ? new UsageError(`--tools: ${error.message}`) : error
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
