/** `payments-sandbox mcp`: serves a running sandbox to agents over the Model Context Protocol, on standard input and output. */

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Command } from 'commander'
import manifest from '../../../package.json' with { type: 'json' }
import { isKeyOf } from '../../base/keys.js'
import { nearest } from '../../base/nearest.js'
import { SandboxError, UnreachableError } from '../../client/errors.js'
import type { CommandUsages } from '../command.js'
import { addConnectionFlags, type Connection, connect, type Sandbox } from '../connection/connection.js'
import { didYouMean, UsageError } from '../errors.js'
import { requireKnownArguments } from './arguments.js'
import { limitLineLength, maxMessageBytes } from './bounded-input.js'
import { callTool } from './call.js'
import { inputOf } from './schemas.js'
import { textTools } from './text-tools.js'
import { annotationsOf, type ToolName, toolNames, tools } from './tools.js'

interface Flags extends Connection {
  account?: string
}

export const usages: CommandUsages = {
  mcp: {
    jsonOutputs: [],
    examples: [
      {
        run: 'payments-sandbox mcp < /dev/null',
        says: 'start the MCP server, as an agent does; it uses standard input and output',
      },
    ],
  },
}

export function define(command: Command): void {
  addConnectionFlags(command)
    .option('--account <username>', 'account that the tools act as (default: the first account)')
    .action(async (flags: Flags) => {
      const server = serverFor(connect(flags), flags.account)
      const input = process.stdin.pipe(
        limitLineLength((id) => process.stdout.write(`${JSON.stringify(tooLarge(id))}\n`)),
      )
      await server.connect(new StdioServerTransport(input))
      await new Promise<void>((resolve) => {
        server.onclose = resolve
        input.once('end', () => void server.close())
      })
    })
}

function serverFor(sandbox: Sandbox, account: string | undefined): Server {
  const server = new Server(
    { name: 'payments-sandbox', version: manifest.version },
    {
      capabilities: { tools: {} },
      instructions: 'A sandbox of a payments platform. It moves no real money. Amounts are decimal.',
    },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      ...toolNames.map((name) => ({
        name,
        description: tools[name].says,
        inputSchema: { ...inputOf(name), additionalProperties: false },
        annotations: annotationsOf(name),
      })),
      ...Object.entries(textTools).map(([name, { description, input, readOnly }]) => ({
        name,
        description,
        inputSchema: { ...input, additionalProperties: false },
        annotations: { readOnlyHint: readOnly, destructiveHint: false },
      })),
    ],
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
      return resultOf(await answer(sandbox, account, params.name, params.arguments ?? {}))
    } catch (error) {
      return { ...resultOf(refusalOf(error)), isError: true }
    }
  })
  return server
}

const tooLarge = (id: number | string | null) => ({
  jsonrpc: '2.0',
  id,
  error: { code: ErrorCode.InvalidRequest, message: `the message is larger than ${maxMessageBytes} bytes` },
})

const resultOf = (value: unknown) => ({
  content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value, null, 1) }],
})

async function answer(sandbox: Sandbox, account: string | undefined, name: string, given: Record<string, unknown>) {
  const text = Object.hasOwn(textTools, name) ? textTools[name] : undefined
  if (text !== undefined) requireKnownArguments(name, text.input, given)
  if (text !== undefined) return text.call(sandbox, String(given[text.input.required[0] ?? ''] ?? ''))
  if (!isTool(name))
    throw new UsageError(
      `unknown tool ${name}${didYouMean(nearest(name, allNames))}; use one of ${allNames.join(', ')}`,
    )
  requireKnownArguments(name, inputOf(name), given)
  return callTool(sandbox, account, name, given)
}

const allNames = [...toolNames, ...Object.keys(textTools)]
const isTool = (name: string): name is ToolName => isKeyOf(tools, name)

/** Formats the error as the sandbox reported it, so that an agent can correct its call. */
function refusalOf(error: unknown): unknown {
  if (error instanceof SandboxError) return { code: error.code, message: error.message, details: error.details }
  if (error instanceof UnreachableError || error instanceof UsageError) return error.message
  throw error
}
