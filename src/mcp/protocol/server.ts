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
import { textTools } from './text-tools.js'
import { annotationsOf, type ToolName, toolNames, tools } from './tools.js'

export function createServer(caller: Caller, version: string): Server {
  const server = new Server(
    { name: 'payments-sandbox', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: 'A sandbox of a payments platform. It moves no real money. Amounts are decimal.',
    },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolList() }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
      return resultOf(await answer(caller, params.name, params.arguments ?? {}))
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

const toolList = () => [
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
]

const resultOf = (value: unknown) => ({
  content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value, null, 1) }],
})

async function answer(caller: Caller, name: string, input: Arguments): Promise<unknown> {
  const text = Object.hasOwn(textTools, name) ? textTools[name] : undefined
  if (text !== undefined) requireKnownArguments(name, text.input, input)
  if (text !== undefined) return text.call(caller, String(input[text.input.required[0] ?? ''] ?? ''))
  if (!isTool(name))
    throw new ToolMistake(
      `unknown tool ${name}${didYouMean(nearest(name, allNames))}; use one of ${allNames.join(', ')}`,
    )
  requireKnownArguments(name, inputOf(name), input)
  return callTool(caller, name, input)
}

const allNames = [...toolNames, ...Object.keys(textTools)]
const isTool = (name: string): name is ToolName => isKeyOf(tools, name)
