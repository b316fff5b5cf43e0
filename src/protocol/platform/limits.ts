/** Windows, lifetimes, delays, sizes, limits and fees (interface.md §8, assumptions.md decisions 7, 8, 15, 19), and their table for readers. */
import { dayMs, hourMs, minuteMs, secondMs } from '../../base/duration.js'
import { type Currency, currencies } from './currencies.js'
import type { Basis } from './emulated-interface.js'
import { requestHeaders } from './headers.js'

export const tokenLifeMs = 3600 * secondMs
/** The newest tokens that are reported as expired; older ones are unknown. */
export const rememberedTokens = 10_000
export const lockoutAttempts = 5
export const lockoutMs = 5 * minuteMs
export const signatureWindowMs = 5 * minuteMs
export const externalIdMaxLength = 150
/** Default length limit of a text field. */
export const textMaxLength = 255
export const disputeWindowMs = 7 * dayMs
/** The outcome of a dispute without a reply: a decision, or it stays open. */
export const disputeDeadlines = ['confirm', 'lose', 'manual'] as const
export const pixChargeLifeMs = hourMs
export const cryptoAddressLifeMs = 30 * minuteMs
export const cashoutSettleMs = 2 * secondMs

/** Requests per minute. */
export const rates = {
  token: { perMinute: 30, per: 'ip', basis: 'spec' },
  cashin: { perMinute: 12_000, per: 'credential', basis: 'spec' },
} as const

/** interface.md §6.3: the delay before attempt n+1, counted from the end of attempt n. */
export const webhookRetryDelaysMs = [1, 5, 30, 120, 600].map((seconds) => seconds * secondMs)
export const webhookAttempts = webhookRetryDelaysMs.length + 1
export const webhookTimeouts = { connectMs: 5 * secondMs, totalMs: 10 * secondMs } as const
/** interface.md §6.1: the largest distance of a webhook's timestamp from now. */
export const webhookToleranceSeconds = 300
/** interface.md §6.1: the recommended time for a receiver's answer. */
export const advisedResponseMs = 2 * secondMs
/**
 * The answer to a webhook: bytes of its body that are read and stored, time for them after the headers, and the
 * duration from which a receiver counts as slow.
 */
export const webhookAnswer = { bodyBytes: 64 * 1024, bodyMs: secondMs, slowMs: 100 } as const
/** How long a reordered event waits for a successor. */
export const reorderHoldMs = 10 * minuteMs
/** Pause before a retry of work that the store refused. */
export const storeRetryMs = secondMs
export const webhookWindow = { sends: 100, spanMs: minuteMs, deferMs: 120 * secondMs } as const

export const megabyte = 1024 * 1024

export const bodyLimits = {
  headerBytes: 16 * 1024,
  jsonBytes: 256 * 1024,
  scenarioBytes: 64 * 1024,
  /** Largest body that is read before authentication. */
  beforeAuthBytes: 16 * 1024,
  /** Memory for the bodies of all calls together. */
  togetherBytes: 64 * megabyte,
  multipartBytes: 50 * megabyte,
  /** Largest imported snapshot file that is processed in memory. */
  snapshotBytes: 32 * megabyte,
  files: 5,
  fileBytes: 10 * megabyte,
} as const
/** Time limits for the headers, the whole request, and a request that imports a snapshot. */
export const requestTimeouts = { headersMs: 10 * secondMs, requestMs: 30 * secondMs, importMs: hourMs } as const
/** Defaults of the control API: real time that a call waits, rows of a list, results of a search of each kind. */
export const controlDefaults = {
  advanceWaitMs: 30 * secondMs,
  webhookWaitMs: 5 * secondMs,
  rows: 50,
  found: 8,
} as const
export const pageSizes = { default: 50, max: 100 } as const
export const replyMessageMaxLength = 5000
export const postbackUrlMaxLength = 2048

export const operations = ['cashin', 'cashout', 'transfer', 'conversion'] as const
export type Operation = (typeof operations)[number]

/** Why a transition returns an amount to the daily limit: the operation failed, or was refunded. */
export type LimitReturn = 'failed' | 'refunded'
/** The returns that each value of the setting `daily_limit_returns` allows (assumptions.md decision 8). */
export const limitReturns = {
  never: [],
  failed: ['failed'],
  refunded: ['failed', 'refunded'],
} as const satisfies Record<string, readonly LimitReturn[]>

/** What each value of the setting `fee_rounding` adds to a share before it is cut to the minor unit, in parts per million. */
export const feeRoundings = { half_up: 500_000n, down: 0n, up: 999_999n } as const

export const percentPlaces = 4
/** 100 % in the unit of `percentPlaces`: parts per million. */
export const maxPercentPpm = BigInt(100 * 10 ** percentPlaces)

export interface FeeRow {
  /** Added to every amount, a decimal string. */
  fixed: string
  /** Percentage of the amount, a decimal string with at most `percentPlaces` decimals: `'0.9900'` is 0.99 %. */
  percent: string
}

