/** What happens to what a client makes: charges are paid, one withdrawal fails and one comes back, the first payer disputes, and nobody need be told of it. */

import { trigger } from '../../../core/operations/trigger.js'
import type { Workspace } from '../../../core/unit/workspace.js'
import type { ActionName } from '../../../protocol/actions/actions.js'
import { type Effects, EffectsFault } from '../effects.js'
import { type ClientCall, isDone, isWithdrawal } from './calls.js'

/** So long after it was made. */
const delayMs = 150

export interface Withdrawal {
  id: string
  /** What the effects said of it while it was pending; null where nobody tells. */
  statusThen: string | null
  end: 'failed' | 'refunded' | 'confirmed'
}

/** What becomes of the first withdrawals; the others are confirmed. */
export const withdrawalEnds = ['failed', 'refunded'] as const

export class World {
  /** Real times at which charges were paid. */
  readonly paidMs: number[] = []
  readonly withdrawals: Withdrawal[] = []
  /** The dispute that there is, and since when. */
  dispute: { id: string; openedMs: number } | null = null
  /** Why the effects could not be asked for. */
  fault: string | null = null
  readonly #ws: Workspace
  readonly #effects: Effects | null
  readonly #known = new Set<string>()
  readonly #pending = new Set<Promise<void>>()

  constructor(ws: Workspace, effects: Effects | null) {
    this.#ws = ws
    this.#effects = effects
  }

  see(call: ClientCall): void {
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
    if (this.#effects === null || this.fault !== null) return null
    try {
      return (await this.#effects.until(id, ({ status }) => isWanted(status))).status
    } catch (error) {
      if (!(error instanceof EffectsFault)) throw error
      this.fault = error.message
      return null
    }
  }

  async #pay(id: string): Promise<void> {
    await this.#do('cashin.pay', id)
    this.paidMs.push(this.#ws.clock.wall())
    if (this.dispute !== null) return
    const opened = await this.#do('dispute.open', id)
    if (opened !== null) this.dispute = { id: opened, openedMs: this.#ws.clock.wall() }
  }

  async #settle(id: string): Promise<void> {
    const end = withdrawalEnds[this.withdrawals.length] ?? 'confirmed'
    const withdrawal: Withdrawal = { id, statusThen: null, end }
    this.withdrawals.push(withdrawal)
    if (end === 'failed') {
      withdrawal.statusThen = await this.statusOf(id, () => true)
      await this.#do('cashout.fail', id, { error_code: 'PIX_KEY_NOT_FOUND' })
      return
    }
    if (end === 'confirmed') return void (await this.#do('cashout.confirm', id))
    // At one stroke: who looked in between would rightly take it for settled, and need not look again.
    await this.#ws
      .unit((unit) => {
        trigger(unit, 'cashout.confirm', id, {})
        trigger(unit, 'cashout.refund', id, {})
      })
      .catch(() => undefined)
  }

  /** The id of what it was done to, or brought about; null where its state does not allow it any more. */
  async #do(action: ActionName, id: string, params: Record<string, unknown> = {}): Promise<string | null> {
    try {
      const { row } = (await this.#ws.unit((unit) => trigger(unit, action, id, params))).subject
      return 'id' in row ? String(row.id) : id
    } catch {
      return null
    }
  }
}
