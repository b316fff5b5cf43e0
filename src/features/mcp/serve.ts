/** Answers one message of an agent: without sessions, each message gets a server of its own. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { type CallContext, jsonObject, receiveBody } from '../../inside/handlers.js'
import { ApiError } from '../../inside/platform.js'
import { callerInside } from './caller.js'
import { createServer, maxMessageBytes } from './server.js'

interface McpCall extends CallContext {
  query: { account?: string | undefined; tools?: string | undefined }
}

export async function serve(call: McpCall): Promise<Response> {
  const { env, request, host, query } = call
  const received = await receiveBody(request, env.memoryShare, maxMessageBytes)
  const message = messageOf(jsonObject(received, request.headers))
  requireKnownVersion(request)
  if (!('method' in message && 'id' in message)) return new Response(null, { status: 202 })
  const transport = new OneMessage()
  const server = createServer(callerInside(call, query.account), {
    ...{ version: host.version, routes: host.routes, tools: query.tools },
    refuse: (rule) => new ApiError('INVALID_VALUE', { field: 'tools', rule }),
  })
  await server.connect(transport)
  try {
    return Response.json(await transport.answerTo(message), { headers: { 'Cache-Control': 'no-store' } })
  } finally {
    await server.close()
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
