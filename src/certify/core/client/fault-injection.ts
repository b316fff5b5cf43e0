/** Puts one fault after the other in the way of a client: each strikes one call, and the next waits until the client is through. */
import { hourMs, secondMs } from '../../../base/duration.js'
import { clockChanged } from '../../../core/clock/advance.js'
import { armScenario, disarmScenario } from '../../../core/scenarios/arms.js'
import { uploadScenario } from '../../../core/scenarios/library.js'
import type { Workspace } from '../../../core/unit/workspace.js'
import { operations } from '../../../protocol/platform/limits.js'
import { type CallName, routeOf } from '../../../protocol/scenario/calls.js'
import type { On, Scenario, Step } from '../../../protocol/scenario/file.js'
import { type Fault, faults } from '../../protocol/client-rules.js'
import { type ClientCall, isDone, isMoving, isWithdrawal } from './calls.js'
import { withdrawalEnds } from './payer-simulator.js'

/** What injected which call. */
export interface InjectedFault {
  fault: Fault
  call: ClientCall
  /** From 0: an outage that told nothing comes again. */
  round: number
}

/** How often an outage strikes at most: whoever is still there then is let through. */
export const maxOutageCalls = 12
const retryAfterSeconds = 1
/** So often an outage comes at most. */
const maxOutages = 3

const faultSteps: Record<Exclude<Fault, 'expired'>, Step> = {
  lost_answer: { disconnect: 'after' },
  unavailable: { respond: { code: 'SERVICE_UNAVAILABLE' } },
  dropped: { disconnect: 'before' },
  provider_error: { respond: { code: 'PROVIDER_ERROR' } },
  rate_limited: { respond: { code: 'RATE_LIMIT_EXCEEDED', details: { retry_after: retryAfterSeconds } } },
  refused: { respond: { code: 'LIMIT_EXCEEDED' } },
  locked_out: { respond: { code: 'IP_BLOCKED_TEMPORARILY', details: { retry_after: retryAfterSeconds } } },
  outage: { respond: { code: 'SERVICE_UNAVAILABLE' } },
}

/** After these, what was wanted never comes to be. */
const isFinal = (fault: Fault) => fault === 'refused' || fault === 'outage'
const token = routeOf('token')

export class FaultInjection {
  readonly injected: InjectedFault[] = []
  /** When tokens were made to expire, real time. */
  readonly expiredMs: number[] = []
  readonly #ws: Workspace
  #next = 0
  #armed: string[] = []
  #narrowed = false
  #round = 0
  readonly #withdrawals = new Set<string>()
  readonly #isConclusive: (injected: readonly InjectedFault[]) => boolean
  /** Arming is asynchronous: one thing after the other. */
  #work: Promise<unknown> = Promise.resolve()

  /** `isConclusive` returns whether the faults injected so far are enough to check the pauses. */
  constructor(ws: Workspace, isConclusive: (injected: readonly InjectedFault[]) => boolean) {
    this.#ws = ws
    this.#isConclusive = isConclusive
  }

  get #current(): Fault | undefined {
    return faults[this.#next]
  }

  start(): Promise<unknown> {
    return this.#enqueue(() => this.#arm())
  }

  /** What a call does to the plan. */
  onCall(call: ClientCall): void {
    const now = this.#current
    if (now === undefined) return
    const hadEnough = this.#hasEnoughWithdrawals
    if (isWithdrawal(call) && isDone(call) && call.madeId !== null) this.#withdrawals.add(call.madeId)
    if (call.scenario !== null && this.#armed.includes(call.scenario)) {
      this.injected.push({ fault: now, call, round: this.#round })
      if (now !== 'outage' || call.externalId === null || this.#outageIsOver()) void this.#enqueue(() => this.#disarm())
      else void this.#enqueue(() => this.#narrow(call))
    } else if (this.#hasRecovered(call)) {
      if (now === 'outage' && this.#round + 1 < maxOutages && !this.#isConclusive(this.injected)) this.#round++
      else this.#next++
      this.#narrowed = false
      this.#rearm()
    } else if (isFinal(now) && this.#injectedNow().length === 0 && hadEnough !== this.#hasEnoughWithdrawals) {
      this.#rearm()
    }
  }

  /** Until then withdrawals are spared what is final: whoever makes few of them is judged by what becomes of those. */
  get #hasEnoughWithdrawals(): boolean {
    return this.#withdrawals.size >= withdrawalEnds.length
  }

  /** Resolves when everything that was begun is in place. */
  settled(): Promise<unknown> {
    return this.#work
  }

  /** A call that went well shows that the client goes on; of an outage, one about something else. */
  #hasRecovered(call: ClientCall): boolean {
    if (!isDone(call)) return false
    if (this.#current === 'expired') return call.endpoint !== 'token'
    const mine = this.#injectedNow()
    return mine.length > 0 && (isMoving(call) || (this.#current === 'locked_out' && call.endpoint !== 'token'))
  }

  #outageIsOver(): boolean {
    return this.#injectedNow().length >= maxOutageCalls
  }

  #injectedNow(): InjectedFault[] {
    return this.injected.filter(({ fault, round }) => fault === this.#current && round === this.#round)
  }

  async #arm(): Promise<void> {
    const now = this.#current
    if (now === undefined) return
    if (now === 'expired' || now === 'locked_out') await this.#expireTokens()
    if (now === 'expired') return
    const isSpared = isFinal(now) && !this.#hasEnoughWithdrawals
    const injected = operations.filter((operation) => !(isSpared && operation === 'cashout'))
    await this.#armOperations(now === 'locked_out' ? [token] : injected, now, undefined)
  }

  async #armOperations(wanted: readonly CallName[], now: Exclude<Fault, 'expired'>, where: On['where']): Promise<void> {
    const times = now === 'outage' ? {} : { times: 1 }
    const scenarios = wanted.map((operation, at): Scenario => {
      const name = `certify-${now.replaceAll('_', '-')}-${at + 1}`
      const on = { operation, ...(where === undefined ? {} : { where }) }
      return { name, on, ...times, steps: [faultSteps[now]] }
    })
    await this.#ws.unit((unit) => {
      for (const scenario of scenarios) {
        uploadScenario(unit, scenario)
        armScenario(unit, scenario.name, null, null)
      }
    })
    this.#armed = scenarios.map(({ name }) => name)
  }

  /** An outage that has injected is about that payment alone: the others go on. */
  async #narrow({ externalId }: ClientCall): Promise<void> {
    if (externalId === null || this.#narrowed) return
    this.#narrowed = true
    await this.#disarm()
    await this.#armOperations(operations, 'outage', { external_id: `= ${externalId}` })
  }

  #rearm(): void {
    void this.#enqueue(() => this.#disarm().then(() => this.#arm()))
  }

  async #disarm(): Promise<void> {
    const names = this.#armed
    await this.#ws.unit((unit) => {
      for (const name of names) disarmScenario(unit, name)
    })
  }

  async #expireTokens(): Promise<void> {
    const { clock } = this.#ws
    const state = clock.state()
    // At one stroke: a token that is fetched on the way there would expire on arrival.
    clock.restore({ ...state, offsetMs: state.offsetMs + hourMs + secondMs })
    this.expiredMs.push(clock.wall())
    await clockChanged(this.#ws)
  }

  #enqueue(work: () => Promise<unknown>): Promise<unknown> {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      if (!this.#ws.closed) throw error
    })
    return this.#work
  }
}
