/** Fees and limits of the model: the documented defaults, and the changes of an account (decisions 7, 8, 10). */
import type { Money, Name } from './model.js'

export type Operation = 'cashin' | 'cashout' | 'transfer' | 'conversion'

export interface Fee {
  fixed: bigint
  /** Parts per million, rounded half up. */
  ppm: bigint
}

export interface Limits {
  min: bigint
  max: bigint
  /** The limit for a day from midnight to midnight in São Paulo. */
  daily: bigint
}

type Change = { [Name in keyof Limits]: Limits[Name] | undefined }

const withdrawalFee: Record<Money, bigint> = { BRL: 100n, USDT: 100n, BTC: 10_000n }
const least: Record<Money, bigint> = { BRL: 100n, USDT: 200n, BTC: 10_000n }
const most: Record<Money, bigint> = { BRL: 10_000_000n, USDT: 5_000_000n, BTC: 500_000_000n }
const saoPauloMs = 3 * 3_600_000

export class Pricing {
  fees = new Map<string, Fee>()
  limits = new Map<string, Limits>()
  /** The used amount by operation and day. */
  used = new Map<string, bigint>()

  setFee = (who: Name, currency: Money, operation: Operation, fee: Fee): void => {
    this.fees.set(keyOf(who, currency, operation), fee)
  }
  /** Limits that are not given stay unchanged. */
  setLimits = (who: Name, currency: Money, operation: Operation, change: Change): void => {
    const { min, max, daily } = this.limitsOf(who, currency, operation)
    const limits = { min: change.min ?? min, max: change.max ?? max, daily: change.daily ?? daily }
    this.limits.set(keyOf(who, currency, operation), limits)
  }

  private limitsOf(who: Name, currency: Money, operation: Operation): Limits {
    const isPayment = operation === 'cashin' || operation === 'cashout'
    const own = this.limits.get(keyOf(who, currency, operation))
    return own ?? { min: isPayment ? least[currency] : 1n, max: most[currency], daily: most[currency] * 10_000n }
  }

  feeOf(who: Name, currency: Money, operation: Operation, amount: bigint): bigint {
    const { fixed, ppm } = this.fees.get(keyOf(who, currency, operation)) ?? defaultFee(currency, operation)
    return fixed + (amount * ppm + 500_000n) / 1_000_000n
  }

  /** Returns the fee that is taken from the amount. */
  feeWithin(who: Name, currency: Money, operation: Operation, amount: bigint): bigint {
    const fee = this.feeOf(who, currency, operation, amount)
    return fee < amount ? fee : amount
  }

  /** Returns the code of the rejection, or null. */
  refusal(who: Name, currency: Money, operation: Operation, amount: bigint, nowMs: number): string | null {
    const key = keyOf(who, currency, operation)
    const limits = this.limitsOf(who, currency, operation)
    if (amount < limits.min) return 'BELOW_MIN_LIMIT'
    if (amount > limits.max) return 'EXCEEDS_MAX_LIMIT'
    const used = this.used.get(`${key} ${dayOf(nowMs)}`) ?? 0n
    return used + amount > limits.daily ? 'LIMIT_EXCEEDED' : null
  }

  count(who: Name, currency: Money, operation: Operation, amount: bigint, nowMs: number): void {
    const key = `${keyOf(who, currency, operation)} ${dayOf(nowMs)}`
    this.used.set(key, (this.used.get(key) ?? 0n) + amount)
  }
}

const keyOf = (who: Name, currency: Money, operation: Operation) => `${who} ${currency} ${operation}`
const dayOf = (nowMs: number) => Math.floor((nowMs - saoPauloMs) / 86_400_000)

function defaultFee(currency: Money, operation: Operation): Fee {
  if (operation === 'cashin') return { fixed: 0n, ppm: 10_000n }
  return { fixed: operation === 'cashout' ? withdrawalFee[currency] : 0n, ppm: 0n }
}
