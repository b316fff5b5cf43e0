/** The MCP server: lists the tools and calls them through a port; with resources and prompts. Both transports serve this one. */

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { isKeyOf } from '../../base/keys.js'
import { didYouMean, nearest } from '../../base/nearest.js'
import { requireKnownArguments, ToolMistake } from './arguments.js'
import { type Arguments, type Caller, callTool } from './call.js'
import { servePrompts } from './prompts.js'
import { serveResources } from './resources.js'
import { inputOf } from './schemas.js'
import { type OwnTool, textTools } from './text-tools.js'
import { annotationsOf, type ToolName, toolNames, tools } from './tools.js'

type OwnTools = Readonly<Record<string, OwnTool>>

/** `more`: tools of one transport alone. */
export function createServer(caller: Caller, version: string, more: OwnTools = {}): Server {
  const own = { ...more, ...textTools }
  const server = new Server(
    { name: 'payments-sandbox', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: 'A sandbox of a payments platform. It moves no real money. Amounts are decimal.',
    },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolList(own) }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
      return resultOf(await answer(caller, own, params.name, params.arguments ?? {}))
    } catch (error) {
      const reported = error instanceof ToolMistake ? error.message : caller.explain(error)
      if (reported === undefined) throw error
      return { ...resultOf(reported), isError: true }
    }
  })
  serveResources(server, caller)
  servePrompts(server)
  return server
}

const toolList = (own: OwnTools) => [
  ...toolNames.map((name) => ({
    name,
    description: tools[name].says,
    inputSchema: { ...inputOf(name), additionalProperties: false },
    annotations: annotationsOf(name),
  })),
  ...Object.entries(own).map(([name, { description, input, annotations }]) => ({
    name,
    description,
    inputSchema: { ...input, additionalProperties: false },
    annotations,
  })),
]

const resultOf = (value: unknown) => ({
  content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value, null, 1) }],
})

async function answer(caller: Caller, own: OwnTools, name: string, input: Arguments): Promise<unknown> {
  const tool = Object.hasOwn(own, name) ? own[name] : undefined
  if (tool !== undefined) requireKnownArguments(name, tool.input, input)
  if (tool !== undefined) return tool.call(caller, input)
  const allNames = [...toolNames, ...Object.keys(own)]
  if (!isTool(name))
    throw new ToolMistake(
      `unknown tool ${name}${didYouMean(nearest(name, allNames))}; use one of ${allNames.join(', ')}`,
    )
  requireKnownArguments(name, inputOf(name), input)
  return callTool(caller, name, input)
}

const isTool = (name: string): name is ToolName => isKeyOf(tools, name)
