/** The MCP server: lists the tools and calls them through a port; with resources and prompts. Both transports serve this one. */

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { RouteSet } from '../../inside/handlers.js'
import { didYouMean, nearest } from '../../inside/values.js'
import {
  type Arguments,
  type Caller,
  callTool,
  inputOf,
  requireKnownArguments,
  type Tool,
  ToolMistake,
} from './tools/call.js'
import { servePrompts, serveResources } from './tools/resources.js'
import { textTools } from './tools/text-tools.js'
import { annotationsOf, toolTable } from './tools/tools.js'

/** The largest useful message contains a scenario file or a recording. */
export const maxMessageBytes = 1024 * 1024

interface NamedTool extends Tool {
  name: string
}

interface ServerOptions {
  version: string
  /** The routes of the control API that features add. */
  routes: readonly RouteSet[]
  /** Tools of one transport alone. */
  more?: Readonly<Record<string, Tool>>
  /** The tools to list and to accept: `all`, `default` or names (default: the default tools are listed, and all are accepted). */
  tools?: string | undefined
  /** The error for an unknown name in `tools`. */
  refuse: (why: string) => Error
}

export function createServer(caller: Caller, { version, routes, more = {}, tools, refuse }: ServerOptions): Server {
  const all = allTools(routes, { ...more, ...textTools })
  const listed = selectTools(all, tools ?? 'default', refuse)
  const accepted = tools === undefined ? all : listed
  const server = new Server(
    { name: 'payments-sandbox', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: instructionsWithout(all.filter((tool) => !listed.includes(tool))),
    },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed.map(describe) }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
      return resultOf(await answer(caller, accepted, params.name, params.arguments ?? {}))
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

/** The tools for routes, then those of this server. */
function allTools(routes: readonly RouteSet[], own: Readonly<Record<string, Tool>>): NamedTool[] {
  const rows = toolTable(routes.flatMap((set) => Object.values(set.rows)))
  const forRoutes = [...rows].map(([name, row]) => ({
    ...{ ...row, name, annotations: annotationsOf(row) },
    input: () => inputOf(row),
    call: (caller: Caller, input: Arguments) => callTool(caller, row, input),
  }))
  return [...forRoutes, ...Object.entries(own).map(([name, tool]) => ({ ...tool, name }))]
}

const describe = ({ name, description, example = {}, annotations, input }: NamedTool) => ({
  name,
  description: `${description} Example: ${JSON.stringify(example)}`,
  inputSchema: { ...input(), additionalProperties: false },
  annotations,
})

function instructionsWithout(hidden: readonly NamedTool[]): string {
  const instructions = 'A sandbox of a payments platform. It moves no real money. Amounts are decimal.'
  if (hidden.length === 0) return instructions
  const names = hidden.map(({ name }) => name).join(', ')
  return `${instructions} Not listed, but available with mcp --tools all, or ?tools=all over HTTP: ${names}.`
}

const resultOf = (value: unknown) => ({
  content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value, null, 1) }],
})

async function answer(caller: Caller, tools: readonly NamedTool[], name: string, input: Arguments): Promise<unknown> {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) {
    const names = tools.map((one) => one.name)
    throw new ToolMistake(`unknown tool ${name}${didYouMean(nearest(name, names))}; use one of ${names.join(', ')}`)
  }
  requireKnownArguments(name, tool.input(), input)
  return tool.call(caller, input)
}

/** Words that stand for several tools. Few are listed by default: clients limit their number, and models choose worse among many. */
const groups: Readonly<Record<string, (tool: Tool) => boolean>> = {
  all: () => true,
  default: (tool) => tool.isDefault === true,
}

/** Returns the tools in `selection`: `all`, `default` or names, separated by commas. Throws `refuse` for an unknown name. */
function selectTools(tools: readonly NamedTool[], selection: string, refuse: ServerOptions['refuse']): NamedTool[] {
  const known = [...Object.keys(groups), ...tools.map(({ name }) => name)]
  const words = selection.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !known.includes(word))
  if (unknown !== undefined)
    throw refuse(
      `unknown tool ${JSON.stringify(unknown.slice(0, 60))}${didYouMean(nearest(unknown, known))}; use all, or names from this list, separated by commas: ${known.slice(1).join(', ')}`,
    )
  return tools.filter((tool) => words.some((word) => groups[word]?.(tool) ?? word === tool.name))
}
