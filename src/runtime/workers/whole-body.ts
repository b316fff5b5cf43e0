/** Takes in the whole body of a call, whatever has become of the call: where a part stays unread, the runtime closes the connection behind the answer, or before it has arrived, and the next call is lost. */
import { declaredBytes } from '../../http/bodies.js'
import { bodyLimits, requestTimeouts } from '../../protocol/platform/limits.js'
import { ringAfter } from './alarm.js'

/** `answer` gets the same request, and may leave its body where it likes. */
export async function withWholeBody(
  request: Request,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  const { body } = request
  if (body === null) return answer(request)
  // So much is read at once or not at all.
  if ((declaredBytes(request) ?? Number.POSITIVE_INFINITY) <= bodyLimits.unaskedBytes) {
    const response = await answer(request)
    if (!request.bodyUsed) await inTime(request.arrayBuffer())
    return response
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  let stop = () => {}
  const answered = new Promise<void>((resolve) => {
    stop = resolve
  })
  const taken = takeIn(body, writable, answered)
  // The types of the browser know no half-open requests.
  const init = { body: readable, duplex: 'half' } as RequestInit
  try {
    return await answer(new Request(request, init))
  } finally {
    stop()
    await inTime(taken)
  }
}

/** Hands on what comes until there is an answer; what nobody reads any more goes nowhere. */
async function takeIn(
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
    // The caller has gone, or broke off.
    await writer.abort(error).catch(gone)
  }
}

/** Until it has ended, or failed, or the caller has had as long as a request may take. */
async function inTime(work: Promise<unknown>): Promise<void> {
  let cancel = () => {}
  const late = new Promise<void>((resolve) => {
    cancel = ringAfter(requestTimeouts.requestMs, resolve)
  })
  await Promise.race([work.catch(() => undefined), late])
  cancel()
}
