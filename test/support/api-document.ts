/** Compares a sandbox with its own OpenAPI document: signs calls as the document says, and checks responses with its schemas. */
import { createHmac, randomUUID } from 'node:crypto'
import * as z from 'zod'
import { demoCredential } from '../../src/core/auth/account.js'
import type { SandboxDocument } from '../../src/http/openapi/document.js'
import type { Operation, Schema } from '../../src/http/openapi/json-schema.js'
import { type Endpoint, type EndpointName, endpoints } from '../../src/protocol/platform/endpoints.js'

export function operationOf(document: SandboxDocument, name: EndpointName): Operation {
  const { path, method } = endpoints[name]
  const operation = document.paths[path]?.[method.toLowerCase()]
  if (operation === undefined) throw new Error(`the document has no ${method} ${path}`)
  return operation
}

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object' && !Array.isArray(value)

const checkers = new WeakMap<Schema, z.ZodType>()

/** Returns a checker for a schema of the document, in strict form: an unknown field is an error. Each schema is compiled once. */
export function checker(document: SandboxDocument, schema: Schema): z.ZodType {
  const known = checkers.get(schema) ?? compiled(document, schema)
  checkers.set(schema, known)
  return known
}

function compiled(document: SandboxDocument, schema: Schema): z.ZodType {
  const { schemas } = document.components
  const definitions = closedSchemas.get(schemas) ?? (closed(schemas) as Json)
  closedSchemas.set(schemas, definitions)
  const root = closed(schema) as Json
  return z.fromJSONSchema({ ...root, $defs: definitions } as Parameters<typeof z.fromJSONSchema>[0])
}

const closedSchemas = new WeakMap<object, Json>()

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (!isObject(value)) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]))
  if (typeof copy.$ref === 'string') return { $ref: copy.$ref.replace('#/components/schemas/', '#/$defs/') }
  return isObject(copy.properties) && copy.additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy
}

/** Describes how a response differs from the document; empty if it does not. */
export function misfit(document: SandboxDocument, name: EndpointName, status: number, body: unknown): string {
  const schema = operationOf(document, name).responses[String(status)]?.content?.['application/json']?.schema
  if (schema === undefined) return `the document has no response ${status} for ${name}`
  const result = checker(document, schema).safeParse(body)
  return result.success ? '' : `${name} ${status}: ${z.prettifyError(result.error)}\n${JSON.stringify(body)}`
}

export interface Caller {
  call(name: EndpointName, value: Json): Promise<{ status: number; body: Json }>
  trigger(action: string, params?: Json): Promise<Json>
}

/** Calls endpoints by name, with a token and, if the endpoint requires one, a signature. */
export function caller(url: string): Caller {
  const { clientId, clientSecret, signingKey } = demoCredential('merchant')
  let token = ''
  const headersFor = (endpoint: Endpoint, body: string): Record<string, string> => {
    if (endpoint.auth === 'basic') return { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` }
    if (endpoint.hmac !== true) return { authorization: `Bearer ${token}` }
    const timestamp = String(Math.floor(Date.now() / 1000))
    const nonce = randomUUID()
    const signature = createHmac('sha256', signingKey).update(`${timestamp}.${nonce}.${body}`).digest('hex')
    return {
      authorization: `Bearer ${token}`,
      'x-timestamp': timestamp,
      'x-nonce': nonce,
      'x-signature': signature,
    }
  }
  return {
    async call(name, value) {
      const endpoint: Endpoint = endpoints[name]
      const text = JSON.stringify(value)
      const texts = Object.entries(value).map(([field, inner]) => [field, String(inner)])
      const search = endpoint.input === 'query' ? `?${new URLSearchParams(texts)}` : ''
      const form = new FormData()
      for (const [field = '', inner = ''] of texts) form.append(field, inner)
      const response = await fetch(`${url}${endpoint.path}${search}`, {
        method: endpoint.method,
        headers: {
          ...headersFor(endpoint, text),
          ...(endpoint.input === 'json' ? { 'content-type': 'application/json' } : {}),
        },
        ...(endpoint.input === 'json' ? { body: text } : endpoint.input === 'multipart' ? { body: form } : {}),
      })
      const body = (await response.json()) as Json
      if (name === 'token') token = String(body.access_token)
      return { status: response.status, body }
    },
    async trigger(action, params = {}) {
      const response = await fetch(`${url}/_sandbox/trigger`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ action, ...params }),
      })
      return (await response.json()) as Json
    },
  }
}
