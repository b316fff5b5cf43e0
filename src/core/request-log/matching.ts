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
  const asked = Object.values(expected).filter((value) => value !== undefined).length
  const judged = calls.map((call) => ({ request_id: call.request_id, differs: differences(call, expected) }))
  const near = judged
    .filter(({ differs }) => isNear(differs, asked))
    .sort((one, other) => one.differs.length - other.differs.length)
  return { matched: judged.filter(({ differs }) => differs.length === 0).length, near: near.slice(0, nearMisses) }
}

/** Something else must fit; a call of another path is near only where that is all. */
function isNear(differs: readonly Difference[], asked: number): boolean {
  const parts = new Set(differs.map(({ field }) => field.split('.')[0]))
  return parts.size > 0 && parts.size < asked && (parts.size === 1 || !parts.has('path'))
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
