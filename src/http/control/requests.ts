/** The log of API calls. */
import { examine } from '../../core/access/signature/doctor.js'
import type { NumberedRecord } from '../../core/workspace/request-rows.js'
import { ApiError } from '../../protocol/api/errors.js'
import type { requestRoutes } from '../../protocol/control/requests.js'
import type { RequestEntry } from '../../store/schema.js'
import type { ControlCall, Handlers } from './mount.js'
import { paged, pageOf } from './page.js'

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
  (filter.transaction_id === undefined || mentions(entry, filter.transaction_id))

/** The summary of the list leaves out bodies. */
function listRequests({ ws, query }: ControlCall<Rows['listRequests']>) {
  const { limit, rows, beforeSeq } = pageOf(query)
  const matching: NumberedRecord[] = []
  for (const record of ws.memory.requestLog.list()) {
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

function readRequest({ ws, params }: ControlCall<Rows['readRequest']>) {
  const record = ws.memory.requestLog.find(params.id)
  if (record === undefined)
    throw new ApiError(
      'NOT_FOUND',
      { object: 'request', id: params.id },
      { message: `The journal has no request ${params.id}; it keeps the newest ones only.` },
    )
  const signed = record.signed()
  return { ...record.entry(), ...(signed === null ? {} : { signature: examine(signed) }) }
}

export const requestHandlers: Handlers<Rows> = { listRequests, readRequest }
