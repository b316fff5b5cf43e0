/** Split: parts of a cash-in's net amount that go to other accounts when it is confirmed (decision 16). */
import { shareOf } from '../../base/money.js'
import { ApiError } from '../../protocol/api/errors.js'
import type { Db } from '../../store/db.js'
import { findAccount } from '../access/account.js'
import { percentPpm } from '../ledger/pricing.js'
import type { Transaction } from './transactions.js'
import type { Part } from './transition.js'

/** Either a share of the net amount (a decimal string of percent) or a fixed amount. */
export interface SplitItem {
  username: string
  percentage?: string
  amountMinor?: bigint
}

/** The items as they are kept: amounts as text. */
export function storedSplit(split: readonly SplitItem[]): NonNullable<Transaction['detail']['split']> {
  return split.map(({ username, amountMinor, percentage }) => ({
    username,
    ...(percentage === undefined ? { amountMinor: String(amountMinor) } : { percentage }),
  }))
}

/** What stays with the merchant. 422 INVALID_SPLIT_CONFIG for an unknown username, over 100 %, or over the net amount. */
export function netAfterSplit(db: Db, split: readonly SplitItem[], netMinor: bigint): bigint {
  if (split.length === 0) return netMinor
  for (const { username } of split) {
    if (findAccount(db, username) === undefined)
      throw new ApiError('INVALID_SPLIT_CONFIG', { field: 'split', rule: `there is no account ${username}` })
  }
  const percent = split.reduce(
    (sum, item) => sum + (item.percentage === undefined ? 0n : percentPpm(item.percentage)),
    0n,
  )
  if (percent > 1_000_000n)
    throw new ApiError('INVALID_SPLIT_CONFIG', { field: 'split', rule: 'the percentages add up to more than 100' })
  const rest = split.reduce((left, item) => left - shareMinor(item, netMinor), netMinor)
  if (rest < 0n)
    throw new ApiError('INVALID_SPLIT_CONFIG', { field: 'split', rule: 'the parts add up to more than the net amount' })
  return rest
}

/** The parts as moves; where less was paid than asked for, later parts get what is left. */
export function splitParts(db: Db, charge: Transaction, netMinor: bigint): Part[] {
  let leftMinor = netMinor
  return (charge.detail.split ?? []).flatMap((item) => {
    const account = findAccount(db, item.username)
    if (account === undefined) return []
    const wanted = shareMinor(
      {
        username: item.username,
        ...(item.percentage === undefined
          ? { amountMinor: BigInt(item.amountMinor ?? '0') }
          : { percentage: item.percentage }),
      },
      netMinor,
    )
    const minor = wanted < leftMinor ? wanted : leftMinor
    leftMinor -= minor
    return [{ minor, peer: account.seq }]
  })
}

/** Rounded down, so that the shares never exceed the whole. */
function shareMinor(item: SplitItem, netMinor: bigint): bigint {
  if (item.percentage === undefined) return item.amountMinor ?? 0n
  const share = shareOf(netMinor, percentPpm(item.percentage))
  return share * 1_000_000n > netMinor * percentPpm(item.percentage) ? share - 1n : share
}
