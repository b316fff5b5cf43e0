/** Reads the query of a call, for both APIs. */
import { ApiError } from '../protocol/platform/errors.js'

/** Throws 422 INVALID_VALUE with `rule: repeated` if a parameter is given more than once. */
export function queryOf(request: Pick<Request, 'url'>): Record<string, string> {
  const query = new Map<string, string>()
  for (const [name, value] of new URL(request.url).searchParams) {
    if (query.has(name))
      throw new ApiError(
        'INVALID_VALUE',
        { field: name, rule: 'repeated' },
        { message: `The query parameter ${name} is given more than once; give it once.` },
      )
    query.set(name, value)
  }
  return Object.fromEntries(query)
}
