/** Pagination of lists. */

import { didYouMean, nearest } from '../../base/text.js'
import { findAccount, listAccounts } from '../../core/auth/account.js'
import type { Account } from '../../core/auth/authenticate.js'
import type { Unit } from '../../core/unit/unit.js'
import { invalid } from '../../protocol/platform/errors.js'
import { controlDefaults } from '../../protocol/platform/limits.js'

interface PageQuery {
  limit?: number | undefined
  after?: string | undefined
}

/**
 * Lists are newest first: the rows after one have a smaller `seq`. One row more than the page shows is read, to know
 * whether there is a next page.
 */
export function rangeOf({ limit = controlDefaults.rows, after }: PageQuery): {
  limit: number
  rowLimit: number
  belowSeq: number
} {
  return { limit, rowLimit: limit + 1, belowSeq: after === undefined ? Number.MAX_SAFE_INTEGER : Number(after) }
}

/** Builds `{data, next}` from rows that were read one beyond the limit. */
export function pageFrom<Row extends { seq: number }, Shown>(
  rows: Row[],
  limit: number,
  show: (row: Row) => Shown,
): { data: Shown[]; next: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { data: page.map(show), next: rows.length > limit && last !== undefined ? String(last.seq) : null }
}

/**
 * Builds `{data, next}` from a complete list; `after` is the name of the last row of the previous page. Throws 422
 * INVALID_VALUE if no row has this name.
 */
export function pagedByName<Row>(
  rows: readonly Row[],
  { limit = rows.length, after }: PageQuery,
  nameOf: (row: Row) => string,
): { data: Row[]; next: string | null } {
  const from = after === undefined ? 0 : rows.findIndex((row) => nameOf(row) === after) + 1
  if (after !== undefined && from === 0) throw invalid('after', 'must be the value of `next` from an earlier page')
  const data = rows.slice(from, from + limit)
  const last = data.at(-1)
  return { data, next: last === undefined || from + limit >= rows.length ? null : nameOf(last) }
}

/**
 * Returns the `seq` of the account with this username; undefined without a username. Throws 422 INVALID_VALUE if the
 * account does not exist.
 */
export const accountSeqNamed = (unit: Unit, username: string | undefined): number | undefined =>
  accountNamed(unit, username)?.seq

/** Returns the account with this username; undefined without a username. Throws 422 INVALID_VALUE if it does not exist. */
export function accountNamed({ db }: Unit, username: string | undefined): Account | undefined {
  if (username === undefined) return undefined
  const account = findAccount(db, username)
  if (account !== undefined) return account
  const guess = nearest(
    username,
    listAccounts(db).map((one) => one.username),
  )
  const hint = guess === null ? {} : { did_you_mean: guess }
  throw invalid('account', `is not the username of an account${didYouMean(guess)}`, hint)
}
