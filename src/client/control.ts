/** The client of the control API: one call, and the stream of changes. */
import { withoutTrailing } from '../base/text.js'
import { callHeaders } from '../protocol/api/headers.js'
import { exchange, readAnswer, type Send } from './exchange.js'
import { readEvents } from './server-sent-events.js'

/** One change as `GET /_sandbox/stream` tells it: what changed, which one, and its state now. */
export interface Change {
  type: string
  id: string
  status?: string
  [more: string]: unknown
}

export interface CallOptions {
  /** Parameters that are undefined are left out. */
  query?: Record<string, string | undefined>
  /** With it, `body` is text that goes out as it is. */
  contentType?: string
  signal?: AbortSignal
}

export interface ControlClient {
  /** The base URL of the workspace, without a slash at the end. */
  readonly url: string
  /** `path` begins below `/_sandbox` (`/clock`). Resolves to the JSON of the answer, null for 204. Throws `SandboxError` and `UnreachableError`. */
  call<T>(method: string, path: string, body?: unknown, options?: CallOptions): Promise<T>
  /** Calls back for every change. Resolves when the signal aborts or the sandbox ends the stream. */
  stream(onChange: (change: Change) => void, signal: AbortSignal): Promise<void>
}

export interface ControlOptions {
  /** Where the sandbox asks for one: off loopback. */
  adminToken?: string | undefined
  /** Another than `default`. */
  workspace?: string | undefined
  /** What calls go out by, the stream aside; `fetch` where absent. */
  send?: Send | undefined
}

/** Sends nothing yet. `url` is the base URL of the sandbox, whichever the workspace. */
export function connectControl(
  url: string,
  { adminToken, workspace = 'default', send }: ControlOptions = {},
): ControlClient {
  const root = withoutTrailing(url, '/')
  const base = workspace === 'default' ? root : `${root}/w/${encodeURIComponent(workspace)}`
  const admin: Record<string, string> = adminToken === undefined ? {} : { [callHeaders.adminToken]: adminToken }
  return {
    url: base,
    async call<T>(method: string, path: string, body?: unknown, options: CallOptions = {}) {
      const { query = {}, contentType, signal } = options
      const content = contentType ?? (body === undefined ? undefined : 'application/json')
      const init: RequestInit = {
        method,
        headers: content === undefined ? admin : { ...admin, 'Content-Type': content },
        ...(body === undefined ? {} : { body: contentType === undefined ? JSON.stringify(body) : String(body) }),
        ...(signal === undefined ? {} : { signal }),
      }
      const answer = await exchange(addressOf(base, path, query), init, send)
      return (await readAnswer(answer)) as T
    },
    async stream(onChange, signal) {
      if (signal.aborted) return
      try {
        const answer = await exchange(addressOf(base, '/stream', {}), { headers: admin, signal })
        if (!answer.ok || answer.body === null) return void (await readAnswer(answer))
        await readEvents(answer.body, (data) => onChange(JSON.parse(data) as Change))
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
  }
}

/** A path that already begins with `/_sandbox` is taken as it is. */
function addressOf(base: string, path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  return `${base}${path.startsWith('/_sandbox/') ? '' : '/_sandbox'}${path}${search}`
}
