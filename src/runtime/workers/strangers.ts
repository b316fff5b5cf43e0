/** The budget of callers who are not authenticated: one for each address, so that nobody spends the quota of a workspace that is not theirs. */
import { minuteMs, secondMs } from '../../base/duration.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { networkOf } from '../../protocol/platform/webhook-hosts.js'
import { setBounded } from './bounded.js'
import { Window } from './window.js'

/** Upper bound on tracked addresses. The oldest one is forgotten first: memory stays bounded at the price of a weaker limit. */
const maxAddresses = 10_000

export class Strangers {
  readonly #windows = new Map<string, Window>()

  constructor(
    readonly perMinute: number,
    readonly wall: () => number,
  ) {}

  /** 429 RATE_LIMIT_EXCEEDED. */
  admit(address: string): void {
    const nowMs = this.wall()
    const network = networkOf(address)
    let window = this.#windows.get(network)
    if (window === undefined) {
      window = new Window(minuteMs)
      setBounded(this.#windows, network, window, maxAddresses)
    }
    if (window.takes(nowMs, this.perMinute)) return
    const retryAfter = Math.ceil(window.leftMs(nowMs) / secondMs)
    throw new ApiError(
      'RATE_LIMIT_EXCEEDED',
      { limit: this.perMinute, per: 'ip', window_seconds: minuteMs / secondMs, retry_after: retryAfter },
      { message: `An address that is not authenticated makes at most ${this.perMinute} calls a minute.` },
    )
  }
}

/** The address that the host names; all callers share one where nothing in front names any. */
export const addressOfCaller = ({ headers }: Request): string => headers.get(addressHeader) ?? ''

/** Set by the host at its edge, which no caller can do. */
export const addressHeader = 'CF-Connecting-IP'
