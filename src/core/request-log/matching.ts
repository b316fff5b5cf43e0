/** Which logged calls are as somebody expects them, and how those that nearly are differ. */

import { isSame } from '../../base/equal.js'
import { foreignJson } from '../../base/json.js'
import { isFields } from '../../base/unknown.js'
import type { RequestEntry } from '../../store/schema.js'

export interface ExpectedCall {
  method?: string | undefined
  /** Without a query it is compared with the path alone. */
  path?: string | undefined
  status?: number | undefined
  /** Of an object only the fields that are named count, at any depth. */
  body?: unknown
  headers?: Record<string, string> | undefined
}

export interface Difference {
  field: string
  expected: unknown
  /** null: it is not there. */
  received: unknown
}

export interface NearMiss {
  request_id: string
  differs: Difference[]
}

const nearMisses = 5

/** How many calls match, and of the others those that differ least. */
export function matchCalls(
  calls: readonly RequestEntry[],
  expected: ExpectedCall,
): { matched: number; near: NearMiss[] } {
  const asked = leavesOf(expected)
  const judged = calls.map((call) => {
    const differs = differences(call, expected)
    return { request_id: call.request_id, differs, fits: asked.filter((leaf) => !isAmong(differs, leaf)).length }
  })
  const near = judged
    .filter(({ differs, fits }) => differs.length > 0 && (fits > 0 ? isOnPath(differs) : isAlone(asked, differs)))
    .sort((one, other) => other.fits - one.fits)
    .map(({ request_id, differs }) => ({ request_id, differs }))
  return { matched: judged.filter(({ differs }) => differs.length === 0).length, near: near.slice(0, nearMisses) }
}

const isAmong = (differs: readonly Difference[], leaf: string) =>
  differs.some(({ field }) => leaf === field || leaf.startsWith(`${field}.`))

/** A call of another path is near only if that is all that differs. */
const isOnPath = (differs: readonly Difference[]) =>
  differs.length === 1 || !differs.some(({ field }) => field === 'path')

/** If nothing fits: only the status, the body or the headers are expected, and the call has all of them with other values. */
function isAlone(asked: readonly string[], differs: readonly Difference[]): boolean {
  const parts = new Set(asked.map(partOf))
  return (
    parts.size === 1 && !parts.has('path') && !parts.has('method') && differs.every(({ received }) => received !== null)
  )
}

const partOf = (field: string) => field.split('.')[0]

/** Every single value that is expected: `status`, `body.amount`, … */
function leavesOf({ body, headers = {}, ...plain }: ExpectedCall): string[] {
  const named = Object.entries(plain).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  return [...named, ...Object.keys(headers).map((name) => `headers.${name.toLowerCase()}`), ...leavesIn('body', body)]
}

function leavesIn(field: string, value: unknown): string[] {
  if (value === undefined) return []
  return isFields(value) ? Object.entries(value).flatMap(([name, item]) => leavesIn(`${field}.${name}`, item)) : [field]
}

function differences(call: RequestEntry, { method, path, status, body, headers = {} }: ExpectedCall): Difference[] {
  const seenPath = path?.includes('?') === true ? call.path : (call.path.split('?')[0] ?? '')
  return [
    ...unlike('method', method?.toUpperCase(), call.method),
    ...unlike('path', path, seenPath),
    ...unlike('status', status, call.status),
    ...Object.entries(headers).flatMap(([name, value]) =>
      unlike(`headers.${name.toLowerCase()}`, value, call.request_headers[name.toLowerCase()] ?? null),
    ),
    ...(body === undefined ? [] : bodyDifferences('body', body, shownBody(call.request_body))),
  ]
}

const unlike = (field: string, expected: unknown, received: unknown): Difference[] =>
  expected === undefined || isSame(expected, received) ? [] : [{ field, expected, received }]

function bodyDifferences(field: string, expected: unknown, received: unknown): Difference[] {
  if (!isFields(expected) || !isFields(received)) return unlike(field, expected, received)
  return Object.entries(expected).flatMap(([name, value]) =>
    bodyDifferences(`${field}.${name}`, value, Object.hasOwn(received, name) ? received[name] : null),
  )
}

/** As JSON; the text itself if it is not JSON that can be shown. */
const shownBody = (text: string | null): unknown => (text === null ? null : (foreignJson(text) ?? text))
