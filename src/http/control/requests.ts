/** The request log: calls of the platform API. */

import { explainSignature } from '../../core/auth/explain-signature.js'
import { type NumberedRecord, requestLog } from '../../core/request-log/log.js'
import { matchCalls } from '../../core/request-log/matching.js'
import type { Workspace } from '../../core/unit/unit.js'
import type { requestRoutes } from '../../protocol/control/requests.js'
import { ApiError, notFound } from '../../protocol/platform/errors.js'
import type { RequestEntry } from '../../store/schema.js'
import { pathInWorkspace } from '../messages.js'
import { replay } from '../platform/replay.js'
import { pageFrom, rangeOf } from './pagination.js'
import type { ControlCall, Handlers } from './routes.js'

/** Whether a call concerns an id: it is in the path, the request or the response. */
const mentions = ({ request_body, response_body, path }: RequestEntry, id: string) =>
  [response_body, request_body, path].some((text) => text?.includes(id) === true)

type Rows = typeof requestRoutes
type Filter = Omit<ControlCall<Rows['listRequests']>['query'], 'limit' | 'after'>

const is = <T>(value: T, expected: T | undefined) => expected === undefined || value === expected

const matches = (workspace: string, entry: RequestEntry, filter: Filter) =>
  is(entry.status, filter.status) &&
  is(entry.error_code, filter.error_code) &&
  (filter.path === undefined || pathInWorkspace(workspace, entry.path).split('?')[0] === filter.path) &&
  is(entry.method, filter.method) &&
  is(entry.account, filter.account) &&
  is(String(entry.warnings.length > 0), filter.warnings) &&
  (filter.transaction_id === undefined || mentions(entry, filter.transaction_id))

/** The log has paths with the `/w/{name}` of the workspace, and callers give them with or without it. */
const withPathInWorkspace = <Value extends { path?: string | undefined }>(ws: Workspace, value: Value): Value =>
  value.path === undefined ? value : { ...value, path: pathInWorkspace(ws.name, value.path) }

/** The list contains summaries without bodies. */
function listRequests({ ws, query }: ControlCall<Rows['listRequests']>) {
  const filter = withPathInWorkspace(ws, query)
  const { limit, rowLimit, belowSeq } = rangeOf(query)
  const matching: NumberedRecord[] = []
  for (const record of ws.memory.of(requestLog).list()) {
    if (record.seq < belowSeq && matches(ws.name, record.entry(), filter)) matching.push(record)
    if (matching.length >= rowLimit) break
  }
  return pageFrom(matching, limit, (record) => {
    const {
      request_headers: _sent,
      request_body: _request,
      response_headers: _got,
      response_body: _response,
      ...summary
    } = record.entry()
    return summary
  })
}

function requireRecord(ws: Workspace, id: string): NumberedRecord {
  const record = ws.memory.of(requestLog).find(id)
  if (record === undefined)
    throw notFound('request', id, `There is no request ${id} in the log; the log keeps only the newest requests.`)
  return record
}

function callDetails(record: NumberedRecord) {
  const signed = record.signed()
  return { ...record.entry(), ...(signed === null ? {} : { signature: explainSignature(signed) }) }
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
  readRequest: ({ ws, params }) => callDetails(requireRecord(ws, params.id)),
  verifyRequests,
  replayRequest: async ({ ws, params, env }) =>
    callDetails(requireRecord(ws, await replay(ws, requireRecord(ws, params.id).entry(), env))),
}