const free: FeeRow = { fixed: '0', percent: '0' }

/** All fees are assumed: interface.md §2.2 shows that there is one, not how much. By default, conversions earn by their spread only. */
export function defaultFee(currency: Currency, operation: Operation): FeeRow {
  if (operation === 'cashin') return { fixed: '0', percent: '1' }
  return operation === 'cashout' ? { fixed: currencies[currency].cashoutFee, percent: '0' } : free
}

export const ratePlaces = 12
export const conversionSpreadPercent = '1'
export const quoteLifeMs = 30 * secondMs

/** Formats the figures above for prose, with units. */
export const seconds = (ms: number): string => `${ms / secondMs} s`
export const minutes = (ms: number): string => `${ms / minuteMs} minutes`
export const formatDays = (ms: number): string => `${ms / dayMs} days`
export const kilobytes = (bytes: number): string => `${bytes / 1024} KB`
export const megabytes = (bytes: number): string => `${bytes / megabyte} MB`

interface LimitRow {
  name: string
  value: string
  basis: Basis
  /** The part of the configuration that changes the value. */
  life?: 'cryptoChargeLifeMs' | 'pixChargeLifeMs' | 'cashoutSettleMs' | 'quoteLifeMs'
}

/** A function, so that pages that do not show the table do not load it. */
export const limitTable = (): readonly LimitRow[] => [
  { name: 'Lifetime of a token', value: seconds(tokenLifeMs), basis: 'spec' },
  { name: 'Token requests', value: `${rates.token.perMinute} a minute for each IP`, basis: 'spec' },
  {
    name: 'Lockout',
    value: `${lockoutAttempts} wrong attempts in a row, then ${minutes(lockoutMs)}`,
    basis: 'spec',
  },
  { name: 'Charges', value: `${rates.cashin.perMinute} a minute for each credential`, basis: 'spec' },
  { name: 'Length of external_id', value: `${externalIdMaxLength} characters`, basis: 'spec' },
  { name: requestHeaders.timestamp, value: `${minutes(signatureWindowMs)} in both directions`, basis: 'spec' },
  { name: requestHeaders.nonce, value: `used once in ${minutes(signatureWindowMs)}`, basis: 'spec' },
  {
    name: 'Lifetime of a crypto charge',
    value: minutes(cryptoAddressLifeMs),
    basis: 'spec',
    life: 'cryptoChargeLifeMs',
  },
  {
    name: 'Lifetime of a PIX charge',
    value: seconds(pixChargeLifeMs),
    basis: 'assumed',
    life: 'pixChargeLifeMs',
  },
  {
    name: 'Time until a withdrawal settles',
    value: seconds(cashoutSettleMs),
    basis: 'assumed',
    life: 'cashoutSettleMs',
  },
  { name: 'Validity of a conversion quote', value: seconds(quoteLifeMs), basis: 'assumed', life: 'quoteLifeMs' },
  {
    name: 'Webhooks',
    value: `${webhookWindow.sends} in ${seconds(webhookWindow.spanMs)}; further webhooks wait ${seconds(webhookWindow.deferMs)}`,
    basis: 'spec',
  },
  { name: 'Webhook retries', value: `after ${webhookRetryDelaysMs.map(seconds).join(', ')}`, basis: 'spec' },
  {
    name: 'Webhook timeouts',
    value: `${seconds(webhookTimeouts.totalMs)} in total, ${seconds(webhookTimeouts.connectMs)} to connect`,
    basis: 'spec',
  },
  { name: 'Deadline for the reply to a dispute', value: formatDays(disputeWindowMs), basis: 'spec' },
  {
    name: 'Reply to a dispute',
    value: `${replyMessageMaxLength} characters, ${bodyLimits.files} files of ${megabytes(bodyLimits.fileBytes)}`,
    basis: 'assumed',
  },
  { name: 'page_size', value: `${pageSizes.default}, at most ${pageSizes.max}`, basis: 'assumed' },
  { name: 'Size of the headers', value: kilobytes(bodyLimits.headerBytes), basis: 'assumed' },
  {
    name: 'Time for a request to arrive',
    value: `${seconds(requestTimeouts.headersMs)} for its headers, ${seconds(requestTimeouts.requestMs)} in all`,
    basis: 'assumed',
  },
  { name: 'Size of a JSON body', value: kilobytes(bodyLimits.jsonBytes), basis: 'assumed' },
  { name: 'Size of a scenario file', value: kilobytes(bodyLimits.scenarioBytes), basis: 'assumed' },
  { name: 'Size of a multipart body', value: megabytes(bodyLimits.multipartBytes), basis: 'assumed' },
  {
    name: 'Total size of the bodies of all simultaneous calls',
    value: megabytes(bodyLimits.togetherBytes),
    basis: 'assumed',
  },
]
