/** The table of limits for readers: name, value, and whether it is documented (§8). The figures come from limits.ts. */
import type { Basis } from './basis.js'
import { requestHeaders } from './headers.js'
import * as limits from './limits.js'
import { formatDays, kilobytes, megabytes, minutes, seconds } from './limits.js'

interface LimitRow {
  name: string
  value: string
  basis: Basis
  /** The part of the configuration that changes the value. */
  life?: 'cryptoChargeLifeMs' | 'pixChargeLifeMs' | 'cashoutSettleMs' | 'quoteLifeMs'
}

export const limitTable: readonly LimitRow[] = [
  { name: 'Lifetime of a token', value: seconds(limits.tokenLifeMs), basis: 'spec' },
  { name: 'Token requests', value: `${limits.rates.token.perMinute} a minute for each IP`, basis: 'spec' },
  {
    name: 'Lockout',
    value: `${limits.lockoutAttempts} wrong attempts in a row, then ${minutes(limits.lockoutMs)}`,
    basis: 'spec',
  },
  { name: 'Charges', value: `${limits.rates.cashin.perMinute} a minute for each credential`, basis: 'spec' },
  { name: 'Length of external_id', value: `${limits.externalIdMaxLength} characters`, basis: 'spec' },
  { name: requestHeaders.timestamp, value: `${minutes(limits.signatureWindowMs)} in both directions`, basis: 'spec' },
  { name: requestHeaders.nonce, value: `used once in ${minutes(limits.signatureWindowMs)}`, basis: 'spec' },
  {
    name: 'Lifetime of a crypto charge',
    value: minutes(limits.cryptoAddressLifeMs),
    basis: 'spec',
    life: 'cryptoChargeLifeMs',
  },
  {
    name: 'Lifetime of a PIX charge',
    value: seconds(limits.pixChargeLifeMs),
    basis: 'assumed',
    life: 'pixChargeLifeMs',
  },
  {
    name: 'Time until a withdrawal settles',
    value: seconds(limits.cashoutSettleMs),
    basis: 'assumed',
    life: 'cashoutSettleMs',
  },
  { name: 'Validity of a conversion quote', value: seconds(limits.quoteLifeMs), basis: 'assumed', life: 'quoteLifeMs' },
  {
    name: 'Webhooks',
    value: `${limits.webhookWindow.sends} in ${seconds(limits.webhookWindow.spanMs)}; further webhooks wait ${seconds(limits.webhookWindow.deferMs)}`,
    basis: 'spec',
  },
  { name: 'Webhook retries', value: `after ${limits.webhookRetryDelaysMs.map(seconds).join(', ')}`, basis: 'spec' },
  {
    name: 'Webhook timeouts',
    value: `${seconds(limits.webhookTimeouts.totalMs)} in total, ${seconds(limits.webhookTimeouts.connectMs)} to connect`,
    basis: 'spec',
  },
  { name: 'Deadline for the reply to a dispute', value: formatDays(limits.disputeWindowMs), basis: 'spec' },
  {
    name: 'Reply to a dispute',
    value: `${limits.replyMessageMaxLength} characters, ${limits.bodyLimits.files} files of ${megabytes(limits.bodyLimits.fileBytes)}`,
    basis: 'assumed',
  },
  { name: 'page_size', value: `${limits.pageSizes.default}, at most ${limits.pageSizes.max}`, basis: 'assumed' },
  { name: 'Size of the headers', value: kilobytes(limits.bodyLimits.headerBytes), basis: 'assumed' },
  {
    name: 'Time for a request to arrive',
    value: `${seconds(limits.requestTimeouts.headersMs)} for its headers, ${seconds(limits.requestTimeouts.requestMs)} in all`,
    basis: 'assumed',
  },
  { name: 'Size of a JSON body', value: kilobytes(limits.bodyLimits.jsonBytes), basis: 'assumed' },
  { name: 'Size of a scenario file', value: kilobytes(limits.bodyLimits.scenarioBytes), basis: 'assumed' },
  { name: 'Size of a multipart body', value: megabytes(limits.bodyLimits.multipartBytes), basis: 'assumed' },
  {
    name: 'Total size of the bodies of all simultaneous calls',
    value: megabytes(limits.bodyLimits.togetherBytes),
    basis: 'assumed',
  },
]
