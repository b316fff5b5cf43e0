/**
 * Simulates payers: charges are paid, one withdrawal fails and one is refunded, the first payer opens a dispute. The
 * client need not be notified.
 */

import { type ActionName, type CashoutFailure, canFail, isCurrency } from '../../../inside/platform.js'
import { messageOf } from '../../../inside/values.js'
import type { Workspace } from '../../../inside/workspace.js'
import { type StateReader, StateUnavailable } from '../receiver/state-reader.js'
import { performAction } from '../receiver/test-events.js'
import { type ClientCall, isDone, isWithdrawal } from './calls.js'

/** Delay after the call that creates the object. */
const delayMs = 150

export interface Withdrawal {
  id: string
  /** Status that the state URL reported while the withdrawal was pending; null if none was read. */
  statusWhilePending: string | null
  end: 'failed' | 'refunded' | 'confirmed'
  /** Why the sandbox could not end it like this; null if it could. The client has no part in it. */
  refusal: string | null
}

/** How the first withdrawals end; the others are confirmed. */
export const withdrawalEnds = ['failed', 'refunded'] as const

type ActionStep = readonly [action: ActionName, params?: Record<string, unknown>]

/** A withdrawal without a currency is one of PIX. */
export const failureOf = (currency: unknown): CashoutFailure =>
  typeof currency === 'string' && isCurrency(currency) && !canFail('PIX_KEY_NOT_FOUND', { currency, network: null })
    ? 'INVALID_ADDRESS'
    : 'PIX_KEY_NOT_FOUND'

const stepsTo: Record<Withdrawal['end'], (call: ClientCall) => readonly ActionStep[]> = {
  failed: ({ fields }) => [['cashout.fail', { error_code: failureOf(fields.currency) }]],
  refunded: () => [['cashout.confirm'], ['cashout.refund']],
  confirmed: () => [['cashout.confirm']],
}

/** The reader keeps the reason. */
function unreadable(error: unknown): null {
  if (error instanceof StateUnavailable) return null
  throw error
}

export class PayerSimulator {
  /** Real times at which charges were paid. */
  readonly paidMs: number[] = []
  readonly withdrawals: Withdrawal[] = []
  /** The dispute and the time when it was opened. */
  dispute: { id: string; openedMs: number } | null = null
  readonly #known = new Set<string>()
  readonly #pending = new Set<Promise<void>>()

  constructor(
    readonly ws: Workspace,
    readonly stateReader: StateReader | null,
  ) {}

  onCall(call: ClientCall): void {
    const { endpoint, createdId: madeId } = call
    if (!isDone(call) || madeId === null || this.#known.has(madeId)) return
    this.#known.add(madeId)
    const simulate =
      endpoint === 'cashin' ? () => this.#pay(madeId) : isWithdrawal(call) ? () => this.#settle(madeId, call) : null
    if (simulate === null) return
    const work = new Promise<void>((resolve) => void this.ws.callAfter(delayMs, resolve))
      .then(() => (this.ws.closed ? undefined : simulate()))
      .finally(() => this.#pending.delete(work))
    this.#pending.add(work)
  }

  /** Why the state URL could not be read. */
  get stateError(): string | null {
    return this.stateReader?.fault?.message ?? null
  }

  /** Resolves when all simulated payments and settlements are done. */
  async whenIdle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  /** Returns the status that the state URL reports, once it is as wanted or after a few seconds; null if none can be read. */
  async statusOf(id: string, isWanted: (status: string | null) => boolean): Promise<string | null> {
    const state = this.stateReader?.waitFor(id, ({ status }) => isWanted(status))
    return (await state?.catch(unreadable))?.status ?? null
  }

  async #pay(id: string): Promise<void> {
    if ('refusal' in (await this.#perform([['cashin.pay']], id))) return
    this.paidMs.push(this.ws.clock.wall())
    if (this.dispute !== null) return
    const opened = await this.#perform([['dispute.open']], id)
    if ('id' in opened) this.dispute = { id: opened.id, openedMs: this.ws.clock.wall() }
  }

  async #settle(id: string, call: ClientCall): Promise<void> {
    const end = withdrawalEnds[this.withdrawals.length] ?? 'confirmed'
    const withdrawal: Withdrawal = { id, statusWhilePending: null, end, refusal: null }
    this.withdrawals.push(withdrawal)
    if (end === 'failed') withdrawal.statusWhilePending = await this.statusOf(id, () => true)
    const ended = await this.#perform(stepsTo[end](call), id)
    if ('refusal' in ended) withdrawal.refusal = ended.refusal
  }

  /**
   * Performs the actions in one unit: a client that reads a status in between would rightly consider it final, and would not
   * read it again. Returns the id of the object that the last one changed or created, or why the sandbox refused.
   */
  async #perform(steps: readonly ActionStep[], id: string): Promise<{ id: string } | { refusal: string }> {
    try {
      const ids = await this.ws.unit((unit) => steps.map(([action, params]) => performAction(unit, action, id, params)))
      return { id: ids.at(-1) ?? id }
    } catch (error) {
      return { refusal: messageOf(error) }
    }
  }
}
