/** Split: parts of a cash-in's net amount that go to other accounts when it is confirmed (decision 16). */

import { shareOf } from '../../base/money.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { maxPercentPpm } from '../../protocol/platform/limits.js'
import type { Db } from '../../store/db.js'
import type { StoredSplit } from '../../store/details.js'
import { findAccount } from '../auth/account.js'
import { percentPpm } from '../ledger/pricing.js'
import type { Cashin } from './transactions.js'
import type { Part } from './transition.js'

/** What stays with the merchant. 422 INVALID_SPLIT_CONFIG for an unknown username, over 100 %, or over the net amount. */
export function netAfterSplit(db: Db, split: readonly StoredSplit[], netMinor: bigint): bigint {
  if (split.length === 0) return netMinor
  for (const { username } of split) {
    if (findAccount(db, username) === undefined)
      throw new ApiError('INVALID_SPLIT_CONFIG', { field: 'split', rule: `there is no account ${username}` })
  }
  const percent = split.reduce((sum, item) => sum + ('percentage' in item ? percentPpm(item.percentage) : 0n), 0n)
  if (percent > maxPercentPpm)
    throw new ApiError('INVALID_SPLIT_CONFIG', { field: 'split', rule: 'the percentages add up to more than 100' })
  const rest = split.reduce((left, item) => left - shareMinor(item, netMinor), netMinor)
  if (rest < 0n)
    throw new ApiError('INVALID_SPLIT_CONFIG', { field: 'split', rule: 'the parts add up to more than the net amount' })
  return rest
}

/** The parts as moves; where less was paid than asked for, later parts get what is left. */
export function splitParts(db: Db, charge: Cashin, netMinor: bigint): Part[] {
  let leftMinor = netMinor
  return (charge.detail.split ?? []).flatMap((item) => {
    const account = findAccount(db, item.username)
    if (account === undefined) return []
    const wanted = shareMinor(item, netMinor)
    const minor = wanted < leftMinor ? wanted : leftMinor
    leftMinor -= minor
    return [{ minor, peer: account.seq }]
  })
}

/** Rounded down, so that the shares never exceed the whole. */
function shareMinor(item: StoredSplit, netMinor: bigint): bigint {
  if ('amountMinor' in item) return BigInt(item.amountMinor)
  const ppm = percentPpm(item.percentage)
  const share = shareOf(netMinor, ppm)
  return share * maxPercentPpm > netMinor * ppm ? share - 1n : share
}
