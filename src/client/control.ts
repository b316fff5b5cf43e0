/** The client of the control API: one call, and the stream of changes. */
import { withoutTrailing } from '../base/text.js'
import { callHeaders } from '../protocol/platform/headers.js'
import { askAgain, exchange, piecesOf, readAnswer, type Send } from './exchange.js'
import { readEvents } from './server-sent-events.js'
import type { ControlRoute, ControlRoutes } from './types/control.js'

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

/** What a route takes, by its row: `params` of its path, `query`, `body`. */
type Parts<Route extends ControlRoute> = Omit<ControlRoutes[Route], 'answer'>
/** A part whose every field is optional may be left out. */
type Given<All> = { [Part in keyof All as Record<never, never> extends All[Part] ? never : Part]: All[Part] } & {
  [Part in keyof All as Record<never, never> extends All[Part] ? Part : never]?: All[Part]
}
export type RouteInput<Route extends ControlRoute> = Given<Parts<Route>> & Pick<CallOptions, 'contentType' | 'signal'>
export type RouteAnswer<Route extends ControlRoute> = ControlRoutes[Route]['answer']
/** May be left out where nothing has to be given. */
export type RouteArguments<Route extends ControlRoute> =
  Record<never, never> extends RouteInput<Route> ? [input?: RouteInput<Route>] : [input: RouteInput<Route>]

export interface StreamOptions {
  /** The id of the last event seen: the stream goes on after it. */
  lastEventId?: string | undefined
  /** The stream is open: what has changed before is not told, or was told before. */
  onOpen?: (() => void) | undefined
  /** Something came over the wire, if only the sign that the sandbox is still there. */
  onSign?: (() => void) | undefined
}

export interface ControlClient {
  /** The base URL of the workspace, without a slash at the end. */
  readonly url: string
  /** A route of the control API, typed by its row: `call('GET /accounts/{username}', { params: { username } })`. Throws `SandboxError` and `UnreachableError`. */
  call<Route extends ControlRoute>(route: Route, ...input: RouteArguments<Route>): Promise<RouteAnswer<Route>>
  /** `path` begins below `/_sandbox` (`/clock`). Resolves to the JSON of the answer, null for 204. Throws `SandboxError` and `UnreachableError`. */
  call<T>(method: string, path: string, body?: unknown, options?: CallOptions): Promise<T>
  /** The body of an answer as it arrives; `path` begins below `/_sandbox`, and `body` may be a stream. Throws `SandboxError` and `UnreachableError`. */
  transfer(method: string, path: string, body?: string | ReadableStream<Uint8Array>): Promise<AsyncIterable<Uint8Array>>
  /** Calls back for every change, with the id of its event. Resolves when the signal aborts or the sandbox ends the stream. */
  stream(
    onChange: (change: Change, eventId: string | undefined) => void,
    signal: AbortSignal,
    options?: StreamOptions,
  ): Promise<void>
}

export interface ControlOptions {
  /** Where the sandbox asks for one: off loopback. */
  adminToken?: string | undefined
  /** Another than `default`. */
  workspace?: string | undefined
  /** What calls go out by, the stream aside; `fetch` where absent. */
  send?: Send | undefined
  /** Ends every call and stream that is under way. */
  signal?: AbortSignal | undefined
}

/** Sends nothing yet. `url` is the base URL of the sandbox, whichever the workspace. */
export function connectControl(
  url: string,
  { adminToken, workspace = 'default', send, signal: ending }: ControlOptions = {},
): ControlClient {
  const root = withoutTrailing(url, '/')
  const base = workspace === 'default' ? root : `${root}/w/${encodeURIComponent(workspace)}`
  const admin: Record<string, string> = adminToken === undefined ? {} : { [callHeaders.adminToken]: adminToken }
  async function callPath<T>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<T> {
    const { query = {}, contentType } = options
    const signal = eitherOf(options.signal, ending)
    const content = contentType ?? (body === undefined ? undefined : 'application/json')
    const init: RequestInit = {
      method,
      headers: content === undefined ? admin : { ...admin, 'Content-Type': content },
      ...(body === undefined ? {} : { body: contentType === undefined ? JSON.stringify(body) : String(body) }),
      ...(signal === undefined ? {} : { signal }),
    }
    const ask = () => exchange(addressOf(base, path, query), init, send)
    return readAnswer<T>(await (method === 'GET' ? askAgain(ask) : ask()))
  }
  return {
    url: base,
    call<T>(first: string, second?: string | UntypedInput, body?: unknown, options?: CallOptions): Promise<T> {
      if (typeof second === 'string') return callPath<T>(first, second, body, options)
      const [method = '', template = ''] = first.split(' ')
      const { params = {}, query = {}, body: sent, ...more } = second ?? {}
      return callPath<T>(method, filled(template, params), sent, { ...more, query: texts(query) })
    },
    async transfer(method, path, body) {
      const headers = body === undefined ? admin : { ...admin, 'Content-Type': 'application/octet-stream' }
      const signal = ending === undefined ? {} : { signal: ending }
      const answer = await exchange(addressOf(base, path, {}), {
        method,
        headers,
        ...signal,
        // The types of the browser know no half-open requests.
        ...(body === undefined ? {} : ({ body, duplex: 'half' } as RequestInit)),
      })
      if (!answer.ok || answer.body === null) await readAnswer(answer)
      return piecesOf(answer)
    },
    async stream(onChange, own, { lastEventId, onOpen, onSign } = {}) {
      const signal = eitherOf(own, ending) ?? own
      if (signal.aborted) return
      try {
        const answer = await exchange(addressOf(base, '/stream', { last_event_id: lastEventId }), {
          headers: admin,
          signal,
        })
        if (!answer.ok || answer.body === null) return void (await readAnswer(answer))
        onOpen?.()
        await readEvents(answer.body, (data, id) => onChange(JSON.parse(data), id), onSign)
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
  }
}

const eitherOf = (one: AbortSignal | undefined, other: AbortSignal | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other])

interface UntypedInput extends Omit<CallOptions, 'query'> {
  params?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
}

const filled = (template: string, params: Record<string, string | number>) =>
  template.replace(/\{([a-z_]+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))

const texts = (query: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  )

/** A path that already begins with `/_sandbox` is taken as it is. */
function addressOf(base: string, path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  return `${base}${path.startsWith('/_sandbox/') ? '' : '/_sandbox'}${path}${search}`
}
