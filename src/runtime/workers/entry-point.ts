/** Entry point of a deployment: forwards each call to the object of its workspace, if that exists. */
import { chunksWithin } from '../../base/bytes.js'
import { setBounded } from '../../base/keys.js'
import { messageOf } from '../../base/unknown.js'
import { isName } from '../../core/unit/ports.js'
import { createApp, type Fetch } from '../../http/app.js'
import type { RouteSet } from '../../http/host.js'
import { addressOf, declaredBytes, errorResponse, toResponse, withRequestId } from '../../http/messages.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { internalHeader, requestHeaders } from '../../protocol/platform/headers.js'
import { bodyLimits, requestTimeouts } from '../../protocol/platform/limits.js'
import { type Bindings, directoryOf, type Settings, settingsOf } from './bindings.js'
import { envOf, hostOf } from './host.js'
import { addressOfCaller, UnauthenticatedLimit } from './quota.js'
import { callAfter, wallClock } from './runtime.js'

/** A workspace that does not exist has no features. */
const noRoutes: readonly RouteSet[] = []

/** Time for which calls still reach the object of a deleted workspace, which responds with 404 and writes nothing. */
const knownMs = 10 * 60_000
const maxKnown = 10_000

type EntryPoint = (request: Request) => Promise<Response>

let door: EntryPoint | undefined

/** Returns the entry point, one for each isolate, because its caches are in memory. */
export function entryPointOf(bindings: Bindings): EntryPoint {
  door ??= openDoor(bindings)
  return door
}

function openDoor(bindings: Bindings): EntryPoint {
  const settings = usableSettings(bindings)
  if (typeof settings !== 'string') return new WorkspaceRouter(bindings, settings).fetch
  const error = new ApiError('SERVICE_UNAVAILABLE', { reason: settings }, settings)
  return (request) => withWholeBody(request, async () => webErrorResponse(error))
}

/** Returns the settings, or the reason why the deployment cannot be used. */
function usableSettings(bindings: Bindings): Settings | string {
  try {
    const settings = settingsOf(bindings)
    if (settings.isLocal || bindings.PAYMENTS_SANDBOX_OPERATOR_TOKEN) return settings
    return 'This deployment has no operator token: set the secret PAYMENTS_SANDBOX_OPERATOR_TOKEN.'
  } catch (error) {
    return messageOf(error)
  }
}

class WorkspaceRouter {
  /** Workspaces that the directory has confirmed, and the time until which it is not asked again. */
  readonly #existsUntilMs = new Map<string, number>()
  readonly #unauthenticated: UnauthenticatedLimit | null
  /** The app that responds for workspaces that do not exist, in the format of any workspace. */
  readonly #app: Fetch

  constructor(
    readonly bindings: Bindings,
    { limits, ...settings }: Settings,
  ) {
    this.#unauthenticated =
      limits === null ? null : new UnauthenticatedLimit(limits.stranger_calls_per_minute, wallClock)
    this.#app = createApp(
      hostOf(
        bindings,
        { limits, ...settings },
        {
          workspace: () => undefined,
          tokenHash: () => null,
          storeTokenHash: () => undefined,
          home: () => ({ origin: settings.origin ?? '', workspace: '' }),
          quota: () => undefined,
        },
        noRoutes,
      ),
    )
  }

  fetch = async (request: Request): Promise<Response> => {
    const rawTarget = targetOf(request)
    const { workspace } = addressOf(request, rawTarget)
    try {
      // A caller without credentials is unauthenticated everywhere, so no object has to check it.
      if (hasNoCredentials(request)) this.#unauthenticated?.admit(addressOfCaller(request))
      if (workspace === 'default' || (await this.#exists(workspace)))
        return await this.bindings.WORKSPACES.getByName(workspace).fetch(fromOutside(request))
      if (!hasNoCredentials(request)) this.#unauthenticated?.admit(addressOfCaller(request))
    } catch (error) {
      return withWholeBody(request, async () => webErrorResponse(error))
    }
    return withWholeBody(request, async (whole) => this.#app(whole, envOf(request, rawTarget)))
  }

  async #exists(name: string): Promise<boolean> {
    if (!isName(name)) return false
    if ((this.#existsUntilMs.get(name) ?? 0) > wallClock()) return true
    const exists = await directoryOf(this.bindings).has(name)
    if (exists) setBounded(this.#existsUntilMs, name, wallClock() + knownMs, maxKnown)
    return exists
  }
}

export const targetOf = ({ url }: Request): string => url.slice(new URL(url).origin.length)

const hasNoCredentials = ({ headers }: Request) =>
  !headers.has('Authorization') && !headers.has(requestHeaders.adminToken)

function fromOutside(request: Request): Request {
  if (!request.headers.has(internalHeader)) return request
  const outside = new Request(request)
  outside.headers.delete(internalHeader)
  return outside
}

/** Without a workspace, the request gets no id. */
const webErrorResponse = (error: unknown): Response => toResponse(withRequestId(errorResponse(error), 'req_0'))

/**
 * Reads the whole body of every request, even if the request fails early. Otherwise the runtime closes the connection
 * after the response, or before it arrives, and the next request is lost. `handle` gets the same request, and need not
 * read its body.
 */
export async function withWholeBody(
  request: Request,
  handle: (request: Request) => Promise<Response>,
): Promise<Response> {
  const { body } = request
  if (body === null) return handle(request)
  // The handler reads a small body in one step or not at all; if it is not read, it is read here.
  if ((declaredBytes(request) ?? Number.POSITIVE_INFINITY) <= bodyLimits.beforeAuthBytes) {
    const response = await handle(request)
    if (!request.bodyUsed) await withinTimeLimit(request.arrayBuffer())
    return response
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  let stop = () => {}
  const whenResponded = new Promise<void>((resolve) => {
    stop = resolve
  })
  const forwarded = forwardBody(body, writable, whenResponded)
  // The browser's types lack `duplex`.
  const init = { body: readable, duplex: 'half' } as RequestInit
  try {
    return await handle(new Request(request, init))
  } finally {
    stop()
    await withinTimeLimit(forwarded)
  }
}

/** Forwards the body until there is a response, and discards the rest. */
async function forwardBody(
  body: ReadableStream<Uint8Array>,
  into: WritableStream<Uint8Array>,
  whenResponded: Promise<void>,
): Promise<void> {
  const writer = into.getWriter()
  let isWanted = true
  const stopForwarding = () => {
    isWanted = false
  }
  writer.closed.catch(stopForwarding)
  void whenResponded.then(stopForwarding)
  try {
    for await (const chunk of chunksWithin(body))
      if (isWanted) await Promise.race([writer.write(chunk).catch(stopForwarding), whenResponded])
    if (isWanted) await writer.close().catch(stopForwarding)
  } catch (error) {
    // The caller disconnected.
    await writer.abort(error).catch(stopForwarding)
  }
}

/** Waits until the work has ended or failed, at most for the time limit of a request. */
async function withinTimeLimit(work: Promise<unknown>): Promise<void> {
  let cancel = () => {}
  const late = new Promise<void>((resolve) => {
    cancel = callAfter(requestTimeouts.requestMs, resolve)
  })
  await Promise.race([work.catch(() => undefined), late])
  cancel()
}
