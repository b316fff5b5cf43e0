/**
 * Finds payments and charges that were probably made twice: the response to a call was lost, and the client made the same
 * one again under another `external_id` or without one, before any response had shown it the first transaction.
 */
import { hourMs } from '../../base/duration.js'
import { parseJson } from '../../base/json.js'
import { fieldsIn, fieldsOfJson } from '../../base/unknown.js'
import { endpoints } from '../../protocol/platform/endpoints.js'
import { chargingEndpoints, isDropped, isUnpaid, repeatKey } from '../../protocol/platform/payments.js'
import type { RequestEntry } from '../../store/schema.js'
import { findTransaction } from '../operations/transactions.js'
import type { Workspace } from '../unit/unit.js'
import { type RequestRecord, requestLog } from './log.js'
import { warning } from './warnings.js'

/** After this long, the same payment is a new one. */
const longestPauseMs = hourMs

/** Calls that are shown as one payment. A client that goes on has the next ones shown with the newest of these. */
const mostOfOne = 5

type SamePayment = NonNullable<RequestEntry['paid_twice']>[number]

interface Payment {
  /** Equal for calls of an account that pay or charge the same. */
  key: string
  isLost: boolean
  shown: Omit<SamePayment, 'status' | 'counts'>
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
  const endpoint = chargingEndpoints.find((name) => path.endsWith(endpoints[name].path))
  if (endpoint === undefined || method !== 'POST' || status >= 300) return null
  const { transaction_id } = fieldsIn(fieldsOfJson(response_body ?? '', parseJson)?.data)
  const fields = fieldsOfJson(request_body ?? '', parseJson)
  if (typeof transaction_id !== 'string' || fields === null) return null
  const { key, certain } = repeatKey(endpoint, fields, request_body ?? '')
  const external_id = typeof fields.external_id === 'string' ? fields.external_id : null
  const shown = { transaction_id, external_id, certain, request_id, at }
  return { key: `${account} ${key}`, isLost: isDropped(entry), shown }
}

/** The calls of each payment that was made more than once, oldest first, by the ids of these calls. */
function paidTwice(ws: Workspace): ReadonlyMap<string, readonly Payment[]> {
  const found = new Map<string, readonly Payment[]>()
  /** Payments whose responses have all been lost so far. */
  const lost = new Map<string, Payment[]>()
  /** Their keys, by the ids of their transactions. */
  const keys = new Map<string, string>()
  for (const record of ws.memory.of(requestLog).list().reverse()) {
    const payment = paymentOf(record)
    if (lost.size > 0 && payment?.isLost !== true)
      for (const id of shownIds(record.entry())) lost.delete(keys.get(id) ?? '')
    if (payment === null) continue
    const { key, isLost, shown } = payment
    const group =
      lost.get(key)?.filter((one) => Date.parse(shown.at) - Date.parse(one.shown.at) <= longestPauseMs) ?? []
    if (!isLost) lost.delete(key)
    const { transaction_id: id } = shown
    if ((group.length === 0 && !isLost) || group.some((one) => one.shown.transaction_id === id)) continue
    if (group.length === mostOfOne) group.splice(0, mostOfOne - 1)
    group.push(payment)
    if (isLost) {
      lost.set(key, group)
      keys.set(id, key)
    }
    if (group.length === 1) continue
    for (const { shown: one } of group)
      if (group.length > (found.get(one.request_id)?.length ?? 0)) found.set(one.request_id, group)
  }
  return found
}

/** The transactions that the response has shown to the client. */
const shownIds = (entry: RequestEntry): readonly string[] =>
  isDropped(entry) ? [] : (entry.response_body?.match(/tx_[0-9a-z]+/g) ?? [])

function shownNow({ db }: Workspace, { shown }: Payment): SamePayment[] {
  const transaction = findTransaction(db, shown.transaction_id)
  if (transaction === undefined) return []
  const { status, amountMinor, detail } = transaction
  const cameBackInPart = 'refundedMinor' in detail && BigInt(detail.refundedMinor ?? amountMinor) < amountMinor
  return [{ ...shown, status, counts: cameBackInPart || !isUnpaid(transaction) }]
}

/** Reads calls of the log together with what only later calls tell about them. */
export function callReader(ws: Workspace): (record: RequestRecord) => RequestEntry {
  const found = paidTwice(ws)
  /** As it is now; each is read once. Empty if the transaction is gone. */
  const read = new Map<Payment, SamePayment[]>()
  const asOfNow = (payment: Payment): SamePayment[] => {
    const known = read.get(payment) ?? shownNow(ws, payment)
    read.set(payment, known)
    return known
  }
  return (record) => {
    const entry = record.entry()
    const calls = (found.get(record.id) ?? []).flatMap(asOfNow)
    if (calls.length < 2) return entry
    // Of those that still count, each has made the ones before it again.
    const made = calls.filter(({ counts, certain }) => counts && certain)
    const at = made.findIndex(({ request_id }) => request_id === record.id)
    const lost = made.slice(0, Math.max(at, 0)).map(({ transaction_id }) => transaction_id)
    return {
      ...entry,
      warnings:
        lost.length > 0 ? [...entry.warnings, warning('paid_twice', undefined, lost.join(', '))] : entry.warnings,
      paid_twice: calls,
    }
  }
}
