/** The log of API calls. */

import { examine } from '../../core/auth/signature/doctor.js'
import { requestLog } from '../../core/request-log/log.js'
import { matchCalls } from '../../core/request-log/matching.js'
import type { NumberedRecord } from '../../core/request-log/rows.js'
import type { Workspace } from '../../core/unit/workspace.js'
import type { requestRoutes } from '../../protocol/control/requests.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { RequestEntry } from '../../store/schema.js'
import { replay } from '../platform/replay.js'
import { paged, pageOf } from './page.js'
import type { ControlCall, Handlers } from './routes.js'

/** A call is about what it was answered with, or asked for. */
const mentions = ({ request_body, response_body, path }: RequestEntry, id: string) =>
  [response_body, request_body, path].some((text) => text?.includes(id) === true)

type Rows = typeof requestRoutes
type Filter = Omit<ControlCall<Rows['listRequests']>['query'], 'limit' | 'after'>

const is = <T>(value: T, wanted: T | undefined) => wanted === undefined || value === wanted

const fits = (entry: RequestEntry, filter: Filter) =>
  is(entry.status, filter.status) &&
  is(entry.error_code, filter.error_code) &&
  is(entry.path.split('?')[0], filter.path) &&
  is(entry.method, filter.method) &&
  is(entry.account, filter.account) &&
  is(String(entry.warnings.length > 0), filter.warnings) &&
  (filter.transaction_id === undefined || mentions(entry, filter.transaction_id))

/** The summary of the list leaves out bodies. */
function listRequests({ ws, query }: ControlCall<Rows['listRequests']>) {
  const { limit, rows, beforeSeq } = pageOf(query)
  const matching: NumberedRecord[] = []
  for (const record of ws.memory.of(requestLog).list()) {
    if (record.seq < beforeSeq && fits(record.entry(), query)) matching.push(record)
    if (matching.length >= rows) break
  }
  return paged(matching, limit, (record) => {
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

function recordNamed(ws: Workspace, id: string): NumberedRecord {
  const record = ws.memory.of(requestLog).find(id)
  if (record === undefined)
    throw new ApiError(
      'NOT_FOUND',
      { object: 'request', id },
      { message: `There is no request ${id} in the log; it keeps the newest ones only.` },
    )
  return record
}

function inFull(record: NumberedRecord) {
  const signed = record.signed()
  return { ...record.entry(), ...(signed === null ? {} : { signature: examine(signed) }) }
}

function verifyRequests({ ws, body: { times, ...expected } }: ControlCall<Rows['verifyRequests']>) {
  const entries = ws.memory
    .of(requestLog)
    .list()
    .map((record) => record.entry())
  const found = matchCalls(entries, expected)
  if (times === undefined || times === found.matched) return found
  throw new ApiError('CONFLICT', { times, ...found }, { message: notAsExpected(times, found) })
}

function notAsExpected(times: number, { matched, near }: ReturnType<typeof matchCalls>): string {
  const counted = (count: number) => `${count} such call${count === 1 ? '' : 's'}`
  const misses = near.map(({ request_id, differs }) => {
    const told = differs.map(
      ({ field, expected, received }) => `${field} ${JSON.stringify(received)} instead of ${JSON.stringify(expected)}`,
    )
    return `${request_id} had ${told.join(', ')}`
  })
  const nearly = matched >= times || misses.length === 0 ? '' : `; ${misses.join('; ')}`
  return `${counted(times)} should have come, ${matched} did${nearly}.`
}

export const requestHandlers: Handlers<Rows> = {
  listRequests,
  readRequest: ({ ws, params }) => inFull(recordNamed(ws, params.id)),
  verifyRequests,
  replayRequest: async ({ ws, params, env }) =>
    inFull(recordNamed(ws, await replay(ws, recordNamed(ws, params.id).entry(), env))),
}
