/** Windows, lifetimes, delays, sizes, minima, maxima and fees (§8 and decisions 7, 8, 15, 19). */
import { dayMs, hourMs, minuteMs, secondMs } from '../../base/duration.js'
import { type Currency, currencies } from './currencies.js'

export const tokenLifeMs = 3600 * secondMs
/** So many of the newest tokens are told to have expired; those before them are not known any more. */
export const rememberedTokens = 10_000
export const lockoutAttempts = 5
export const lockoutMs = 5 * minuteMs
export const signatureWindowMs = 5 * minuteMs
export const externalIdMaxLength = 150
/** Of a text field without a bound of its own. */
export const textMaxLength = 255
export const disputeWindowMs = 7 * dayMs
/** What becomes of a dispute that nobody answered in time: decided so, or left open. */
export const disputeDeadlines = ['confirm', 'lose', 'manual'] as const
export type DisputeDeadline = (typeof disputeDeadlines)[number]
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
/** §6.1: a receiver answers ideally within this time. */
export const advisedAnswerMs = 2 * secondMs
/** Of the answer to a webhook: what is read and kept of its body, how long after its headers, and from when on its receiver counts as slow. */
export const webhookAnswer = { bodyBytes: 64 * 1024, bodyMs: secondMs, slowMs: 100 } as const
/** How long a reordered event without a successor waits. */
export const reorderHoldMs = 10 * minuteMs
/** Pause before work that the store refused is tried again. */
export const storeRetryMs = secondMs
export const webhookWindow = { sends: 100, spanMs: minuteMs, deferMs: 120 * secondMs } as const

export const megabyte = 1024 * 1024

export const bodyLimits = {
  headerBytes: 16 * 1024,
  jsonBytes: 256 * 1024,
  scenarioBytes: 64 * 1024,
  /** What may be read before anybody knows who sends it. */
  unaskedBytes: 16 * 1024,
  /** Of all calls together, in memory at one time. */
  togetherBytes: 64 * megabyte,
  multipartBytes: 50 * megabyte,
  /** Of an imported snapshot file that is held in memory as a whole. */
  snapshotBytes: 32 * megabyte,
  files: 5,
  fileBytes: 10 * megabyte,
} as const
/** Until the headers, the whole of a request, and the whole of one that imports a snapshot must have arrived. */
export const requestTimeouts = { headersMs: 10 * secondMs, requestMs: 30 * secondMs, importMs: hourMs } as const
export const pageSizes = { default: 50, max: 100 } as const
export const replyMessageMaxLength = 5000
export const postbackUrlMaxLength = 2048

export const operations = ['cashin', 'cashout', 'transfer', 'conversion'] as const
export type Operation = (typeof operations)[number]

/** What a step of the state table gives back to the daily limit: an operation that came to nothing, or one that was reversed. */
export type LimitReturn = 'failed' | 'refunded'
/** What each value of the setting `daily_limit_returns` allows (decision 8). */
export const limitReturns = {
  never: [],
  failed: ['failed'],
  refunded: ['failed', 'refunded'],
} as const satisfies Record<string, readonly LimitReturn[]>
export type LimitReturns = keyof typeof limitReturns

/** Decimals of a percentage. */
export const percentPlaces = 4
/** 100 % in the unit of `percentPlaces`: parts per million. */
export const maxPercentPpm = BigInt(100 * 10 ** percentPlaces)

export interface FeeRow {
  /** Added whatever the amount, a decimal string. */
  fixed: string
  /** Of the amount, a decimal string with at most `percentPlaces` decimals: `'0.9900'` is 0.99 %. */
  percent: string
}

const free: FeeRow = { fixed: '0', percent: '0' }

/** All assumed: §2.2 shows that a fee exists, not how much it is. A conversion earns by its spread, unless an account is given a fee. */
export function defaultFee(currency: Currency, operation: Operation): FeeRow {
  if (operation === 'cashin') return { fixed: '0', percent: '1' }
  return operation === 'cashout' ? { fixed: currencies[currency].cashoutFee, percent: '0' } : free
}

/** Decimals of an exchange rate. */
export const ratePlaces = 12
export const conversionSpreadPercent = '1'
export const quoteLifeMs = 30 * secondMs
