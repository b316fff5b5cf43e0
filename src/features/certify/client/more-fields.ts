/** Adds unknown fields to responses of the platform API, as a later version of the platform may do. */
import type { Fetch } from '../../../inside/handlers.js'

const extraFields = '"x_since":"2.1","x_hints":[{"kind":"none"}],'

/** Wraps `fetch`. Changes only successful responses of the platform API. */
export const withMoreFields =
  (fetch: Fetch): Fetch =>
  async (request, env) => {
    const response = await fetch(request, env)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    if (!response.ok || !isJson || !new URL(request.url).pathname.startsWith('/v2/')) return response
    const text = (await response.text()).replace(/^\{/, `{${extraFields}`).replace('"data":{', `"data":{${extraFields}`)
    const headers = new Headers(response.headers)
    headers.delete('content-length')
    return new Response(text, { status: response.status, headers })
  }
