/** Calls the route of a tool. How a call reaches the sandbox is a port: over HTTP from a command, or inside the process. */
import type { ControlRow } from '../../../inside/control.js'
import type { EndpointName } from '../../../inside/platform.js'
import { type ObjectSchema, pathNames, ToolMistake } from './schemas.js'
import type { ToolRow } from './tools.js'

export type Arguments = Record<string, unknown>

export interface Caller {
  /** Calls the control API; `path` begins below `/_sandbox`. A body with a media type is text. */
  control(
    method: string,
    path: string,
    body?: unknown,
    options?: { query?: Record<string, string>; contentType?: string },
  ): Promise<unknown>
  /** Calls the platform API with a token and, if required, a signature; resolves to `data`. */
  platform(name: EndpointName, request: Arguments): Promise<unknown>
  /** How an agent sees an error of a call; undefined if the error is a fault of this program. */
  explain(error: unknown): unknown
}

export interface Tool extends Pick<ToolRow, 'description' | 'example' | 'isDefault'> {
  input: () => ObjectSchema
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint?: boolean }
  call: (caller: Caller, input: Arguments) => Promise<unknown>
}

/** A rejection as the sandbox reported it, so that an agent can correct its call. */
export const rejection = (code: unknown, message: unknown, details: unknown) => ({ code, message, details })

export const callTool = (caller: Caller, { calls }: ToolRow, input: Arguments): Promise<unknown> =>
  typeof calls === 'string' ? caller.platform(calls, input) : callControl(caller, calls, input)

function callControl(caller: Caller, row: ControlRow, input: Arguments): Promise<unknown> {
  const rest = { ...input }
  const path = pathNames(row).reduce((text, name) => {
    if (typeof rest[name] !== 'string' || rest[name] === '')
      throw new ToolMistake(`${name} is required and must be a string`)
    const value = encodeURIComponent(rest[name])
    delete rest[name]
    return text.replace(`{${name}}`, value)
  }, row.path)
  const query: Record<string, string> = {}
  for (const name of Object.keys(row.query?.().shape ?? {})) {
    if (rest[name] !== undefined) query[name] = String(rest[name])
    delete rest[name]
  }
  return caller.control(row.method, path, row.method === 'GET' ? undefined : rest, { query })
}
