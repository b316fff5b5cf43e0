/** Windows, lifetimes, delays, sizes, minima, maxima and fees (§8 and decisions 7, 8, 15, 19). */
import { dayMs, hourMs, minuteMs, secondMs } from '../../base/duration.js'
import { maxAmountMinor } from '../../base/money.js'
import type { Currency } from './currencies.js'

export const tokenLifeMs = 3600 * secondMs
export const lockoutAttempts = 5
export const lockoutMs = 5 * minuteMs
export const signatureWindowMs = 5 * minuteMs
export const externalIdMaxLength = 150
export const disputeWindowMs = 7 * dayMs
export const pixChargeLifeMs = hourMs
export const cryptoAddressLifeMs = 30 * minuteMs
export const cashoutSettleMs = 2 * secondMs

/** Requests per minute. */
export const rates = {
  token: { perMinute: 30, per: 'ip', basis: 'spec' },
  cashin: { perMinute: 12_000, per: 'credential', basis: 'spec' },
} as const

/** §6.3: the delay before attempt n+1, from the end of attempt n. */
export const webhookRetryDelaysMs = [1, 5, 30, 120, 600].map((seconds) => seconds * secondMs)
export const webhookAttempts = webhookRetryDelaysMs.length + 1
export const webhookTimeouts = { connectMs: 5 * secondMs, totalMs: 10 * secondMs } as const
export const webhookWindow = { sends: 100, spanMs: minuteMs, deferMs: 120 * secondMs } as const

export const bodyLimits = {
  jsonBytes: 256 * 1024,
  /** What may be read before anybody knows who sends it. */
  unaskedBytes: 16 * 1024,
  /** Of all calls together, in memory at one time. */
  togetherBytes: 64 * 1024 * 1024,
  multipartBytes: 50 * 1024 * 1024,
  files: 5,
  fileBytes: 10 * 1024 * 1024,
} as const
export const pageSizes = { default: 50, max: 100 } as const
export const replyMessageMaxLength = 5000
export const postbackUrlMaxLength = 2048

export const operations = ['cashin', 'cashout', 'transfer', 'conversion'] as const
export type Operation = (typeof operations)[number]

interface AmountLimits {
  min: string
  max: string
  daily: string
}

/** Per operation; minima of BNB and MXN, and all maxima and daily limits, are assumed. */
export const defaultLimits: Record<Currency, AmountLimits> = {
  BRL: { min: '1.00', max: '100000.00', daily: '1000000000.00' },
  MXN: { min: '10.00', max: '500000.00', daily: '5000000000.00' },
  USDT: { min: '2.00', max: '50000.00', daily: '500000000.00' },
  USDC: { min: '2.00', max: '50000.00', daily: '500000000.00' },
  BTC: { min: '0.0001', max: '5', daily: '50000' },
  ETH: { min: '0.001', max: '50', daily: '500000' },
  SOL: { min: '0.001', max: '1000', daily: '100000' },
  BNB: { min: '0.001', max: '100', daily: '1000000' },
}
export const documentedMinima: readonly Currency[] = ['BRL', 'USDT', 'USDC', 'BTC', 'ETH', 'SOL']

/** What no account's own maximum goes beyond: 15 digits, and the 13 characters that a BR Code has for its amount. */
export function ceilingMinor(currency: Currency, operation: Operation): bigint {
  return currency === 'BRL' && operation === 'cashin' ? 999_999_999_999n : maxAmountMinor
}

export interface FeeRow {
  /** Added whatever the amount, a decimal string. */
  fixed: string
  /** Of the amount, a decimal string with at most 4 places: `'0.9900'` is 0.99 %. */
  percent: string
}

const free: FeeRow = { fixed: '0', percent: '0' }
const cashoutFees: Record<Currency, string> = {
  BRL: '1.00',
  MXN: '5.00',
  USDT: '1.00',
  USDC: '1.00',
  BTC: '0.0001',
  ETH: '0.001',
  SOL: '0.001',
  BNB: '0.0005',
}

/** All assumed: §2.2 shows that a fee exists, not how much it is. A conversion earns by its spread, unless an account is given a fee. */
export function defaultFee(currency: Currency, operation: Operation): FeeRow {
  if (operation === 'cashin') return { fixed: '0', percent: '1' }
  return operation === 'cashout' ? { fixed: cashoutFees[currency], percent: '0' } : free
}

/** What one unit is worth in BRL; a pair's rate is their quotient (decision 24). */
export const defaultRates: Record<Currency, string> = {
  BRL: '1',
  MXN: '0.30',
  USDT: '5.40',
  USDC: '5.40',
  BTC: '540000',
  ETH: '18900',
  SOL: '864',
  BNB: '5130',
}
export const conversionSpreadPercent = '1'
export const quoteLifeMs = 30 * secondMs
