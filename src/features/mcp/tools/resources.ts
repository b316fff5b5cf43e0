/** What an agent reads once before it integrates (MCP resources), and tasks that a person hands to it (prompts), a row each. */

import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { fieldsIn, rowAt } from '../../../inside/values.js'
import type { Caller } from './call.js'
import { documentOf } from './text-tools.js'

interface ResourceRow {
  description: string
  read: (caller: Caller) => Promise<unknown>
}

const resources: Readonly<Record<string, ResourceRow>> = {
  'sandbox://interface': {
    description:
      'Endpoints, error codes, transitions, currencies, networks, fees and limits; look_up_interface has the fields.',
    async read(caller) {
      const { paths, ...document } = await documentOf(caller)
      const endpoints = Object.entries(fieldsIn(paths)).flatMap(([path, methods]) =>
        path.startsWith('/v2/')
          ? Object.entries(fieldsIn(methods)).map(([method, one]) => `${method} ${path}: ${fieldsIn(one).summary}`)
          : [],
      )
      const tables = ['errors', 'transitions', 'currencies', 'networks', 'fees', 'limits']
      return { endpoints, ...Object.fromEntries(tables.map((name) => [name, document[`x-${name}`]])) }
    },
  },
  'sandbox://assumptions': {
    description:
      'What the documentation of the platform leaves open, what the sandbox does there, and the setting that changes it.',
    read: async (caller) => (await documentOf(caller))['x-assumptions'],
  },
  'sandbox://scenario-schema': {
    description: 'JSON Schema of scenario files.',
    read: (caller) => caller.control('GET', '/scenarios/schema.json'),
  },
}

const mimeType = 'application/json'

export function serveResources(server: Server, caller: Caller): void {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: Object.entries(resources).map(([uri, { description }]) => ({
      uri,
      name: uri.slice('sandbox://'.length),
      description,
      mimeType,
    })),
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const row = rowAt(resources, uri)
    if (row === undefined)
      throw new McpError(ErrorCode.InvalidParams, `unknown resource; use one of ${Object.keys(resources).join(', ')}`)
    return { contents: [{ uri, mimeType, text: JSON.stringify(await row.read(caller)) }] }
  })
}

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
