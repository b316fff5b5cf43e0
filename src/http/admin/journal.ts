/** The journal of API calls. */
import type { JournalEntry } from '../../core/journal.js'
import { ApiError } from '../../spec/errors.js'
import { knownQuery, pageOf } from './params.js'
import type { AdminCall, AdminRoute } from './route.js'

/** A call is about what it was answered with, or asked for. */
const mentions = ({ request_body, response_body, path }: JournalEntry, id: string) =>
  [response_body, request_body, path].some((text) => text?.includes(id) === true)

/** The summary of the list leaves out bodies. */
function list({ ws, query }: AdminCall) {
  knownQuery(query, ['status', 'transaction_id', 'error_code', 'path', 'method', 'account', 'limit', 'after'])
  const { limit } = pageOf(new URLSearchParams({ limit: query.get('limit') ?? '50' }))
  const matching = ws.journal
    .list()
    .filter(
      (entry) =>
        (query.get('status') === null || String(entry.status) === query.get('status')) &&
        (query.get('error_code') === null || entry.error_code === query.get('error_code')) &&
        (query.get('path') === null || entry.path.split('?')[0] === query.get('path')) &&
        (query.get('method') === null || entry.method === query.get('method')?.toUpperCase()) &&
        (query.get('account') === null || entry.account === query.get('account')) &&
        (query.get('transaction_id') === null || mentions(entry, query.get('transaction_id') ?? '')),
    )
  const after = query.get('after')
  const start = after === null ? 0 : matching.findIndex((entry) => entry.request_id === after) + 1
  const page = matching.slice(start, start + limit)
  return {
    data: page.map(({ request_body: _request, response_body: _response, ...summary }) => summary),
    next: start + limit < matching.length ? (page.at(-1)?.request_id ?? null) : null,
  }
}

function one({ ws, params }: AdminCall) {
  const entry = ws.journal.find(params.id ?? '')
  if (entry === undefined)
    throw new ApiError(
      'NOT_FOUND',
      { object: 'request', id: params.id },
      { message: `The journal has no request ${params.id}; it keeps the newest ones only.` },
    )
  return entry
}

export const journalRoutes: readonly AdminRoute[] = [
  { method: 'GET', path: '/_sandbox/requests', title: 'Journal of API calls, newest first', handle: list },
  { method: 'GET', path: '/_sandbox/requests/:id', title: 'One call with its bodies', handle: one },
]
