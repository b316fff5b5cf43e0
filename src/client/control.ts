/** The client of the control API: calls, and the stream of changes. */

import { mapRows } from '../base/keys.js'
import { withoutTrailing } from '../base/text.js'
import { requestHeaders } from '../protocol/platform/headers.js'
import {
  piecesOf,
  readAnswer,
  retryIfCut,
  type Send,
  type StreamedAnswer,
  sendRequest,
  sendWithFetch,
} from './exchange.js'
import type { ControlRoute, ControlRoutes } from './types/control.js'

/** One change from `GET /_sandbox/stream`: what changed, its id, and its state now. */
export interface Change {
  type: string
  id: string
  status?: string
  [more: string]: unknown
}

export interface CallOptions {
  /** Undefined parameters are omitted. */
  query?: Record<string, string | undefined>
  /** The media type of `body`, which is then sent unchanged as text. */
  contentType?: string
  signal?: AbortSignal
}

/** The input of a route: `params` of its path, `query`, `body`. */
type Parts<Route extends ControlRoute> = Omit<ControlRoutes[Route], 'answer'>
/** A part is optional if all its fields are. */
type Input<All> = { [Part in keyof All as Record<never, never> extends All[Part] ? never : Part]: All[Part] } & {
  [Part in keyof All as Record<never, never> extends All[Part] ? Part : never]?: All[Part]
}
export type RouteInput<Route extends ControlRoute> = Input<Parts<Route>> & Pick<CallOptions, 'contentType' | 'signal'>
export type RouteAnswer<Route extends ControlRoute> = ControlRoutes[Route]['answer']
/** The input may be omitted if nothing in it is required. */
export type RouteArguments<Route extends ControlRoute> =
  Record<never, never> extends RouteInput<Route> ? [input?: RouteInput<Route>] : [input: RouteInput<Route>]

interface StreamOptions {
  /** The id of the last event seen; the stream continues after it. */
  lastEventId?: string | undefined
  /** Called when the stream is open. Earlier changes do not follow. */
  onOpen?: (() => void) | undefined
  /** Called for everything that arrives, heartbeats included. */
  onActivity?: (() => void) | undefined
}

export interface ControlClient {
  /** The base URL of the workspace, without a slash at the end. */
  readonly url: string
  /**
   * Calls a route of the control API, typed by its row: `call('GET /accounts/{username}', { params: { username } })`.
   * Throws `SandboxError` and `UnreachableError`.
   */
  call<Route extends ControlRoute>(route: Route, ...input: RouteArguments<Route>): Promise<RouteAnswer<Route>>
  /** `path` begins below `/_sandbox` (`/clock`). Resolves to the JSON of the answer, null for 204. Throws `SandboxError` and `UnreachableError`. */
  call<T>(method: string, path: string, body?: unknown, options?: CallOptions): Promise<T>
  /**
   * Returns the body of an answer as it arrives. `path` begins below `/_sandbox`; `body` may be a stream. Throws
   * `SandboxError` and `UnreachableError`.
   */
  transfer(method: string, path: string, body?: string | ReadableStream<Uint8Array>): Promise<AsyncIterable<Uint8Array>>
  /** Calls back for every change, with the id of its event. Resolves when the signal aborts or the sandbox ends the stream. */
  stream(
    onChange: (change: Change, eventId: string | undefined) => void,
    signal: AbortSignal,
    options?: StreamOptions,
  ): Promise<void>
}

interface ControlOptions {
  /** Required if the sandbox has an admin token. */
  adminToken?: string | undefined
  /** The workspace, if not `default`. */
  workspace?: string | undefined
  /** Sends calls, but none whose body is a stream (default: `fetch`). */
  send?: Send | undefined
  /** Sends calls whose request or response is a stream (default: `fetch`). */
  sendStream?: Send<StreamedAnswer> | undefined
  /** Aborts all calls and streams in progress. */
  signal?: AbortSignal | undefined
}

