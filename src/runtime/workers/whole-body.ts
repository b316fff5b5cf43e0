/**
 * Reads the whole body of every request, even if the request fails early. Otherwise the runtime closes the connection
 * after the response, or before it arrives, and the next request is lost.
 */
import { chunksWithin } from '../../base/bytes.js'
import { declaredBytes } from '../../http/messages.js'
import { bodyLimits, requestTimeouts } from '../../protocol/platform/limits.js'
import { callAfter } from './runtime.js'

/** `handle` gets the same request, and need not read its body. */
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

/** Sets an entry as the newest. Beyond `most` entries, the oldest one is dropped. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
