/** Takes in the whole body of a call, whatever has become of the call: where a part stays unread, the runtime closes the connection before the answer has arrived. */
import { bodyLimits, requestTimeouts } from '../../protocol/api/limits.js'
import { ringAfter } from './alarm.js'

/** `answer` gets the same request, and may leave its body where it likes. */
export async function withWholeBody(
  request: Request,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  const declared = request.headers.get('content-length')
  if (request.body === null || (declared !== null && Number(declared) <= bodyLimits.unaskedBytes))
    return answer(request)
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const taken = takeIn(request.body, writable)
  // The types of the browser know no half-open requests.
  const init = { body: readable, duplex: 'half' } as RequestInit
  const response = await answer(new Request(request, init))
  let cancel = () => {}
  const late = new Promise<void>((resolve) => {
    cancel = ringAfter(requestTimeouts.requestMs, resolve)
  })
  await Promise.race([taken, late])
  cancel()
  return response
}

/** What nobody reads any more goes nowhere. */
async function takeIn(body: ReadableStream<Uint8Array>, into: WritableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader()
  const writer = into.getWriter()
  let isWanted = true
  const gone = () => {
    isWanted = false
  }
  writer.closed.catch(gone)
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      if (isWanted) await writer.write(next.value).catch(gone)
    if (isWanted) await writer.close().catch(gone)
  } catch (error) {
    // The caller has gone, or broke off.
    await writer.abort(error).catch(gone)
  }
}
