/** Route of the control API for agents: MCP over HTTP. */
import * as z from 'zod'
import { filterText, route } from '../../inside/control.js'
import { routeSet } from '../../inside/handlers.js'

const message = () => z.looseObject({ jsonrpc: z.literal('2.0') })

const mcpRoutes = {
  callMcp: route('POST /mcp', {
    summary: 'MCP for agents (Streamable HTTP without sessions): one JSON-RPC message and its response',
    query: () =>
      z.strictObject({
        account: filterText().describe('Account that the tools act as (default: the first account)'),
        tools: filterText().describe(
          'Tools to list and to accept: `all`, or names separated by commas (default: a selection)',
        ),
      }),
    rawBodyTypes: ['application/json'],
    body: () => message().extend({ method: z.string() }),
    answer: message,
    otherStatuses: { 202: 'The message was a notification.' },
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  }),
} as const

/** The server loads with the first message: most sandboxes receive none. */
export const mcpRouteSet = routeSet(mcpRoutes, async () => ({ callMcp: (await import('./serve.js')).serve }))