/** Sends nothing yet. `url` is the base URL of the sandbox, without a workspace. */
export function connectControl(
  url: string,
  { adminToken, workspace = 'default', send, sendStream = sendWithFetch, signal: endSignal }: ControlOptions = {},
): ControlClient {
  const root = withoutTrailing(url, '/')
  const base = workspace === 'default' ? root : `${root}/w/${encodeURIComponent(workspace)}`
  const admin: Record<string, string> = adminToken === undefined ? {} : { [requestHeaders.adminToken]: adminToken }
  async function callPath<T>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<T> {
    const { query = {}, contentType } = options
    const signal = anySignal(options.signal, endSignal)
    const content = contentType ?? (body === undefined ? undefined : 'application/json')
    const init: RequestInit = {
      method,
      headers: content === undefined ? admin : { ...admin, 'Content-Type': content },
      ...(body === undefined ? {} : { body: contentType === undefined ? JSON.stringify(body) : String(body) }),
      ...(signal === undefined ? {} : { signal }),
    }
    const ask = () => sendRequest(addressOf(base, path, query), init, send)
    return readAnswer<T>(await (method === 'GET' ? retryIfCut(ask) : ask()))
  }
  return {
    url: base,
    call<T>(first: string, second?: string | UntypedInput, body?: unknown, options?: CallOptions): Promise<T> {
      if (typeof second === 'string') return callPath<T>(first, second, body, options)
      const [method = '', template = ''] = first.split(' ')
      const { params = {}, query = {}, body: sent, ...more } = second ?? {}
      return callPath<T>(method, fillTemplate(template, params), sent, { ...more, query: texts(query) })
    },
    async transfer(method, path, body) {
      const headers = body === undefined ? admin : { ...admin, 'Content-Type': 'application/octet-stream' }
      const signal = endSignal === undefined ? {} : { signal: endSignal }
      // The browser's types lack `duplex`.
      const content = body === undefined ? {} : ({ body, duplex: 'half' } as RequestInit)
      const answer = await sendRequest(
        addressOf(base, path, {}),
        { method, headers, ...signal, ...content },
        sendStream,
      )
      if (!answer.ok || answer.body === null) await readAnswer(answer)
      return piecesOf(answer)
    },
    async stream(onChange, callerSignal, { lastEventId, onOpen, onActivity } = {}) {
      const signal = anySignal(callerSignal, endSignal) ?? callerSignal
      if (signal.aborted) return
      try {
        const address = addressOf(base, '/stream', { last_event_id: lastEventId })
        const answer = await sendRequest(address, { headers: admin, signal }, sendStream)
        if (!answer.ok || answer.body === null) return void (await readAnswer(answer))
        onOpen?.()
        await readEvents(answer.body, (data, id) => onChange(JSON.parse(data), id), onActivity)
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
  }
}

const anySignal = (one: AbortSignal | undefined, other: AbortSignal | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other])

interface UntypedInput extends Omit<CallOptions, 'query'> {
  params?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
}

const fillTemplate = (template: string, params: Record<string, string | number>) =>
  template.replace(/\{([a-z_]+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))

const texts = (query: Record<string, unknown>) =>
  mapRows(query, (value) => (value === undefined ? undefined : String(value)))

/** Keeps a path that already begins with `/_sandbox`. */
function addressOf(base: string, path: string, query: Record<string, string | undefined>): string {
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const search = parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`
  return `${base}${path.startsWith('/_sandbox/') ? '' : '/_sandbox'}${path}${search}`
}

// Reads a stream of server-sent events, in the form in which the sandbox writes them: the data is in one line.

/**
 * Passes on the data and id of each event, and calls back for every piece that arrives. Resolves when the stream ends,
 * for any reason.
 */
async function readEvents(
  body: ReadableStream<Uint8Array>,
  onData: (data: string, id: string | undefined) => void,
  onPiece: () => void = () => {},
): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let unread = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true as const, value: undefined }))
      if (done) return
      onPiece()
      const events = `${unread}${decoder.decode(value, { stream: true })}`.split('\n\n')
      unread = events.pop() ?? ''
      for (const event of events) {
        const data = /^data: (.*)/m.exec(event)?.[1]
        if (data !== undefined) onData(data, /^id: (.*)/m.exec(event)?.[1])
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
