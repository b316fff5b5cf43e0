/** The journal of API calls. */
import type { NumberedRecord, RequestEntry } from '../../core/workspace/request-log.js'
import { ApiError } from '../../protocol/api/errors.js'
import { knownQuery, paged, pageOf } from './params.js'
import type { AdminCall, AdminRoute } from './route.js'

/** A call is about what it was answered with, or asked for. */
const mentions = ({ request_body, response_body, path }: RequestEntry, id: string) =>
  [response_body, request_body, path].some((text) => text?.includes(id) === true)

const filters = {
  status: (entry, wanted) => String(entry.status) === wanted,
  error_code: (entry, wanted) => entry.error_code === wanted,
  path: (entry, wanted) => entry.path.split('?')[0] === wanted,
  method: (entry, wanted) => entry.method === wanted.toUpperCase(),
  account: (entry, wanted) => entry.account === wanted,
  transaction_id: mentions,
} as const satisfies Record<string, (entry: RequestEntry, wanted: string) => boolean>

const listQuery = [...Object.keys(filters), 'limit', 'after']

const fits = (entry: RequestEntry, query: URLSearchParams) =>
  Object.entries(filters).every(([name, holds]) => {
    const wanted = query.get(name)
    return wanted === null || holds(entry, wanted)
  })

/** The summary of the list leaves out bodies. */
function list({ ws, query }: AdminCall) {
  knownQuery(query, listQuery)
  const { limit, beforeSeq } = pageOf(query)
  const matching: NumberedRecord[] = []
  for (const record of ws.memory.requestLog.list()) {
    if (record.seq < beforeSeq && fits(record.entry(), query)) matching.push(record)
    if (matching.length > limit) break
  }
  return paged(matching, limit, (record) => {
    const { request_body: _request, response_body: _response, ...summary } = record.entry()
    return summary
  })
}

function one({ ws, params }: AdminCall) {
  const record = ws.memory.requestLog.find(params.id ?? '')
  if (record === undefined)
    throw new ApiError(
      'NOT_FOUND',
      { object: 'request', id: params.id },
      { message: `The journal has no request ${params.id}; it keeps the newest ones only.` },
    )
  const signature = record.signature?.()
  return { ...record.entry(), ...(signature === undefined ? {} : { signature }) }
}

export const journalRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/_sandbox/requests',
    title: 'Journal of API calls, newest first',
    queryNames: listQuery,
    handle: list,
  },
  {
    method: 'GET',
    path: '/_sandbox/requests/:id',
    title: 'One call with its bodies, and what was wrong with its signature',
    handle: one,
  },
]
