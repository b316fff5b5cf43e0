/** How many transactions a filter finds: counted when somebody first asks, then kept up with every write, since counting reads the index of every row (130 ms of a million). */
import type { Db } from '../../store/db.js'
import { cachedRow, keptRow } from '../../store/row-cache.js'
import type { Transaction } from './transactions.js'

/** A transaction fits where it has every value that is said; a conversion has two currencies. */
export interface CountedFilter {
  type?: string | undefined
  status?: string | undefined
  source?: string | undefined
  currency?: string | undefined
}

interface Count {
  filter: CountedFilter
  total: number
}

const mostFilters = 200
const keyOf = (accountSeq: number) => `counts ${accountSeq}`

export function countOf(db: Db, accountSeq: number, filter: CountedFilter, count: () => number): number {
  const counts = cachedRow(db, keyOf(accountSeq), () => new Map<string, Count>())
  const name = [filter.type, filter.status, filter.source, filter.currency].join()
  const known = counts.get(name)
  if (known !== undefined) return known.total
  if (counts.size >= mostFilters) counts.clear()
  const total = count()
  counts.set(name, { filter, total })
  return total
}

/** To be called with every write of a row; `from` is the status that it had, null where it is new. */
export function recount(db: Db, row: Transaction, from: string | null): void {
  const counts = keptRow<Map<string, Count>>(db, keyOf(row.accountSeq))
  if (counts === undefined) return
  for (const one of counts.values())
    one.total += Number(fits(one.filter, row, row.status)) - Number(from !== null && fits(one.filter, row, from))
}

function fits({ type, status, source, currency }: CountedFilter, row: Transaction, at: string): boolean {
  return (
    (type === undefined || type === row.type) &&
    (status === undefined || status === at) &&
    (source === undefined || source === row.source) &&
    (currency === undefined || currency === row.currency || currency === row.currencyTo)
  )
}
