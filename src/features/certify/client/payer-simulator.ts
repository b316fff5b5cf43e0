/**
 * Simulates payers: charges are paid, one withdrawal fails and one is refunded, the first payer opens a dispute. The
 * client need not be notified.
 */

import type { ActionName } from '../../../inside/platform.js'
import { trigger, type Workspace } from '../../../inside/workspace.js'
import { type StateReader, StateUnavailable } from '../receiver/state-reader.js'
import { type ClientCall, isDone, isWithdrawal } from './calls.js'

/** Delay after the call that creates the object. */
const delayMs = 150

export interface Withdrawal {
  id: string
  /** Status that the state URL reported while the withdrawal was pending; null if none was read. */
  statusWhilePending: string | null
  end: 'failed' | 'refunded' | 'confirmed'
}

/** How the first withdrawals end; the others are confirmed. */
export const withdrawalEnds = ['failed', 'refunded'] as const

export class PayerSimulator {
  /** Real times at which charges were paid. */
  readonly paidMs: number[] = []
  readonly withdrawals: Withdrawal[] = []
  /** The dispute and the time when it was opened. */
  dispute: { id: string; openedMs: number } | null = null
  /** Why the state URL could not be read. */
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
    const { endpoint, createdId: madeId } = call
    if (!isDone(call) || madeId === null || this.#known.has(madeId)) return
    this.#known.add(madeId)
    const simulate =
      endpoint === 'cashin' ? () => this.#pay(madeId) : isWithdrawal(call) ? () => this.#settle(madeId) : null
    if (simulate === null) return
    const work = new Promise<void>((resolve) => void this.#ws.callAfter(delayMs, resolve))
      .then(() => (this.#ws.closed ? undefined : simulate()))
      .finally(() => this.#pending.delete(work))
    this.#pending.add(work)
  }

  /** Resolves when all simulated payments and settlements are done. */
  async whenIdle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  /** Returns the status that the state URL reports, once it is as wanted or after a few seconds; null if none can be read. */
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
    if ((await this.#perform('cashin.pay', id)) === null) return
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
    // Both run in one unit: a client that reads the status in between would rightly consider it final, and would not read it
    // again.
    await this.#ws
      .unit((unit) => {
        trigger(unit, 'cashout.confirm', id, {})
        trigger(unit, 'cashout.refund', id, {})
      })
      .catch(() => undefined)
  }

  /** Returns the id of the object that the action changed or created; null if its status no longer allows the action. */
  async #perform(action: ActionName, id: string, params: Record<string, unknown> = {}): Promise<string | null> {
    try {
      const { row } = (await this.#ws.unit((unit) => trigger(unit, action, id, params))).subject
      return 'id' in row ? String(row.id) : id
    } catch {
      return null
    }
  }
}
