/** Answers one message of an agent: without sessions, each message gets a server of its own. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { type CallContext, type ControlCall, jsonObject, receiveBody } from '../../inside/handlers.js'
import { ApiError } from '../../inside/platform.js'
import { callerInside } from './caller.js'
import { maxMessageBytes, type mcpRoutes } from './routes.js'
import { createServer } from './server.js'
import { ToolMistake } from './tools/schemas.js'

export async function serve(call: ControlCall<typeof mcpRoutes.callMcp>): Promise<Response> {
  const { env, request } = call
  const received = await receiveBody(request, env.memoryShare, maxMessageBytes)
  const message = messageOf(jsonObject(received, request.headers))
  requireKnownVersion(request)
  if (!('method' in message && 'id' in message)) return new Response(null, { status: 202 })
  const transport = new OneMessage()
  const server = serverFor(call)
  await server.connect(transport)
  try {
    return Response.json(await transport.answerTo(message), { headers: { 'Cache-Control': 'no-store' } })
  } finally {
    await server.close()
  }
}

/** Throws 422 INVALID_VALUE for an unknown name in `tools`. */
function serverFor(call: ControlCall<typeof mcpRoutes.callMcp>): Server {
  const { host, query } = call
  try {
    return createServer(callerInside(call, query.account), {
      version: host.version,
      routes: host.routes.flatMap(({ rows }) => Object.values(rows)),
      tools: query.tools,
    })
  } catch (error) {
    if (!(error instanceof ToolMistake)) throw error
    throw new ApiError('INVALID_VALUE', { field: 'tools', rule: error.message })
  }
}

/** Throws 422 INVALID_VALUE if it is not a message of JSON-RPC. */
function messageOf(body: object): JSONRPCMessage {
  // The protocol's schemas expect the language's own numbers.
  const parsed = JSONRPCMessageSchema.safeParse(JSON.parse(JSON.stringify(body)))
  if (parsed.success) return parsed.data
  throw new ApiError(
    'INVALID_VALUE',
    { field: 'body', rule: 'must be one message of JSON-RPC 2.0' },
    'The body is not a message of JSON-RPC 2.0; send one message, with jsonrpc, id and method.',
  )
}

function requireKnownVersion({ headers }: CallContext['request']): void {
  const version = headers.get('mcp-protocol-version')
  if (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return
  throw new ApiError(
    'INVALID_VALUE',
    { header: 'MCP-Protocol-Version', supported: SUPPORTED_PROTOCOL_VERSIONS },
    `The MCP version ${version.slice(0, 40)} is not supported; use ${SUPPORTED_PROTOCOL_VERSIONS[0]}.`,
    400,
  )
}

/** Delivers one message and keeps its response. Nothing else can be sent: there is no stream. */
class OneMessage implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void
  #keep: (message: JSONRPCMessage) => void = () => undefined

  start = async (): Promise<void> => undefined

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) this.#keep(message)
  }

  async close(): Promise<void> {
    this.onclose?.()
  }

  answerTo(message: JSONRPCMessage): Promise<JSONRPCMessage> {
    return new Promise((resolve) => {
      this.#keep = resolve
      this.onmessage?.(message)
    })
  }
}
