/** Computes the expected balance and events from a workspace's transactions and disputes, independently of the sandbox. */
import type { Body } from '../http.js'

export interface Seen {
  transactions: Body[]
  disputes: Body[]
  events: Body[]
}

const minor = (amount: string) => Math.round(Number(amount) * 100)

/** Returns the merchant's available and blocked BRL in cents. It began with `startCents`. */
export function balanceOf({ transactions, disputes }: Seen, startCents: number) {
  let available = startCents
  let blocked = 0
  for (const { type, status, amount, fee, amount_refunded, account } of transactions) {
    if (account !== 'merchant') continue
    if (type === 'cashin' && /confirmed|refunded/.test(status)) available += minor(amount) - minor(fee)
    if (type === 'cashin' && status === 'refunded') available -= minor(amount_refunded ?? amount)
    if (type === 'cashout' && status !== 'failed') available -= minor(amount) + minor(fee)
    if (type === 'transfer') available -= minor(amount)
    if (type === 'conversion') available -= minor(amount) + minor(fee)
  }
  for (const { status, amount } of disputes)
    if (status === 'open') {
      available -= minor(amount)
      blocked += minor(amount)
    }
  return { available, blocked }
}

/** The events of an object by its kind and status. */
const eventsOf: Record<string, readonly string[]> = {
  'cashin.confirmed': ['cashin.confirmed'],
  'cashin.refunded': ['cashin.confirmed', 'cashin.refunded'],
  'cashin.expired': ['cashin.expired'],
  'cashout.confirmed': ['cashout.confirmed'],
  'cashout.failed': ['cashout.failed'],
  'transfer.confirmed': ['transfer.confirmed'],
  'conversion.completed': ['conversion.confirmed'],
  'dispute.open': ['chargeback.opened'],
  'dispute.won': ['chargeback.opened', 'chargeback.won'],
  'dispute.lost': ['chargeback.opened', 'chargeback.lost'],
  'dispute.canceled': ['chargeback.opened', 'chargeback.canceled'],
  'dispute.confirmed': ['chargeback.opened', 'chargeback.confirmed'],
}

/** Returns every expected event once, as `event subject`. */
export function eventsOwed({ transactions, disputes }: Seen): string[] {
  const owed = (kind: string, id: string) => (eventsOf[kind] ?? []).map((event) => `${event} ${id}`)
  return [
    ...transactions.flatMap(({ type, status, transaction_id }) => owed(`${type}.${status}`, transaction_id)),
    ...disputes.flatMap(({ status, transaction_id }) => owed(`dispute.${status}`, transaction_id)),
  ].toSorted()
}

export const eventsSent = ({ events }: Seen): string[] =>
  events.map(({ event, subject_id }) => `${event} ${subject_id}`).toSorted()
