/** The MCP prompts, a row each: tasks that a person hands to an agent. */

import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { rowAt } from '../../../inside/values.js'

interface PromptRow {
  description: string
  argument: { name: string; description: string; required: boolean }
  text: (argument: string) => string
}

const prompts: Readonly<Record<string, PromptRow>> = {
  test_webhook_receiver: {
    description: 'Test my webhook receiver',
    argument: { name: 'url', description: 'Address of the receiver', required: true },
    text: (url) =>
      `Test my webhook receiver at ${url}. Call certify_receiver with this address. For each failed requirement, read the evidence and the correction, find the place in my code, and correct it. Then call certify_receiver again, until no requirement fails. Finally list what was wrong and what you changed.`,
  },
  explain_rejected_call: {
    description: 'Explain a rejected call',
    argument: {
      name: 'request_id',
      description: 'Id of the call in the request log (default: the latest)',
      required: false,
    },
    text: (id) =>
      `Explain why the sandbox rejected ${id === '' ? 'my latest rejected call. Find it with list_requests' : `the call ${id}`}. Call explain_request with its id; if a signature was rejected, compare the string to sign with the one that my code builds. Find the place in my code and correct it.`,
  },
}

export function servePrompts(server: Server): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.entries(prompts).map(([name, { description, argument }]) => ({
      name,
      description,
      arguments: [argument],
    })),
  }))
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const row = rowAt(prompts, params.name)
    if (row === undefined)
      throw new McpError(ErrorCode.InvalidParams, `unknown prompt; use one of ${Object.keys(prompts).join(', ')}`)
    const { name, required } = row.argument
    const argument = params.arguments?.[name] ?? ''
    if (required && argument === '') throw new McpError(ErrorCode.InvalidParams, `${name} is required`)
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: row.text(argument) } }] }
  })
}
