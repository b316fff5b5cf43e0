/** Amounts as text; fees, limits and daily usage of an account (assumptions.md decisions 7, 8, 10). */
import { startOfDayMs } from '../../base/iso.js'
import { type AmountFault, amountNumber, formatAmount, maxAmountMinor, parseAmount, shareOf } from '../../base/money.js'
import { orElse } from '../../base/text.js'
import { type Currency, currencies } from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'
import {
  defaultFee,
  feeRoundings,
  maxPercentPpm,
  type Operation,
  percentPlaces,
} from '../../protocol/platform/limits.js'
import { railOf } from '../../protocol/rails/index.js'
import type { FeeChange, LimitChange } from '../../protocol/settings/assumed.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { StoredSplit } from '../../store/columns.js'
import { runner } from '../../store/db.js'
import { finder, upserter } from '../../store/rows.js'
import { accountFees, accountLimits, usage } from '../../store/schema.js'
import { cacheRow, clearRowCache, getOrCacheRow } from '../../store/unit-of-work.js'
import { findAccount } from '../auth/account.js'
import type { Account } from '../auth/authenticate.js'
import type { Unit } from '../unit/unit.js'

export const formatMoney = (minor: bigint, currency: Currency): string =>
  formatAmount(minor, currencies[currency].scale)

const amountErrors: Record<AmountFault, (currency: Currency) => string> = {
  not_a_number: () => 'must be a decimal number',
  too_many_decimals: (currency) => `at most ${currencies[currency].scale} decimals for ${currency}`,
  too_large: (currency) => `must be at most ${formatMoney(maxAmountMinor, currency)} ${currency}`,
}

function parseChecked(
  text: string,
  currency: Currency,
  field: string,
  isValid: (minor: bigint) => boolean,
  rule: string,
): bigint {
  const parsed = parseAmount(text, currencies[currency].scale)
  if (!parsed.ok) throw new ApiError('INVALID_AMOUNT', { field, rule: amountErrors[parsed.reason](currency) })
  if (!isValid(parsed.minor)) throw new ApiError('INVALID_AMOUNT', { field, rule })
  return parsed.minor
}

/** Parses a positive amount to minor units; throws 422 INVALID_AMOUNT with the violated rule. */
export const parseAmountField = (text: string, currency: Currency, field = 'amount'): bigint =>
  parseChecked(text, currency, field, (minor) => minor > 0n, 'must be greater than zero')

/** Parses an amount of zero or more to minor units, for balances, limits and fees; throws 422 INVALID_AMOUNT. */
export const parseBalanceField = (text: string, currency: Currency, field: string): bigint =>
  parseChecked(text, currency, field, (minor) => minor >= 0n, 'must not be negative')

/** Returns the `amount` parameter of an action (default: the transaction's amount). */
export function amountParam(
  transaction: { amountMinor: bigint; currency: Currency },
  text: string | undefined,
  rule: { exact?: boolean; atMost?: bigint },
): bigint {
  if (text === undefined) return transaction.amountMinor
  const currency = transaction.currency
  const minor = parseAmountField(text, currency)
  if (rule.exact === true && minor !== transaction.amountMinor) {
    throw new ApiError('INVALID_AMOUNT', {
      field: 'amount',
      rule: `a PIX charge must be paid in the exact amount: ${formatMoney(transaction.amountMinor, currency)} ${currency}`,
    })
  }
  if (rule.atMost !== undefined && minor > rule.atMost) {
    throw new ApiError('INVALID_AMOUNT', {
      field: 'amount',
      rule: `must be at most ${formatMoney(rule.atMost, currency)} ${currency}`,
    })
  }
  return minor
}

export interface AmountFormat<Money> {
  amount(minor: bigint, currency: Currency): Money
  decimal(text: string): Money
}
export const asNumber: AmountFormat<number> = {
  amount: (minor, currency) => amountNumber(minor, currencies[currency].scale),
  decimal: Number,
}
export const asText: AmountFormat<string> = { amount: formatMoney, decimal: (text) => text }

