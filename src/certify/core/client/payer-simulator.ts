/** What happens to what a client makes: charges are paid, one withdrawal fails and one comes back, the first payer disputes, and nobody need be told of it. */

import { trigger } from '../../../core/operations/trigger.js'
import type { Workspace } from '../../../core/unit/workspace.js'
import type { ActionName } from '../../../protocol/actions/actions.js'
import { type StateReader, StateUnavailable } from '../state-reader.js'
import { type ClientCall, isDone, isWithdrawal } from './calls.js'

/** So long after it was made. */
const delayMs = 150

export interface Withdrawal {
  id: string
  /** What the effects said of it while it was pending; null where nobody tells. */
  statusWhilePending: string | null
  end: 'failed' | 'refunded' | 'confirmed'
}

/** What becomes of the first withdrawals; the others are confirmed. */
export const withdrawalEnds = ['failed', 'refunded'] as const

export class PayerSimulator {
  /** Real times at which charges were paid. */
  readonly paidMs: number[] = []
  readonly withdrawals: Withdrawal[] = []
  /** The dispute that there is, and since when. */
  dispute: { id: string; openedMs: number } | null = null
  /** Why the effects could not be asked for. */
  stateError: string | null = null
  readonly #ws: Workspace
  readonly #stateReader: StateReader | null
  readonly #known = new Set<string>()
  readonly #pending = new Set<Promise<void>>()

  constructor(ws: Workspace, stateReader: StateReader | null) {
    this.#ws = ws
    this.#stateReader = stateReader
  }

  onCall(call: ClientCall): void {
    const { endpoint, madeId } = call
    if (!isDone(call) || madeId === null || this.#known.has(madeId)) return
    this.#known.add(madeId)
    const happens =
      endpoint === 'cashin' ? () => this.#pay(madeId) : isWithdrawal(call) ? () => this.#settle(madeId) : null
    if (happens === null) return
    const work = new Promise<void>((resolve) => void this.#ws.alarm(delayMs, resolve))
      .then(() => (this.#ws.closed ? undefined : happens()))
      .finally(() => this.#pending.delete(work))
    this.#pending.add(work)
  }

  /** Resolves when all that was to happen has happened. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  /** What the effects say of a transaction, once it is as wanted or after a while; null where nobody tells. */
  async statusOf(id: string, isWanted: (status: string | null) => boolean): Promise<string | null> {
    if (this.#stateReader === null || this.stateError !== null) return null
    try {
      return (await this.#stateReader.waitFor(id, ({ status }) => isWanted(status))).status
    } catch (error) {
      if (!(error instanceof StateUnavailable)) throw error
      this.stateError = error.message
      return null
    }
  }

  async #pay(id: string): Promise<void> {
    await this.#perform('cashin.pay', id)
    this.paidMs.push(this.#ws.clock.wall())
    if (this.dispute !== null) return
    const opened = await this.#perform('dispute.open', id)
    if (opened !== null) this.dispute = { id: opened, openedMs: this.#ws.clock.wall() }
  }

  async #settle(id: string): Promise<void> {
    const end = withdrawalEnds[this.withdrawals.length] ?? 'confirmed'
    const withdrawal: Withdrawal = { id, statusWhilePending: null, end }
    this.withdrawals.push(withdrawal)
    if (end === 'failed') {
      withdrawal.statusWhilePending = await this.statusOf(id, () => true)
      await this.#perform('cashout.fail', id, { error_code: 'PIX_KEY_NOT_FOUND' })
      return
    }
    if (end === 'confirmed') return void (await this.#perform('cashout.confirm', id))
    // At one stroke: who looked in between would rightly take it for settled, and need not look again.
    await this.#ws
      .unit((unit) => {
        trigger(unit, 'cashout.confirm', id, {})
        trigger(unit, 'cashout.refund', id, {})
      })
      .catch(() => undefined)
  }

  /** The id of what it was done to, or brought about; null where its state does not allow it any more. */
  async #perform(action: ActionName, id: string, params: Record<string, unknown> = {}): Promise<string | null> {
    try {
      const { row } = (await this.#ws.unit((unit) => trigger(unit, action, id, params))).subject
      return 'id' in row ? String(row.id) : id
    } catch {
      return null
    }
  }
}
