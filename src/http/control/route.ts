/** The shape of a route of our own surface, and what its handler works with. */
import type * as z from 'zod'
import type { Workspace } from '../../core/workspace/workspace.js'
import type { CallEnv, Host } from '../host.js'

export interface AdminCall {
  host: Host
  ws: Workspace
  env: CallEnv
  request: Request
  /** Path parameters, decoded. */
  params: Record<string, string>
  query: URLSearchParams
  /** The JSON body; `{}` where there is none. Numbers keep their text. */
  body: Record<string, unknown>
}

export interface AdminRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  title: string
  /** `raw`: the handler reads the body itself. `open`: and it may be of any type, as it comes from outside. */
  input?: 'raw' | 'open'
  /** What the body may be, for the document of the API; a function, so that starting does not pay for it. */
  describeBody?: () => z.ZodType
  /** The query parameters it knows, for the document of the API. */
  queryNames?: readonly string[]
  /** A plain value is answered as JSON with 200 (null: 204); a Response goes out as it is. */
  handle: (call: AdminCall) => unknown | Promise<unknown>
}
