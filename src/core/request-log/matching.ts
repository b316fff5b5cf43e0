/** Finds logged calls that match an expectation, and reports how near misses differ. */

import { parseUntrustedJson } from '../../base/json.js'
import { rowAt } from '../../base/keys.js'
import { isDeepEqualJson, isJsonObject } from '../../base/unknown.js'
import type { RequestEntry } from '../../store/schema.js'

export interface ExpectedCall {
  method?: string | undefined
  /** Without a query, only the path is compared. */
  path?: string | undefined
  status?: number | undefined
  /** Compares only the given fields of an object, at any depth. */
  body?: unknown
  headers?: Record<string, string> | undefined
}

export interface Difference {
  field: string
  expected: unknown
  /** Null if it is missing. */
  received: unknown
}

export interface NearMiss {
  request_id: string
  differs: Difference[]
}

const nearMisses = 5

/** Returns the number of matching calls, and the near misses, most matching values first. */
export function matchCalls(
  calls: readonly RequestEntry[],
  expected: ExpectedCall,
): { matched: number; near: NearMiss[] } {
  const criteria = expectedFields(expected)
  const judged = calls.map((call) => {
    const differs = differences(call, expected)
    return { request_id: call.request_id, differs, fits: criteria.filter((leaf) => !isAmong(differs, leaf)).length }
  })
  const near = judged
    .filter(
      ({ differs, fits }) => differs.length > 0 && (fits > 0 ? isOnPath(differs) : isOtherwiseAlike(criteria, differs)),
    )
    .sort((one, other) => other.fits - one.fits)
    .map(({ request_id, differs }) => ({ request_id, differs }))
  return { matched: judged.filter(({ differs }) => differs.length === 0).length, near: near.slice(0, nearMisses) }
}

const isAmong = (differs: readonly Difference[], leaf: string) =>
  differs.some(({ field }) => leaf === field || leaf.startsWith(`${field}.`))

/** A call with a different path is a near miss only if everything else is equal. */
const isOnPath = (differs: readonly Difference[]) =>
  differs.length === 1 || !differs.some(({ field }) => field === 'path')

/**
 * For a call without any matching value: returns whether only the status, the body or the headers are expected, and the
 * call has other values for all of them.
 */
function isOtherwiseAlike(criteria: readonly string[], differs: readonly Difference[]): boolean {
  const parts = new Set(criteria.map(partOf))
  return (
    parts.size === 1 && !parts.has('path') && !parts.has('method') && differs.every(({ received }) => received !== null)
  )
}

const partOf = (field: string) => field.split('.')[0]

/** Returns the name of every expected value: `status`, `body.amount`, … */
function expectedFields({ body, headers = {}, ...plain }: ExpectedCall): string[] {
  const names = Object.entries(plain).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  return [...names, ...Object.keys(headers).map((name) => `headers.${name.toLowerCase()}`), ...leavesIn('body', body)]
}

function leavesIn(field: string, value: unknown): string[] {
  if (value === undefined) return []
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([name, item]) => leavesIn(`${field}.${name}`, item))
    : [field]
}

function differences(call: RequestEntry, { method, path, status, body, headers = {} }: ExpectedCall): Difference[] {
  const seenPath = path?.includes('?') === true ? call.path : (call.path.split('?')[0] ?? '')
  return [
    ...differenceIf('method', method?.toUpperCase(), call.method),
    ...differenceIf('path', path, seenPath),
    ...differenceIf('status', status, call.status),
    ...Object.entries(headers).flatMap(([name, value]) =>
      differenceIf(`headers.${name.toLowerCase()}`, value, rowAt(call.request_headers, name.toLowerCase()) ?? null),
    ),
    ...(body === undefined ? [] : bodyDifferences('body', body, shownBody(call.request_body))),
  ]
}

const differenceIf = (field: string, expected: unknown, received: unknown): Difference[] =>
  expected === undefined || isDeepEqualJson(expected, received) ? [] : [{ field, expected, received }]

function bodyDifferences(field: string, expected: unknown, received: unknown): Difference[] {
  if (!isJsonObject(expected) || !isJsonObject(received)) return differenceIf(field, expected, received)
  return Object.entries(expected).flatMap(([name, value]) =>
    bodyDifferences(`${field}.${name}`, value, rowAt(received, name) ?? null),
  )
}

/** Parses the body as JSON; returns the text itself if that fails. */
const shownBody = (text: string | null): unknown => (text === null ? null : (parseUntrustedJson(text) ?? text))
