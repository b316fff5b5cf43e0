/** Changes an account's limits and fees from their defaults. */

import type { Currency } from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { maxPercentPpm, type Operation, percentPlaces } from '../../protocol/platform/limits.js'
import { accountFees, accountLimits } from '../../store/schema.js'
import { clearRowCache } from '../../store/unit-of-work.js'
import type { Account } from '../auth/caller.js'
import type { Unit } from '../unit/unit.js'
import { parseBalanceField } from './ledger.js'
import { feeRuleOf, percentPpm } from './pricing.js'

interface LimitChange {
  currency: Currency
  operation: Operation
  min_amount?: string | undefined
  max_amount?: string | undefined
  daily_limit?: string | undefined
}

/** Omitted fields keep their value. Throws 422 INVALID_AMOUNT for an invalid one. */
export function setLimits(unit: Unit, account: Account, change: LimitChange): void {
  const { currency, operation } = change
  const changed = Object.fromEntries(
    (
      [
        ['minMinor', 'min_amount'],
        ['maxMinor', 'max_amount'],
        ['dailyMinor', 'daily_limit'],
      ] as const
    ).flatMap(([column, field]) => {
      const text = change[field]
      return text === undefined ? [] : [[column, parseBalanceField(text, currency, field)]]
    }),
  )
  const key = { accountSeq: account.seq, currency, operation }
  const insert = unit.db.orm
    .insert(accountLimits)
    .values({ ...key, minMinor: null, maxMinor: null, dailyMinor: null, ...changed })
  const target = [accountLimits.accountSeq, accountLimits.currency, accountLimits.operation]
  if (Object.keys(changed).length === 0) insert.onConflictDoNothing().run()
  else insert.onConflictDoUpdate({ target, set: changed }).run()
  clearRowCache(unit.db)
}

interface FeeChange {
  currency: Currency
  operation: Operation
  fixed?: string | undefined
  percent?: string | undefined
}

/** Throws 422 INVALID_VALUE for a percentage below 0 or above 100. */
export function setFee(unit: Unit, account: Account, { currency, operation, fixed, percent }: FeeChange): void {
  const before = feeRuleOf(unit.db, account.seq, currency, operation)
  const fixedMinor = fixed === undefined ? before.fixedMinor : parseBalanceField(fixed, currency, 'fixed')
  const ppm = percent === undefined ? before.percentPpm : parsePercent(percent)
  unit.db.orm
    .insert(accountFees)
    .values({ accountSeq: account.seq, currency, operation, fixedMinor, percentPpm: ppm })
    .onConflictDoUpdate({
      target: [accountFees.accountSeq, accountFees.currency, accountFees.operation],
      set: { fixedMinor, percentPpm: ppm },
    })
    .run()
  clearRowCache(unit.db)
}

function parsePercent(text: string): bigint {
  try {
    const ppm = percentPpm(text)
    if (ppm >= 0n && ppm <= maxPercentPpm) return ppm
  } catch {
    // Text that is not a number gets the same error as a number out of range.
  }
  throw new ApiError('INVALID_VALUE', {
    field: 'percent',
    rule: `must be between 0 and 100, with at most ${percentPlaces} decimals`,
  })
}
