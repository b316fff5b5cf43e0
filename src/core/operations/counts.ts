/** Counts objects by status, each up to a limit, so that a count does not depend on the size of the database. */
import { maxCount, type StatusCount } from '../../protocol/control/counts.js'
import { type DeliveryStatus, deliveryStatuses } from '../../protocol/control/webhooks.js'
import { operations } from '../../protocol/platform/limits.js'
import { statusesOf } from '../../protocol/platform/transitions.js'
import { type Db, reader } from '../../store/db.js'

interface Found {
  count: number
  /** 1 if rows were not looked at. */
  unread: number
}

const bounded = maxCount + 1
const counter = (rows: string) =>
  reader<Found>(`select count(*) as count, 0 as unread from (select 1 from ${rows} limit ${bounded})`)

const ofTransactions = counter('transactions where type = ? and status = ?')
const ofDisputes = counter('disputes where status = ?')
// Written as the partial index of undelivered events.
const ofUndelivered = counter("events where status = ? and status <> 'delivered'")

/** Delivered events have no index, so only this many of the newest events are looked at. */
const searchedEvents = 2000
const ofDelivered = reader<Found>(
  `select coalesce(sum(status = 'delivered'), 0) as count, count(*) = ${searchedEvents} as unread
  from (select status from events order by seq desc limit ${searchedEvents})`,
)

const ofEvents = (db: Db, status: DeliveryStatus) =>
  status === 'delivered' ? ofDelivered(db) : ofUndelivered(db, status)

/** Every status of every kind, also those without an object. */
export function countsByStatus(db: Db): StatusCount[] {
  return [
    ...operations.flatMap((type) =>
      statusesOf(type).map((status) => row(type, status, ofTransactions(db, type, status))),
    ),
    ...statusesOf('dispute').map((status) => row('dispute', status, ofDisputes(db, status))),
    ...deliveryStatuses.map((status) => row('webhook', status, ofEvents(db, status))),
  ]
}

function row(type: StatusCount['type'], status: StatusCount['status'], [found]: readonly Found[]): StatusCount {
  const { count = 0, unread = 0 } = found ?? {}
  return { type, status, count: Math.min(count, maxCount), more: count > maxCount || unread > 0 }
}
