/** Rejects arguments that a tool does not have. An unknown argument is never ignored. */
import { didYouMean, nearest } from '../../../inside/values.js'
import type { ObjectSchema } from './schemas.js'

/** A tool was called wrongly; the message tells the agent how to call it. */
export class ToolMistake extends Error {}

export function requireKnownArguments(
  tool: string,
  { properties }: ObjectSchema,
  input: Record<string, unknown>,
): void {
  const known = Object.keys(properties)
  const extra = Object.keys(input).find((name) => !known.includes(name))
  if (extra === undefined) return
  const takes = known.length === 0 ? 'it has no arguments' : `use one of ${known.join(', ')}`
  throw new ToolMistake(`${extra} is not an argument of ${tool}${didYouMean(nearest(extra, known))}; ${takes}`)
}
