/**
 * Reads the whole body of every call, even if the call fails early. Otherwise the runtime closes the connection after
 * the answer, or before it arrives, and the next call is lost.
 */
import { declaredBytes } from '../../http/bodies.js'
import { bodyLimits, requestTimeouts } from '../../protocol/platform/limits.js'
import { callAfter } from './alarm.js'

/** `answer` gets the same request, and need not read its body. */
export async function withWholeBody(
  request: Request,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  const { body } = request
  if (body === null) return answer(request)
  // A small body is read in one step, or not at all.
  if ((declaredBytes(request) ?? Number.POSITIVE_INFINITY) <= bodyLimits.unaskedBytes) {
    const response = await answer(request)
    if (!request.bodyUsed) await withinTimeLimit(request.arrayBuffer())
    return response
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  let stop = () => {}
  const answered = new Promise<void>((resolve) => {
    stop = resolve
  })
  const taken = forwardBody(body, writable, answered)
  // The browser's types lack `duplex`.
  const init = { body: readable, duplex: 'half' } as RequestInit
  try {
    return await answer(new Request(request, init))
  } finally {
    stop()
    await withinTimeLimit(taken)
  }
}

/** Forwards the body until there is an answer, and discards the rest. */
async function forwardBody(
  body: ReadableStream<Uint8Array>,
  into: WritableStream<Uint8Array>,
  answered: Promise<void>,
): Promise<void> {
  const reader = body.getReader()
  const writer = into.getWriter()
  let isWanted = true
  const gone = () => {
    isWanted = false
  }
  writer.closed.catch(gone)
  void answered.then(gone)
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      if (isWanted) await Promise.race([writer.write(next.value).catch(gone), answered])
    if (isWanted) await writer.close().catch(gone)
  } catch (error) {
    // The caller disconnected.
    await writer.abort(error).catch(gone)
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