export interface Limits {
  minMinor: bigint
  maxMinor: bigint
  dailyMinor: bigint
}

export interface Fee {
  fixedMinor: bigint
  /** Parts per million of the amount. */
  percentPpm: bigint
}

type PriceInputs = Pick<Unit, 'db' | 'config'>

/** What limits, fees and the used part of a daily limit are kept for. */
export interface Priced {
  accountSeq: number
  currency: Currency
  operation: Operation
}

const whereOperation = 'where account_seq = ? and currency = ? and operation = ?'
const ownLimits = finder(accountLimits, whereOperation)
const ownFee = finder(accountFees, whereOperation)
const putLimits = upserter(accountLimits)
const putFee = upserter(accountFees)
const addToUsage =
  runner(`insert into usage (account_seq, currency, operation, day_ms, used_minor) values (?, ?, ?, ?, ?)
  on conflict (account_seq, currency, operation, day_ms) do update set used_minor = used_minor + excluded.used_minor`)
const usageOf = finder(usage, `${whereOperation} and day_ms = ?`)

/** Parses a decimal string of the default tables or the configuration to minor units. */
function tableAmount(text: string, currency: Currency): bigint {
  const parsed = parseAmount(text, currencies[currency].scale)
  if (!parsed.ok) throw new Error(`the table's amount ${text} ${currency} cannot be parsed`)
  return parsed.minor
}

/** Parses a percentage: `'0.99'` is 9900 parts per million. */
export function percentPpm(text: string): bigint {
  const parsed = parseAmount(text, percentPlaces)
  if (!parsed.ok) throw new Error(`the percentage ${text} cannot be parsed`)
  return parsed.minor
}

function limitsFromTable({ limits }: Config, currency: Currency, operation: Operation): Limits {
  const row = currencies[currency]
  const configured = limits[currency]?.[operation]
  const min = operation === 'cashin' || operation === 'cashout' ? row.min : null
  return {
    minMinor:
      configured?.min_amount === undefined && min === null
        ? 1n
        : tableAmount(configured?.min_amount ?? min ?? '0', currency),
    maxMinor: tableAmount(configured?.max_amount ?? row.max, currency),
    dailyMinor: tableAmount(configured?.daily_limit ?? row.daily, currency),
  }
}

const keyOf = ({ accountSeq, currency, operation }: Priced) => `${accountSeq} ${currency} ${operation}`

export const limitsOf = (unit: PriceInputs, priced: Priced): Limits =>
  getOrCacheRow(unit.db, `limits ${keyOf(priced)}`, () => readLimits(unit, priced))

function readLimits({ db, config }: PriceInputs, { accountSeq, currency, operation }: Priced): Limits {
  const override = ownLimits(db, accountSeq, currency, operation)
  const table = limitsFromTable(config, currency, operation)
  if (override === undefined) return table
  const ceiling = (operation === 'cashin' ? railOf(currency).maxChargeMinor : undefined) ?? maxAmountMinor
  const maxMinor = override.maxMinor ?? table.maxMinor
  return {
    minMinor: override.minMinor ?? table.minMinor,
    maxMinor: maxMinor < ceiling ? maxMinor : ceiling,
    dailyMinor: override.dailyMinor ?? table.dailyMinor,
  }
}

export const feeRuleOf = (unit: PriceInputs, priced: Priced): Fee =>
  getOrCacheRow(unit.db, `fee ${keyOf(priced)}`, () => readFee(unit, priced))

function readFee({ db, config }: PriceInputs, { accountSeq, currency, operation }: Priced): Fee {
  const override = ownFee(db, accountSeq, currency, operation)
  if (override === undefined) return feeInTable(config, currency, operation)
  return { fixedMinor: override.fixedMinor, percentPpm: override.percentPpm }
}

/** The fee of accounts without one of their own. */
export function feeInTable({ fees }: Config, currency: Currency, operation: Operation): Fee {
  const table = defaultFee(currency, operation)
  const { fixed = table.fixed, percent = table.percent } = fees[currency]?.[operation] ?? {}
  return { fixedMinor: tableAmount(fixed, currency), percentPpm: percentPpm(percent) }
}

