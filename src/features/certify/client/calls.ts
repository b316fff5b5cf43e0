/** Reads a client's calls from the request log as it grows, and tells which are attempts of the same payment. */
import { isOwnEntry, pathInWorkspace } from '../../../inside/handlers.js'
import { type EndpointName, endpointNames, endpoints, paymentEndpoints } from '../../../inside/platform.js'
import { fieldsIn, fieldsOfJson, parseJson } from '../../../inside/values.js'
import {
  explainSignature,
  type NumberedRecord,
  type RequestEntry,
  requestLog,
  type Workspace,
} from '../../../inside/workspace.js'

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
  /** The rule that a field broke, as the error says it; null if it names none. */
  brokenRule: string | null
  /** The mistake that explains why the signature was rejected; null if it was not, or for an unknown mistake. */
  signatureHint(): string | null
  /** The id of the transaction that the call created. */
  createdId: string | null
  /** The scenario that took effect on the call. */
  scenario: string | null
  entry: RequestEntry
}

/** Faults are injected into these calls. */
export const isPayment = ({ endpoint }: ClientCall): boolean => paymentEndpoints.some((name) => name === endpoint)
export const isWithdrawal = ({ endpoint }: ClientCall): boolean => endpoint === 'cashout' || endpoint === 'pixPayment'
export const isDone = ({ status, scenario }: ClientCall): boolean => status >= 200 && status < 300 && scenario === null

/** Calls back for every call of the client, in the order of the responses; returns a function that unsubscribes. */
export function followCalls(ws: Workspace, onCall: (call: ClientCall) => void): () => void {
  return ws.bus.subscribe((change) => {
    if (change.type !== 'request') return
    const record = ws.memory.of(requestLog).find(change.id)
    if (record === undefined) return
    const call = callOf(ws.name, record, ws.clock.wall())
    if (!isOwnEntry(call.entry)) onCall(call)
  })
}

/** Returns the client's calls of the request log, of one account if that is given, that are newer than the call with the id `after`, oldest first. */
export function loggedCalls(ws: Workspace, after: string | undefined, account: string | undefined): ClientCall[] {
  const records = ws.memory.of(requestLog).list().toReversed()
  // A call that has left the log is older than all others.
  const from = records.findIndex(({ id }) => id === after) + 1
  return records
    .slice(from)
    .map((record) => callOf(ws.name, record))
    .filter((call) => !isOwnEntry(call.entry) && (account === undefined || call.entry.account === account))
}

/** `answeredMs`: real time of the response (default: the time in the log). */
function callOf(workspace: string, record: NumberedRecord, answeredAtMs?: number): ClientCall {
  const entry = record.entry()
  const answeredMs = answeredAtMs ?? Date.parse(entry.at)
  const path = pathInWorkspace(workspace, entry.path).split('?')[0]
  const fieldsOf = (text: string | null) => fieldsOfJson(text ?? '', parseJson) ?? {}
  const fields = fieldsOf(entry.request_body)
  const answer = fieldsOf(entry.response_body)
  const data = fieldsIn(answer.data)
  const error = fieldsIn(answer.error)
  const details = fieldsIn(error.details)
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
    brokenRule: typeof details.rule === 'string' ? details.rule : null,
    signatureHint() {
      const signed = record.signed()
      return signed === null ? null : explainSignature(signed).hint
    },
    createdId: typeof data.transaction_id === 'string' ? data.transaction_id : null,
    scenario: entry.scenario ?? null,
    entry,
  }
}

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
  calls.filter((call, _, [first = call]) => isRetry(call, first))

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
