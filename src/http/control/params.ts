/** Reading what callers of our own surface send: every field known, every value checked. */
import type * as z from 'zod'
import { parseDuration } from '../../base/duration.js'
import { nearest } from '../../base/nearest.js'
import { ApiError } from '../../protocol/api/errors.js'

/** The body as the schema has it; 422 INVALID_VALUE with field and rule, also for a field that nobody knows. */
export function readBody<Schema extends z.ZodObject>(schema: Schema, body: Record<string, unknown>): z.output<Schema> {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  if (issue?.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    const guess = nearest(key, Object.keys(schema.shape))
    const rule = `is no field here${guess === null ? '' : `; did you mean ${guess}?`}`
    throw invalid([...issue.path, key].join('.'), rule, { fields: Object.keys(schema.shape) })
  }
  const field = issue?.path.join('.') ?? ''
  if (issue !== undefined && issue.path.length > 0 && lookUp(body, issue.path) === undefined) {
    throw new ApiError('MISSING_REQUIRED_FIELD', { field }, { message: `${field} is required.` })
  }
  throw invalid(field, issue?.message ?? 'is invalid')
}

const lookUp = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, key) => (at !== null && typeof at === 'object' ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    value,
  )

export function invalid(field: string, rule: string, more: Record<string, unknown> = {}): ApiError {
  return new ApiError('INVALID_VALUE', { field, rule, ...more }, { message: `${field} ${rule}.` })
}

/** Milliseconds of a duration field. */
export function durationOf(text: string, field: string): number {
  const ms = parseDuration(text)
  if (ms === null) throw invalid(field, 'must be a number of seconds or a text such as 500ms, 90s, 10m, 2h, 7d')
  return ms
}

/** `limit` (1 to 500, else 50) and `after`, the cursor of an earlier page. */
export function pageOf(query: URLSearchParams): { limit: number; beforeSeq: number } {
  const limit = query.get('limit') ?? '50'
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > 500)
    throw invalid('limit', 'must be a whole number from 1 to 500')
  const after = query.get('after')
  if (after !== null && !/^\d{1,15}$/.test(after)) throw invalid('after', 'must be the `next` of an earlier page')
  return { limit: Number(limit), beforeSeq: after === null ? Number.MAX_SAFE_INTEGER : Number(after) }
}

/** `{data, next}` of rows read one beyond the limit. */
export function paged<Row extends { seq: number }>(
  rows: Row[],
  limit: number,
  show: (row: Row) => unknown,
): { data: unknown[]; next: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { data: page.map(show), next: rows.length > limit && last !== undefined ? String(last.seq) : null }
}

/** Query parameters beyond those known are mistakes, not wishes. */
export function knownQuery(query: URLSearchParams, known: readonly string[]): void {
  for (const key of query.keys()) {
    if (known.includes(key)) continue
    const guess = nearest(key, known)
    throw invalid(key, `is no parameter here${guess === null ? '' : `; did you mean ${guess}?`}`, { parameters: known })
  }
}
