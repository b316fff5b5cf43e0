/** The MCP resources, a row each: what an agent reads once before it integrates. */

import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  ErrorCode,
  ListResourcesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { fieldsIn, rowAt } from '../../../inside/values.js'
import type { Caller } from './call.js'
import { documentOf } from './lookup.js'

interface ResourceRow {
  description: string
  read: (caller: Caller) => Promise<unknown>
}

const resources: Readonly<Record<string, ResourceRow>> = {
  'sandbox://interface': {
    description:
      'Endpoints, error codes, transitions, currencies, networks, fees and limits; look_up_interface has the fields.',
    async read(caller) {
      const { paths = {}, ...document } = await documentOf(caller)
      const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
        path.startsWith('/v2/')
          ? Object.entries(methods).map(([method, one]) => `${method} ${path}: ${fieldsIn(one).summary}`)
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
