/**
 * Finds payments that were probably made twice: the response to a call was lost, and the client made the same payment
 * again under another `external_id`, before any response had shown it the first transaction.
 */
import { hourMs } from '../../base/duration.js'
import { parseJson } from '../../base/json.js'
import { fieldsIn, fieldsOfJson } from '../../base/unknown.js'
import { endpoints } from '../../protocol/platform/endpoints.js'
import { isDropped, outgoingEndpoints, paymentKey } from '../../protocol/platform/payments.js'
import type { RequestEntry } from '../../store/schema.js'
import { findTransaction } from '../operations/transactions.js'
import type { Workspace } from '../unit/unit.js'
import { type RequestRecord, requestLog } from './log.js'
import { warning } from './warnings.js'

/** After this long, the same payment is a new one. */
const longestPauseMs = hourMs

interface Payment {
  /** Equal for calls of an account that pay the same. */
  key: string
  isLost: boolean
  shown: NonNullable<RequestEntry['paid_twice']>[number]
}

/** Null for any other call. Each is parsed once. */
const payments = new WeakMap<RequestRecord, Payment | null>()

function paymentOf(record: RequestRecord): Payment | null {
  const known = payments.get(record)
  if (known !== undefined) return known
  const found = readPayment(record.entry())
  payments.set(record, found)
  return found
}

function readPayment(entry: RequestEntry): Payment | null {
  const { request_id, at, account, method, path, status, request_body, response_body } = entry
  const endpoint = outgoingEndpoints.find((name) => path.endsWith(endpoints[name].path))
  if (endpoint === undefined || method !== 'POST' || status >= 300) return null
  const { transaction_id } = fieldsIn(fieldsOfJson(response_body ?? '', parseJson)?.data)
  if (typeof transaction_id !== 'string') return null
  const fields = fieldsOfJson(request_body ?? '', parseJson) ?? {}
  const external_id = typeof fields.external_id === 'string' ? fields.external_id : null
  return {
    key: `${account} ${paymentKey(endpoint, fields)}`,
    isLost: isDropped(entry),
    shown: { transaction_id, external_id, request_id, at },
  }
}

/** The calls of each payment that was made more than once, oldest first, by the ids of these calls. */
function paidTwice(ws: Workspace): ReadonlyMap<string, readonly Payment[]> {
  const found = new Map<string, readonly Payment[]>()
  /** Payments whose responses have all been lost so far. */
  const lost = new Map<string, Payment[]>()
  for (const record of ws.memory.of(requestLog).list().reverse()) {
    const payment = paymentOf(record)
    if (payment?.isLost !== true && lost.size > 0) forgetKnown(lost, record.entry())
    if (payment === null) continue
    const { key, isLost, shown } = payment
    const group = lost.get(key) ?? []
    if (!isLost) lost.delete(key)
    const { transaction_id: id } = shown
    const isNew = (isLost || group.length > 0) && !group.some((one) => one.shown.transaction_id === id)
    // The money of a failed withdrawal came back.
    if (!isNew || findTransaction(ws.db, id)?.status === 'failed') continue
    group.push(payment)
    if (isLost) lost.set(key, group)
    if (group.length > 1) for (const one of group) found.set(one.shown.request_id, group)
  }
  return found
}

function forgetKnown(lost: Map<string, Payment[]>, { at, response_body: body }: RequestEntry): void {
  for (const [key, group] of lost) {
    const isOver = group.every(({ shown }) => Date.parse(at) - Date.parse(shown.at) > longestPauseMs)
    if (isOver || group.some(({ shown }) => body?.includes(shown.transaction_id))) lost.delete(key)
  }
}

/** Reads calls of the log together with what only later calls tell about them. */
export function callReader(ws: Workspace): (record: RequestRecord) => RequestEntry {
  const found = paidTwice(ws)
  return (record) => {
    const entry = record.entry()
    const [first, ...later] = found.get(record.id) ?? []
    if (first === undefined) return entry
    const isRepetition = first.shown.request_id !== record.id
    return {
      ...entry,
      warnings: isRepetition
        ? [...entry.warnings, warning('paid_twice', undefined, first.shown.transaction_id)]
        : entry.warnings,
      paid_twice: [first, ...later].map(({ shown }) => shown),
    }
  }
}