export function feeOf(unit: PriceInputs, priced: Priced, amountMinor: bigint): bigint {
  const rule = feeRuleOf(unit, priced)
  return rule.fixedMinor + shareOf(amountMinor, rule.percentPpm, feeRoundings[unit.config.feeRounding])
}

/** Returns a fee that is deducted from the amount (of a charge or a conversion) and never exceeds it. */
export function deductedFee(unit: PriceInputs, priced: Priced, amountMinor: bigint): bigint {
  const fee = feeOf(unit, priced, amountMinor)
  return fee < amountMinor ? fee : amountMinor
}

/** Throws 409 BELOW_MIN_LIMIT, EXCEEDS_MAX_LIMIT or LIMIT_EXCEEDED; counts nothing. */
export function requireLimits(unit: Unit, priced: Priced, amountMinor: bigint): void {
  const { currency } = priced
  const limits = limitsOf(unit, priced)
  const number = (minor: bigint) => amountNumber(minor, currencies[currency].scale)
  if (amountMinor < limits.minMinor) throw belowMinimumError(unit, currency, limits.minMinor)
  if (amountMinor > limits.maxMinor)
    throw new ApiError('EXCEEDS_MAX_LIMIT', { currency, max_amount: number(limits.maxMinor) })
  const used = usedOn(unit, priced, unit.atMs)
  if (used + amountMinor <= limits.dailyMinor) return
  throw new ApiError('LIMIT_EXCEEDED', {
    currency,
    daily_limit: number(limits.dailyMinor),
    remaining: number(used < limits.dailyMinor ? limits.dailyMinor - used : 0n),
  })
}

/** Returns the error for an amount that is too small, one of two documented ones (assumptions.md decision 7). */
export function belowMinimumError(unit: Unit, currency: Currency, minMinor: bigint): ApiError {
  return new ApiError(unit.config.belowMinimum, {
    currency,
    min_amount: amountNumber(minMinor, currencies[currency].scale),
  })
}

/** Counts an amount towards the daily limit. Called after the last check, so that nothing has to be rolled back. */
export const countUsage = (unit: Unit, priced: Priced, amountMinor: bigint): void =>
  addUsage(unit, priced, unit.atMs, usedOn(unit, priced, unit.atMs), amountMinor)

/** Subtracts an amount from the usage of the day on which it was counted, which can be an earlier day. */
export function subtractUsage(unit: PriceInputs, priced: Priced, countedAtMs: number, minor: bigint): void {
  const used = usedOn(unit, priced, countedAtMs)
  addUsage(unit, priced, countedAtMs, used, minor < used ? -minor : -used)
}

function addUsage({ db, config }: PriceInputs, priced: Priced, atMs: number, used: bigint, minor: bigint): void {
  const { accountSeq, currency, operation } = priced
  const dayMs = startOfDayMs(atMs, config.limitDayOffsetMs)
  addToUsage(db, accountSeq, currency, operation, dayMs, minor)
  cacheRow(db, usageKey(priced, dayMs), used + minor)
}

const usageKey = (priced: Priced, dayMs: number) => `usage ${keyOf(priced)} ${dayMs}`

/** Returns what is used of the daily limit on the day of a moment. */
export function usedOn({ db, config }: PriceInputs, priced: Priced, atMs: number): bigint {
  const { accountSeq, currency, operation } = priced
  const dayMs = startOfDayMs(atMs, config.limitDayOffsetMs)
  const read = () => usageOf(db, accountSeq, currency, operation, dayMs)?.usedMinor ?? 0n
  return getOrCacheRow(db, usageKey(priced, dayMs), read)
}

type Paid = Record<'amountMinor' | 'feeMinor', bigint>

/** The shares come from the net amount. The setting `split_base` decides which amount their percentages are of. */
const dividedOf = ({ config }: PriceInputs, { amountMinor, feeMinor }: Paid) => {
  const netMinor = amountMinor - feeMinor
  return { netMinor, baseMinor: config.splitBase === 'gross' ? amountMinor : netMinor }
}

