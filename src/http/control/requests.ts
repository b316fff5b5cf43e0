/** The request log: calls of the platform API. */

import { JsonNumber, parseJson, parseUntrustedJson } from '../../base/json.js'
import { rowAt } from '../../base/keys.js'
import { fieldsOfJson, isDeepEqualJson, isJsonObject } from '../../base/unknown.js'
import { accountOf } from '../../core/auth/authenticate.js'
import { explainSignature } from '../../core/auth/explain-signature.js'
import { findTransaction } from '../../core/operations/transactions.js'
import { type NumberedRecord, requestLog } from '../../core/request-log/log.js'
import { callReader } from '../../core/request-log/paid-twice.js'
import type { Workspace } from '../../core/unit/unit.js'
import type { requestRoutes } from '../../protocol/control/requests.js'
import { ApiError, notFound } from '../../protocol/platform/errors.js'
import type { RequestEntry } from '../../store/schema.js'
import { ownToolOf, pathInWorkspace } from '../messages.js'
import { replay } from '../platform/replay.js'
import { type ControlCall, type Handlers, pageFrom, rangeOf } from './routes.js'

/** Whether a call concerns an id: it is in the path, the request or the response. */
const mentions = ({ request_body, response_body, path }: RequestEntry, id: string) =>
  [response_body, request_body, path].some((text) => text?.includes(id) === true)

type Rows = typeof requestRoutes
type Filter = Omit<ControlCall<Rows['listRequests']>['query'], 'limit' | 'after'>

const is = <T>(value: T, expected: T | undefined) => expected === undefined || value === expected

/** Whether the call was dropped before it was executed, and has the reference of the transaction that a repeat created. */
const isLostCallOf = ({ db }: Workspace, { status, account, request_body }: RequestEntry, id: string): boolean => {
  const transaction = status === 0 ? findTransaction(db, id) : undefined
  return (
    transaction?.externalId != null &&
    accountOf(db, transaction.accountSeq).username === account &&
    fieldsOfJson(request_body ?? '', parseJson)?.external_id === transaction.externalId
  )
}

const matches = (ws: Workspace, entry: RequestEntry, filter: Filter) =>
  is(entry.status, filter.status) &&
  is(entry.error_code, filter.error_code) &&
  (filter.path === undefined || pathInWorkspace(ws.name, entry.path).split('?')[0] === filter.path) &&
  is(entry.method, filter.method) &&
  is(entry.account, filter.account) &&
  is(String(entry.warnings.length > 0), filter.warnings) &&
  (filter.transaction_id === undefined ||
    mentions(entry, filter.transaction_id) ||
    isLostCallOf(ws, entry, filter.transaction_id))

/** The log has paths with the `/w/{name}` of the workspace, and callers give them with or without it. */
const withPathInWorkspace = <Value extends { path?: string | undefined }>(ws: Workspace, value: Value): Value =>
  value.path === undefined ? value : { ...value, path: pathInWorkspace(ws.name, value.path) }

/** The list contains summaries without bodies. */
function listRequests({ ws, query }: ControlCall<Rows['listRequests']>) {
  const filter = withPathInWorkspace(ws, query)
  const { limit, rowLimit, belowSeq } = rangeOf(query)
  const read = callReader(ws)
  const matching: { seq: number; entry: RequestEntry }[] = []
  for (const record of ws.memory.of(requestLog).list()) {
    if (record.seq >= belowSeq) continue
    const entry = read(record)
    if (matches(ws, entry, filter)) matching.push({ seq: record.seq, entry })
    if (matching.length >= rowLimit) break
  }
  return pageFrom(matching, limit, ({ entry }) => {
    const { request_headers, request_body: body, response_headers: _got, response_body: _response, ...summary } = entry
    return { ...summary, ...paymentIn(body ?? ''), by: toolOf({ request_headers }) }
  })
}

/** Characters of a value that are shown: a call can send any text as its amount. */
const maxShownLength = 200

/** What tells calls of one path apart: reference and amount as the body has them. */
function paymentIn(body: string): Record<string, string> {
  const { external_id, amount, currency, base_currency } = fieldsOfJson(body, parseJson) ?? {}
  const given = { external_id, amount, currency: currency ?? base_currency }
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const text = value instanceof JsonNumber ? value.text : value
      return typeof text === 'string' ? [[name, text.slice(0, maxShownLength)]] : []
    }),
  )
}

type Sent = Pick<RequestEntry, 'request_headers'>

/** A header of the request, however its name is written. */
export const headerOf = ({ request_headers: headers }: Sent, name: string): string | undefined =>
  Object.entries(headers).find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1]

/** Whether the call was made with the dashboard or another tool of the sandbox. */
export const isOwnEntry = (entry: Sent): boolean => toolOf(entry) !== undefined

const toolOf = (entry: Sent) => ownToolOf((name) => headerOf(entry, name))

function requireRecord(ws: Workspace, id: string): NumberedRecord {
  const record = ws.memory.of(requestLog).find(id)
  if (record === undefined)
    throw notFound('request', id, `There is no request ${id} in the log; the log keeps only the newest requests.`)
  return record
}

function callDetails(ws: Workspace, record: NumberedRecord) {
  const signed = record.signed()
  const entry = callReader(ws)(record)
  return { ...entry, by: toolOf(entry), ...(signed === null ? {} : { signature: explainSignature(signed) }) }
}

function verifyRequests({ ws, body: { times, ...expected } }: ControlCall<Rows['verifyRequests']>) {
  const entries = ws.memory
    .of(requestLog)
    .list()
    .map((record) => withPathInWorkspace(ws, record.entry()))
  const found = matchCalls(entries, withPathInWorkspace(ws, expected))
  if (times === undefined || times === found.matched) return found
  throw new ApiError('CONFLICT', { times, ...found }, countMismatch(times, found))
}

function countMismatch(times: number, { matched, near }: ReturnType<typeof matchCalls>): string {
  const callCount = (count: number) => `${count} such call${count === 1 ? '' : 's'}`
  const misses = near.map(({ request_id, differs }) => {
    const differenceTexts = differs.map(
      ({ field, expected, received }) => `${field} ${JSON.stringify(received)} instead of ${JSON.stringify(expected)}`,
    )
    return `${request_id} had ${differenceTexts.join(', ')}`
  })
  const nearMissText = matched >= times || misses.length === 0 ? '' : `; ${misses.join('; ')}`
  return `Expected ${callCount(times)}, received ${matched}${nearMissText}.`
}

export const requestHandlers: Handlers<Rows> = {
  listRequests,
  readRequest: ({ ws, params }) => callDetails(ws, requireRecord(ws, params.id)),
  verifyRequests,
  replayRequest: async ({ ws, params, env }) =>
    callDetails(ws, requireRecord(ws, await replay(ws, requireRecord(ws, params.id).entry(), env))),
}

// Finds logged calls that match an expectation, and reports how near misses differ.

export interface ExpectedCall {
  method?: string | undefined
  /** Without a query, only the path is compared. */
  path?: string | undefined
  status?: number | undefined
  /** Compares only the given fields of an object, at any depth. */
  body?: unknown
  headers?: Record<string, string> | undefined
}

interface Difference {
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
function matchCalls(calls: readonly RequestEntry[], expected: ExpectedCall): { matched: number; near: NearMiss[] } {
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
