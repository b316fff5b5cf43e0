/** The limits as a reader wants them: name, value, and whether the documentation shows it (§8). The figures are those of limits.ts. */
import { dayMs, minuteMs, secondMs } from '../../base/duration.js'
import type { Basis } from './basis.js'
import * as limits from './limits.js'

interface LimitRow {
  name: string
  value: string
  basis: Basis
}

const seconds = (ms: number) => `${ms / secondMs} s`
const minutes = (ms: number) => `${ms / minuteMs} minutes`
const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`

export const limitTable: readonly LimitRow[] = [
  { name: 'Life of a token', value: seconds(limits.tokenLifeMs), basis: 'spec' },
  { name: 'Token requests', value: `${limits.rates.token.perMinute} a minute for each IP`, basis: 'spec' },
  {
    name: 'Lockout',
    value: `${limits.lockoutAttempts} wrong attempts in a row, then ${minutes(limits.lockoutMs)}`,
    basis: 'spec',
  },
  { name: 'Charges', value: `${limits.rates.cashin.perMinute} a minute for each credential`, basis: 'spec' },
  { name: 'Length of external_id', value: `${limits.externalIdMaxLength} characters`, basis: 'spec' },
  { name: 'X-Timestamp', value: `${minutes(limits.signatureWindowMs)} either way`, basis: 'spec' },
  { name: 'X-Nonce', value: `used once in ${minutes(limits.signatureWindowMs)}`, basis: 'spec' },
  { name: 'Life of a crypto address', value: minutes(limits.cryptoAddressLifeMs), basis: 'spec' },
  { name: 'Life of a PIX charge', value: seconds(limits.pixChargeLifeMs), basis: 'assumed' },
  { name: 'A withdrawal settles by itself after', value: seconds(limits.cashoutSettleMs), basis: 'assumed' },
  { name: 'A simulated conversion holds for', value: seconds(limits.quoteLifeMs), basis: 'assumed' },
  {
    name: 'Webhooks out',
    value: `${limits.webhookWindow.sends} in ${seconds(limits.webhookWindow.spanMs)}; what is over waits ${seconds(limits.webhookWindow.deferMs)}`,
    basis: 'spec',
  },
  { name: 'Webhook retries', value: `after ${limits.webhookRetryDelaysMs.map(seconds).join(', ')}`, basis: 'spec' },
  {
    name: 'Webhook timeouts',
    value: `${seconds(limits.webhookTimeouts.totalMs)} in total, ${seconds(limits.webhookTimeouts.connectMs)} to connect`,
    basis: 'spec',
  },
  { name: 'Answer to a dispute', value: `${limits.disputeWindowMs / dayMs} days`, basis: 'spec' },
  {
    name: 'Reply to a dispute',
    value: `${limits.replyMessageMaxLength} characters, ${limits.bodyLimits.files} files of ${megabytes(limits.bodyLimits.fileBytes)}`,
    basis: 'assumed',
  },
  { name: 'page_size', value: `${limits.pageSizes.default}, at most ${limits.pageSizes.max}`, basis: 'assumed' },
  { name: 'Size of the headers', value: `${limits.bodyLimits.headerBytes / 1024} KB`, basis: 'assumed' },
  {
    name: 'Time for a request to arrive',
    value: `${seconds(limits.requestTimeouts.headersMs)} for its headers, ${seconds(limits.requestTimeouts.requestMs)} in all`,
    basis: 'assumed',
  },
  { name: 'Size of a JSON body', value: `${limits.bodyLimits.jsonBytes / 1024} KB`, basis: 'assumed' },
  { name: 'Size of a scenario file', value: `${limits.bodyLimits.scenarioBytes / 1024} KB`, basis: 'assumed' },
  { name: 'Size of a multipart body', value: megabytes(limits.bodyLimits.multipartBytes), basis: 'assumed' },
  { name: 'Bodies of all calls at one time', value: megabytes(limits.bodyLimits.togetherBytes), basis: 'assumed' },
]
