/** Call limit for each address of unauthenticated callers, so that they cannot use up the quota of a workspace. */
import { minuteMs, secondMs } from '../../base/duration.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { networkOf } from '../../protocol/platform/webhook-hosts.js'
import { setBounded } from './bounded.js'
import { RateWindow } from './window.js'

/** Upper bound on tracked addresses. The oldest one is dropped first: memory stays bounded at the price of a weaker limit. */
const maxAddresses = 10_000

export class UnauthenticatedLimit {
  readonly #windows = new Map<string, RateWindow>()

  constructor(
    readonly perMinute: number,
    readonly wall: () => number,
  ) {}

  /** Counts one call. Throws 429 RATE_LIMIT_EXCEEDED. */
  admit(address: string): void {
    const nowMs = this.wall()
    const network = networkOf(address)
    let window = this.#windows.get(network)
    if (window === undefined) {
      window = new RateWindow(minuteMs)
      setBounded(this.#windows, network, window, maxAddresses)
    }
    if (window.countOne(nowMs, this.perMinute)) return
    const retryAfter = Math.ceil(window.leftMs(nowMs) / secondMs)
    throw new ApiError(
      'RATE_LIMIT_EXCEEDED',
      { limit: this.perMinute, per: 'ip', window_seconds: minuteMs / secondMs, retry_after: retryAfter },
      { message: `Without authentication, an IP address can make at most ${this.perMinute} calls per minute.` },
    )
  }
}

/** Returns the client's address as reported by the hosting platform; without such a header, all callers share one. */
export const addressOfCaller = ({ headers }: Request): string => headers.get(addressHeader) ?? ''

/** Header that the edge of the hosting platform sets; callers cannot set it. */
export const addressHeader = 'CF-Connecting-IP'
