/** What a tool is given, held against what it takes: an argument that it does not know is refused, and never ignored. */
import { nearest } from '../../base/nearest.js'
import { didYouMean, UsageError } from '../errors.js'
import type { ObjectSchema } from './schemas.js'

export function requireKnownArguments(
  tool: string,
  { properties }: ObjectSchema,
  given: Record<string, unknown>,
): void {
  const known = Object.keys(properties)
  const stranger = Object.keys(given).find((name) => !known.includes(name))
  if (stranger === undefined) return
  const takes = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`
  throw new UsageError(`${tool} has no argument ${stranger}${didYouMean(nearest(stranger, known))}; ${takes}`)
}
