/** The query of a call, of both APIs. */
import { ApiError } from '../protocol/platform/errors.js'

/** 422 INVALID_VALUE with `rule: repeated` for a parameter that is given more than once. */
export function queryOf(request: Request): Record<string, string> {
  const query = new Map<string, string>()
  for (const [name, value] of new URL(request.url).searchParams) {
    if (query.has(name))
      throw new ApiError(
        'INVALID_VALUE',
        { field: name, rule: 'repeated' },
        { message: `The query parameter ${name} is repeated: give it once.` },
      )
    query.set(name, value)
  }
  return Object.fromEntries(query)
}
