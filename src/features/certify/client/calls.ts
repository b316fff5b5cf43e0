/** Reads a client's calls from the request log as it grows, and tells which are attempts of the same payment. */
import { type EndpointName, endpointNames, endpoints } from '../../../inside/platform.js'
import { fieldsIn, fieldsOfJson, parseJson } from '../../../inside/values.js'
import { type RequestEntry, requestLog, type Workspace } from '../../../inside/workspace.js'

export interface ClientCall {
  id: string
  /** The endpoint; null for an unknown route. */
  endpoint: EndpointName | null
  /** Real time, epoch milliseconds. */
  arrivedMs: number
  answeredMs: number
  status: number
  errorCode: string | null
  /** `retryable` of the response; null if the response does not contain it. */
  retryable: boolean | null
  /** The request body as it was received. */
  text: string
  /** The fields of the body, with numbers as they were written; empty if the body is not JSON. */
  fields: Record<string, unknown>
  externalId: string | null
  /** The id of the transaction that the call created. */
  createdId: string | null
  /** The scenario that took effect on the call. */
  scenario: string | null
  entry: RequestEntry
}

/** Calls that create payments, transfers or conversions. Faults are injected into these calls. */
const paymentEndpoints: readonly EndpointName[] = ['cashin', 'cashout', 'pixPayment', 'transfer', 'conversion']
export const isPayment = ({ endpoint }: ClientCall): boolean => endpoint !== null && paymentEndpoints.includes(endpoint)
export const isWithdrawal = ({ endpoint }: ClientCall): boolean => endpoint === 'cashout' || endpoint === 'pixPayment'
export const isDone = ({ status, scenario }: ClientCall): boolean => status >= 200 && status < 300 && scenario === null

/** Calls back for every API call, in the order of the responses; returns a function that unsubscribes. */
export function followCalls(ws: Workspace, onCall: (call: ClientCall) => void): () => void {
  return ws.bus.subscribe((change) => {
    if (change.type !== 'request') return
    const record = ws.memory.of(requestLog).find(change.id)
    if (record !== undefined) onCall(callOf(record.entry(), ws.clock.wall()))
  })
}

/** Returns the wanted calls of the request log that are newer than the call with the id `after`, oldest first. */
export function loggedCalls(
  ws: Workspace,
  after: string | undefined,
  isWanted: (entry: RequestEntry) => boolean,
): ClientCall[] {
  const entries = ws.memory
    .of(requestLog)
    .list()
    .toReversed()
    .map((record) => record.entry())
  // A call that has left the log is older than all others.
  const from = entries.findIndex(({ request_id: id }) => id === after) + 1
  return entries
    .slice(from)
    .filter(isWanted)
    .map((entry) => callOf(entry, Date.parse(entry.at)))
}

function callOf(entry: RequestEntry, answeredMs: number): ClientCall {
  const path = entry.path.split('?')[0]
  const fieldsOf = (text: string | null) => fieldsOfJson(text ?? '', parseJson) ?? {}
  const fields = fieldsOf(entry.request_body)
  const answer = fieldsOf(entry.response_body)
  const data = fieldsIn(answer.data)
  const error = fieldsIn(answer.error)
  return {
    id: entry.request_id,
    endpoint:
      endpointNames.find((name) => endpoints[name].path === path && endpoints[name].method === entry.method) ?? null,
    arrivedMs: answeredMs - entry.duration_ms,
    answeredMs,
    status: entry.status,
    errorCode: entry.error_code,
    retryable: typeof error.retryable === 'boolean' ? error.retryable : null,
    text: entry.request_body ?? '',
    fields,
    externalId: typeof fields.external_id === 'string' ? fields.external_id : null,
    createdId: typeof data.transaction_id === 'string' ? data.transaction_id : null,
    scenario: entry.scenario ?? null,
    entry,
  }
}

/** A header of the request, however its name is written. */
export const headerOf = ({ request_headers: headers }: RequestEntry, name: string): string | undefined =>
  Object.entries(headers ?? {}).find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1]

export const isSameCall = (a: ClientCall, b: ClientCall): boolean =>
  a.entry.method === b.entry.method && a.entry.path === b.entry.path && a.text === b.text

/** Returns whether the call repeats the payment: it has the same `external_id`, or the same content if there is none. */
export const isRetry = (call: ClientCall, injected: ClientCall) =>
  call.endpoint === injected.endpoint &&
  (injected.externalId === null ? isSameCall(call, injected) : call.externalId === injected.externalId)

/** Returns whether only the `external_id` differs: the client repeats the payment, and it counts as a new one. */
export const isRenamed = (call: ClientCall, injected: ClientCall) =>
  call.endpoint === injected.endpoint &&
  call.externalId !== injected.externalId &&
  fieldsWithoutId(call) === fieldsWithoutId(injected)

const texts = new WeakMap<ClientCall, string>()

function fieldsWithoutId(call: ClientCall): string {
  const known = texts.get(call)
  if (known !== undefined) return known
  const { external_id: _, ...rest } = call.fields
  const text = JSON.stringify(rest)
  texts.set(call, text)
  return text
}

/** Returns the attempts of the payment that the first call is for. */
export const attemptsOf = (calls: readonly ClientCall[]): ClientCall[] =>
  calls.filter((call) => call === calls[0] || (calls[0] !== undefined && isRetry(call, calls[0])))

/** Returns whether the client works on several payments at a time: it made another one before it repeated one. */
export const areParallel = (log: {
  calls: readonly ClientCall[]
  injected: readonly { call: ClientCall; fault: string }[]
}): boolean =>
  log.injected.some(({ call, fault }) => {
    if (fault === 'outage') return false
    const later = log.calls.slice(log.calls.indexOf(call) + 1).filter(isPayment)
    return later.findIndex((one) => isRetry(one, call)) > 0
  })