const splitError = (rule: string) => new ApiError('INVALID_SPLIT_CONFIG', { field: 'split', rule })

/** Throws 422 INVALID_SPLIT_CONFIG for an unknown username, over 100 %, or shares over the net amount. */
export function requireSplit(inputs: PriceInputs, split: readonly StoredSplit[], paid: Paid): void {
  if (split.length === 0) return
  const { netMinor, baseMinor } = dividedOf(inputs, paid)
  for (const { username } of split) {
    if (findAccount(inputs.db, username) === undefined) throw splitError(`there is no account ${username}`)
  }
  const percent = split.reduce((sum, item) => sum + ('percentage' in item ? percentPpm(item.percentage) : 0n), 0n)
  if (percent > maxPercentPpm) throw splitError('the percentages add up to more than 100')
  if (split.reduce((leftMinor, item) => leftMinor - shareMinor(item, baseMinor), netMinor) < 0n)
    throw splitError('the shares of the split add up to more than the net amount')
}

/** Returns the parts of the split. If less was paid than requested, later parts get what is left. */
export function splitParts(inputs: PriceInputs, split: readonly StoredSplit[], paid: Paid) {
  const { netMinor, baseMinor } = dividedOf(inputs, paid)
  let leftMinor = netMinor
  return split.flatMap((item) => {
    const account = findAccount(inputs.db, item.username)
    if (account === undefined) return []
    const itemShareMinor = shareMinor(item, baseMinor)
    const amountMinor = itemShareMinor < leftMinor ? itemShareMinor : leftMinor
    leftMinor -= amountMinor
    return [{ amountMinor, peerSeq: account.seq }]
  })
}

/** Rounds down, so that the shares never exceed the amount that they divide. */
function shareMinor(item: StoredSplit, baseMinor: bigint): bigint {
  if ('amountMinor' in item) return BigInt(item.amountMinor)
  const ppm = percentPpm(item.percentage)
  const share = shareOf(baseMinor, ppm)
  return share * maxPercentPpm > baseMinor * ppm ? share - 1n : share
}

type PricedOf = Omit<Priced, 'accountSeq'>

/** Omitted fields keep their value. Throws 422 INVALID_AMOUNT for an invalid one. */
export function setLimits(
  unit: Unit,
  { seq }: Account,
  { currency, operation, ...change }: PricedOf & LimitChange,
): void {
  const before = ownLimits(unit.db, seq, currency, operation)
  const changed = (field: keyof LimitChange, own: bigint | null = null) => {
    const text = change[field]
    return text === undefined ? own : parseBalanceField(text, currency, field)
  }
  putLimits(unit.db, {
    accountSeq: seq,
    currency,
    operation,
    minMinor: changed('min_amount', before?.minMinor),
    maxMinor: changed('max_amount', before?.maxMinor),
    dailyMinor: changed('daily_limit', before?.dailyMinor),
  })
  clearRowCache(unit.db)
}

/** Throws 422 INVALID_VALUE for a percentage below 0 or above 100. */
export function setFee(unit: Unit, { seq }: Account, { fixed, percent, ...of }: PricedOf & FeeChange): void {
  const priced = { accountSeq: seq, ...of }
  const before = feeRuleOf(unit, priced)
  const fixedMinor = fixed === undefined ? before.fixedMinor : parseBalanceField(fixed, of.currency, 'fixed')
  const ppm = percent === undefined ? before.percentPpm : parsePercent(percent)
  putFee(unit.db, { ...priced, fixedMinor, percentPpm: ppm })
  clearRowCache(unit.db)
}

function parsePercent(text: string): bigint {
  // Text that is not a number gets the same error as a number out of range.
  const ppm = orElse(-1n, () => percentPpm(text))
  if (ppm >= 0n && ppm <= maxPercentPpm) return ppm
  throw new ApiError('INVALID_VALUE', {
    field: 'percent',
    rule: `must be between 0 and 100, with at most ${percentPlaces} decimals`,
  })
}
