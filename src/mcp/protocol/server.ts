/** The MCP server: lists the tools and calls them through a port; with resources and prompts. Both transports serve this one. */

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { rowAt } from '../../base/keys.js'
import { didYouMean, nearest } from '../../base/nearest.js'
import type { ControlRow } from '../../protocol/control/route.js'
import { requireKnownArguments, ToolMistake } from './arguments.js'
import { type Arguments, type Caller, callTool } from './call.js'
import { servePrompts } from './prompts.js'
import { serveResources } from './resources.js'
import { inputOf } from './schemas.js'
import { type OwnTool, textTools } from './text-tools.js'
import { annotationsOf, type ToolRow, toolTable } from './tools.js'

type Tools = ReadonlyMap<string, ToolRow>
type OwnTools = Readonly<Record<string, OwnTool>>

interface ServerOptions {
  version: string
  /** The rows of the control API that features add. */
  routes: readonly ControlRow[]
  /** Tools of one transport alone. */
  more?: OwnTools
}

export function createServer(caller: Caller, { version, routes, more = {} }: ServerOptions): Server {
  const own = { ...more, ...textTools }
  const table = toolTable(routes)
  const server = new Server(
    { name: 'payments-sandbox', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: 'A sandbox of a payments platform. It moves no real money. Amounts are decimal.',
    },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolList(table, own) }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
      return resultOf(await answer(caller, table, own, params.name, params.arguments ?? {}))
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

const toolList = (table: Tools, own: OwnTools) => [
  ...[...table].map(([name, tool]) => ({
    name,
    description: tool.says,
    inputSchema: { ...inputOf(tool), additionalProperties: false },
    annotations: annotationsOf(tool),
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

async function answer(caller: Caller, table: Tools, own: OwnTools, name: string, input: Arguments): Promise<unknown> {
  const ownTool = rowAt(own, name)
  if (ownTool !== undefined) requireKnownArguments(name, ownTool.input, input)
  if (ownTool !== undefined) return ownTool.call(caller, input)
  const allNames = [...table.keys(), ...Object.keys(own)]
  const tool = table.get(name)
  if (tool === undefined)
    throw new ToolMistake(
      `unknown tool ${name}${didYouMean(nearest(name, allNames))}; use one of ${allNames.join(', ')}`,
    )
  requireKnownArguments(name, inputOf(tool), input)
  return callTool(caller, tool, input)
}
