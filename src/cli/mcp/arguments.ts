/** Rejects arguments that a tool does not have. An unknown argument is never ignored. */
import { nearest } from '../../base/nearest.js'
import { didYouMean, UsageError } from '../errors.js'
import type { ObjectSchema } from './schemas.js'

export function requireKnownArguments(
  tool: string,
  { properties }: ObjectSchema,
  given: Record<string, unknown>,
): void {
  const known = Object.keys(properties)
  const extra = Object.keys(given).find((name) => !known.includes(name))
  if (extra === undefined) return
  const takes = known.length === 0 ? 'it has no arguments' : `use one of ${known.join(', ')}`
  throw new UsageError(`${extra} is not an argument of ${tool}${didYouMean(nearest(extra, known))}; ${takes}`)
}
