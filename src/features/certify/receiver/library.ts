/** `certifyReceiver`: tests a webhook receiver from a test suite, in one call. */
import type { Certificate } from '../../../inside/client.js'
import { requireKnown, type Sandbox, startSandbox } from '../../../inside/library.js'
import { openCallbacks, type StateOptions, stateOf } from '../callbacks.js'
import { fieldsOf, libraryNames } from '../options.js'
import { loadOptions, receiverOptions } from '../program-options.js'

/** A load test instead of the rules. `'20/s'` stands for `{ rate: '20/s' }`. */
export interface LoadTest {
  /** Highest number of events a second, at most 500. */
  rate: number | string
  /** Seconds, or text such as `60s` (default: `1m`; at most `10m`). */
  for?: number | string | undefined
  /** How the rate changes over time (default: `steady`). */
  profile?: 'steady' | 'burst' | 'blackfriday' | undefined
  /** Then also finds the highest rate that the receiver sustains. */
  findLimit?: boolean | undefined
}

export interface CertifyReceiverOptions extends StateOptions {
  url: string
  /** URL or function that restarts the receiver; it answers when the receiver is running again. */
  restart?: string | (() => void | Promise<void>) | undefined
  /** `production`: events have no `X-Sandbox` header, except one that must be rejected (default: `sandbox`). */
  mode?: 'sandbox' | 'production' | undefined
  productionUrl?: string | undefined
  /** Secret that signs the events (default: the webhook secret of `merchant`). */
  webhookSecret?: string | undefined
  /** Requirements that are not tested by then are inconclusive: a duration such as `5m` (default: follows the response time). */
  timeLimit?: number | string | undefined
  /** Sends events at a rate instead of testing each requirement; the report then has `load`. */
  load?: LoadTest | number | string | undefined
  /** A running sandbox (default: a new one for this call). */
  sandbox?: Sandbox | undefined
}

/** Resolves to the report, whatever the receiver does. Rejects with `SandboxError` if an address is not allowed. */
export async function certifyReceiver(options: CertifyReceiverOptions): Promise<Certificate> {
  requireKnown('certifyReceiver', options, [...libraryNames(receiverOptions), 'getState', 'load', 'sandbox'])
  const { url, restart, load } = options
  const callbacks = await openCallbacks(
    stateOf('certifyReceiver', options),
    typeof restart === 'function' ? async () => restart() : restart,
  )
  const sandbox = options.sandbox ?? (await startSandbox())
  try {
    const given = {
      ...fieldsOf(receiverOptions, options),
      url,
      load: load === undefined ? undefined : loadFieldOf(load),
    }
    const addresses = { state_url: callbacks.stateUrl, restart: callbacks.restart }
    return await sandbox.control.call('POST /certify/receiver', { body: { ...given, ...addresses } })
  } finally {
    callbacks.close()
    if (options.sandbox === undefined) await sandbox.close()
  }
}

function loadFieldOf(load: LoadTest | number | string) {
  if (typeof load !== 'object') return { rate: load }
  requireKnown('certifyReceiver: load', load, libraryNames(loadOptions))
  return { ...fieldsOf(loadOptions, load), rate: load.rate }
}
