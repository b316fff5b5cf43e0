/** Notices clients that request a token for each call instead of using one until it expires. */

import { tokenLifeMs } from '../../protocol/platform/limits.js'
import { tokensForOneCall } from '../../protocol/platform/warnings.js'
import type { MemorySlot } from '../unit/memory.js'

export const tokenUse: MemorySlot<TokenUse> = { begin: () => new TokenUse() }

interface Use {
  issuedAtMs: number
  callsSince: number
  /** Tokens in a row that were used for one call. */
  inARow: number
}

/** Upper bound on tracked clients. When it is reached, all are forgotten: memory stays bounded at the price of a missed warning. */
const mostClients = 1000

export class TokenUse {
  readonly #byClient = new Map<string, Use>()

  /** A call was made with a token of this client. */
  used(clientId: string): void {
    const use = this.#byClient.get(clientId)
    if (use !== undefined) use.callsSince++
  }

  /** Returns whether this client has requested a token for each of its last calls. */
  issued(clientId: string, atMs: number): boolean {
    const last = this.#byClient.get(clientId)
    if (last === undefined && this.#byClient.size >= mostClients) this.#byClient.clear()
    const inARow = last === undefined ? 0 : inARowAfter(last, atMs)
    this.#byClient.set(clientId, { issuedAtMs: atMs, callsSince: 0, inARow })
    return inARow >= tokensForOneCall
  }
}

/** A token that is not used yet says nothing: several parts of a program may start at once. */
function inARowAfter({ issuedAtMs, callsSince, inARow }: Use, atMs: number): number {
  if (atMs - issuedAtMs >= tokenLifeMs || callsSince > 1) return 0
  return callsSince === 1 ? inARow + 1 : inARow
}
