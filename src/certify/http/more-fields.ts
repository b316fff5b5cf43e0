/** Answers of the API with fields that nobody has heard of, as a later version of the platform may send them. */
import type { Fetch } from '../../http/app.js'

const more = '"x_since":"2.1","x_hints":[{"kind":"none"}],'

/** Only successes of the API itself; what else the sandbox answers stays as it is. */
export const withMoreFields =
  (fetch: Fetch): Fetch =>
  async (request, env) => {
    const response = await fetch(request, env)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    if (!response.ok || !isJson || !new URL(request.url).pathname.startsWith('/v2/')) return response
    const text = (await response.text()).replace(/^\{/, `{${more}`).replace('"data":{', `"data":{${more}`)
    const headers = new Headers(response.headers)
    headers.delete('content-length')
    return new Response(text, { status: response.status, headers })
  }
