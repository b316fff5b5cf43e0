/** The MCP server: lists the tools and calls them through a port; with resources and prompts. Both transports serve this one. */

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { ControlRow } from '../../inside/control.js'
import { didYouMean, nearest } from '../../inside/values.js'
import { type Arguments, type Caller, callTool } from './tools/call.js'
import { servePrompts } from './tools/prompts.js'
import { serveResources } from './tools/resources.js'
import { inputOf, type ObjectSchema, requireKnownArguments, ToolMistake } from './tools/schemas.js'
import { type OwnTool, textTools } from './tools/text-tools.js'
import { annotationsOf, toolTable } from './tools/tools.js'

interface Tool {
  name: string
  isDefault: boolean
  description: string
  example: Arguments
  annotations: OwnTool['annotations']
  input: () => ObjectSchema
  call: (caller: Caller, input: Arguments) => Promise<unknown>
}

export interface ServerOptions {
  version: string
  /** The rows of the control API that features add. */
  routes: readonly ControlRow[]
  /** Tools of one transport alone. */
  more?: Readonly<Record<string, OwnTool>>
  /** The tools to list and to accept: `all`, `default` or names (default: the default tools are listed, and all are accepted). */
  tools?: string | undefined
}

/** Throws `ToolMistake` if `tools` contains an unknown name. */
export function createServer(caller: Caller, { version, routes, more = {}, tools }: ServerOptions): Server {
  const all = allTools(routes, { ...more, ...textTools })
  const listed = selectTools(all, tools ?? 'default')
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
const allTools = (routes: readonly ControlRow[], own: Readonly<Record<string, OwnTool>>): Tool[] => [
  ...[...toolTable(routes)].map(([name, row]) => ({
    name,
    description: row.description,
    example: row.example,
    isDefault: row.isDefault === true,
    annotations: annotationsOf(row),
    input: () => inputOf(row),
    call: (caller: Caller, input: Arguments) => callTool(caller, row, input),
  })),
  ...Object.entries(own).map(([name, { input, isDefault, ...tool }]) => ({
    ...tool,
    name,
    isDefault: isDefault === true,
    input: () => input,
  })),
]

const describe = ({ name, description, example, annotations, input }: Tool) => ({
  name,
  description: `${description} Example: ${JSON.stringify(example)}`,
  inputSchema: { ...input(), additionalProperties: false },
  annotations,
})

const instructionsWithout = (hidden: readonly Tool[]): string =>
  [
    'A sandbox of a payments platform. It moves no real money. Amounts are decimal.',
    hidden.length === 0
      ? []
      : `Not listed, but available with mcp --tools all, or ?tools=all over HTTP: ${hidden.map(({ name }) => name).join(', ')}.`,
  ]
    .flat()
    .join(' ')

const resultOf = (value: unknown) => ({
  content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value, null, 1) }],
})

async function answer(caller: Caller, tools: readonly Tool[], name: string, input: Arguments): Promise<unknown> {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) {
    const names = tools.map((one) => one.name)
    throw new ToolMistake(`unknown tool ${name}${didYouMean(nearest(name, names))}; use one of ${names.join(', ')}`)
  }
  requireKnownArguments(name, tool.input(), input)
  return tool.call(caller, input)
}

/** Few tools are listed by default: clients limit their number, and models choose worse among many. */
/** Words that stand for several tools. */
const groups: Readonly<Record<string, (tool: Tool) => boolean>> = {
  all: () => true,
  default: (tool) => tool.isDefault,
}

/** Returns the tools in `selection`: `all`, `default` or names, separated by commas. Throws `ToolMistake` for an unknown name. */
function selectTools(tools: readonly Tool[], selection: string): Tool[] {
  const known = [...Object.keys(groups), ...tools.map(({ name }) => name)]
  const words = selection.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !known.includes(word))
  if (unknown !== undefined)
    throw new ToolMistake(
      `unknown tool ${JSON.stringify(unknown.slice(0, 60))}${didYouMean(nearest(unknown, known))}; use all, or names from this list, separated by commas: ${known.slice(1).join(', ')}`,
    )
  return tools.filter((tool) => words.some((word) => groups[word]?.(tool) ?? word === tool.name))
}
