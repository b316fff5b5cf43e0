/**
 * Injects one fault after another into a client's calls. Each affects one call (an outage several), and the next waits
 * until the client has recovered.
 */
import { type CallName, type On, routeOf, type Scenario, type Step } from '../../../inside/control.js'
import { operations } from '../../../inside/platform.js'
import { hourMs, secondMs } from '../../../inside/values.js'
import { armScenario, changeClock, disarmScenario, uploadScenario, type Workspace } from '../../../inside/workspace.js'
import { areParallel, attemptsOf, type ClientCall, isDone, isPayment, isWithdrawal } from './calls.js'
import { withdrawalEnds } from './payer-simulator.js'
import { type Fault, faults, outageLimits } from './rules.js'

/** A call and the fault that was injected into it. */
export interface InjectedFault {
  fault: Fault
  call: ClientCall
  /** Counts the outages, from 0: an inconclusive outage is repeated. */
  round: number
}

const retryAfterSeconds = 1
/** Largest number of times that the outage is injected. */
const maxOutages = 3

const faultSteps: Record<Exclude<Fault, 'expired'>, Step> = {
  dropped_response: { disconnect: 'after' },
  dropped_withdrawal: { disconnect: 'after' },
  unavailable: { respond: { code: 'SERVICE_UNAVAILABLE' } },
  reset: { disconnect: 'before' },
  provider_error: { respond: { code: 'PROVIDER_ERROR' } },
  rate_limited: { respond: { code: 'RATE_LIMIT_EXCEEDED', details: { retry_after: retryAfterSeconds } } },
  rejected: { respond: { code: 'LIMIT_EXCEEDED' } },
  locked_out: { respond: { code: 'IP_BLOCKED_TEMPORARILY', details: { retry_after: retryAfterSeconds } } },
  outage: { respond: { code: 'SERVICE_UNAVAILABLE' } },
}

/** Returns whether the client does not get what it wanted after this fault. */
const isFinal = (fault: Fault) => fault === 'rejected' || fault === 'outage'
const expiresTokens = (fault: Fault) => fault === 'expired' || fault === 'locked_out'
const token = routeOf('token')
const droppedWithdrawal = 'certify-dropped-withdrawal'

const scenariosOf = (
  fault: Exclude<Fault, 'expired'>,
  callNames: readonly CallName[],
  where?: On['where'],
): Scenario[] =>
  callNames.map((operation, at) => ({
    name: `certify-${fault.replaceAll('_', '-')}-${at + 1}`,
    on: { operation, ...(where === undefined ? {} : { where }) },
    ...(fault === 'outage' ? {} : { times: 1 }),
    steps: [faultSteps[fault]],
  }))

export class FaultInjection {
  readonly injected: InjectedFault[] = []
  /** Real times at which tokens were made to expire. */
  readonly expiredMs: number[] = []
  #next = 0
  #armed: string[] = []
  #narrowed = false
  #round = 0
  /** The client has fetched a token since its tokens were made to expire. */
  #hasNewToken = false
  readonly #calls: ClientCall[] = []
  readonly #withdrawals = new Set<string>()
  /** Arming is asynchronous, so tasks run one after another. */
  #work: Promise<unknown> = Promise.resolve()

  constructor(
    readonly ws: Workspace,
    /** Whether the faults injected so far are enough to check the pauses. */
    readonly isConclusive: (injected: readonly InjectedFault[]) => boolean,
  ) {}

  get #current(): Fault | undefined {
    return faults[this.#next]
  }

  start(): Promise<unknown> {
    const steps = [faultSteps.dropped_withdrawal]
    return this.#enqueue(async () => {
      await this.#replaceArmed([{ name: droppedWithdrawal, on: { operation: 'cashout' }, times: 1, steps }])
      this.#armed = []
      await this.#arm()
    })
  }

  /** Records calls with a fault, and continues with the next fault once the client has recovered. */
  onCall(call: ClientCall): void {
    this.#calls.push(call)
    const currentFault = this.#current
    const wasSpared = currentFault !== undefined && this.#sparesWithdrawals(currentFault)
    if (call.scenario === droppedWithdrawal) this.injected.push({ fault: 'dropped_withdrawal', call, round: 0 })
    if (currentFault === undefined) return
    if (
      call.endpoint === 'token' &&
      isDone(call) &&
      call.arrivedMs > (this.expiredMs.at(-1) ?? Number.POSITIVE_INFINITY)
    )
      this.#hasNewToken = true
    if (isWithdrawal(call) && isDone(call) && call.createdId !== null) this.#withdrawals.add(call.createdId)
    if (call.scenario !== null && this.#armed.includes(call.scenario)) {
      this.injected.push({ fault: currentFault, call, round: this.#round })
      // A rejection is the end of its payment, so the next fault need not wait.
      if (currentFault === 'rejected') {
        this.#next++
        this.#rearm()
      } else if (currentFault !== 'outage' || call.externalId === null || this.#outageIsOver())
        void this.#enqueue(() => this.#replaceArmed([]))
      else void this.#enqueue(() => this.#limitToPayment(call))
    } else if (this.#hasRecovered(call)) {
      if (currentFault === 'outage' && this.#round + 1 < maxOutages && !this.isConclusive(this.injected)) this.#round++
      else this.#next++
      this.#rearm()
    } else if (
      wasSpared &&
      !expiresTokens(currentFault) &&
      this.#currentInjections().length === 0 &&
      !this.#sparesWithdrawals(currentFault)
    ) {
      this.#rearm()
    }
  }

  /**
   * The first withdrawal has a fault of its own. Faults that end a payment come after enough withdrawals: a client that
   * makes only a few needs them for the withdrawal rules.
   */
  #sparesWithdrawals(fault: Fault): boolean {
    const hasOwnFault = this.injected.some((one) => one.fault === 'dropped_withdrawal')
    return !hasOwnFault || (isFinal(fault) && this.#withdrawals.size < withdrawalEnds.length)
  }

  /** Resolves when all queued work is done. */
  whenIdle(): Promise<unknown> {
    return this.#work
  }

  /**
   * A successful call shows that the client continues; during an outage, one for another payment. If it works on several
   * payments at a time, that says nothing about the one with the outage.
   */
  #hasRecovered(call: ClientCall): boolean {
    if (!isDone(call)) return false
    // A call that was on its way when the tokens expired proves nothing.
    if (this.#current === 'expired') return call.endpoint !== 'token' && this.#hasNewToken
    const mine = this.#currentInjections()
    if (this.#current === 'outage' && areParallel({ calls: this.#calls, injected: this.injected }))
      return isPayment(call) && (this.#outageIsOver() || mine[0]?.call.externalId === null)
    return mine.length > 0 && (isPayment(call) || (this.#current === 'locked_out' && call.endpoint !== 'token'))
  }

  #outageIsOver(): boolean {
    const attempts = attemptsOf(this.#currentInjections().map(({ call }) => call))
    const { length } = attempts
    const isLong = (attempts.at(-1)?.arrivedMs ?? 0) - (attempts[0]?.arrivedMs ?? 0) >= outageLimits.ms
    return length >= outageLimits.calls || (length >= outageLimits.fewestCalls && isLong)
  }

  #currentInjections(): InjectedFault[] {
    return this.injected.filter(({ fault, round }) => fault === this.#current && round === this.#round)
  }

  /** Arms the scenarios of the next fault instead of those of the last one. */
  async #arm(): Promise<void> {
    const now = this.#current
    if (now !== undefined && expiresTokens(now)) await this.#expireTokens()
    if (now === undefined || now === 'expired') return this.#replaceArmed([])
    const isSpared = this.#sparesWithdrawals(now)
    const armedOperations = operations.filter((operation) => !(isSpared && operation === 'cashout'))
    await this.#replaceArmed(scenariosOf(now, now === 'locked_out' ? [token] : armedOperations))
  }

  /** In one unit of work: a client that calls again at once must not find a gap between two faults. */
  async #replaceArmed(scenarios: readonly Scenario[]): Promise<void> {
    const names = this.#armed
    await this.ws.unit((unit) => {
      for (const name of names) disarmScenario(unit, name)
      for (const scenario of scenarios) {
        uploadScenario(unit, scenario)
        armScenario(unit, scenario.name, null, null)
      }
    })
    // Calls that the last fault affected may still be reported after it is disarmed.
    if (scenarios.length > 0) this.#armed = scenarios.map(({ name }) => name)
  }

  /** After its first call, an outage affects that payment only. Other payments continue. */
  async #limitToPayment({ externalId }: ClientCall): Promise<void> {
    if (externalId === null || this.#narrowed) return
    this.#narrowed = true
    await this.#replaceArmed(scenariosOf('outage', operations, { external_id: `= ${externalId}` }))
  }

  #rearm(): void {
    this.#narrowed = false
    void this.#enqueue(() => this.#arm())
  }

  async #expireTokens(): Promise<void> {
    const { clock } = this.ws
    const state = clock.state()
    // The clock moves in one step: if it advanced gradually, a token fetched meanwhile would have expired in the end.
    clock.restore({ ...state, offsetMs: state.offsetMs + hourMs + secondMs })
    this.expiredMs.push(clock.wall())
    await changeClock(this.ws)
  }

  #enqueue(work: () => Promise<unknown>): Promise<unknown> {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      if (!this.ws.closed) throw error
    })
    return this.#work
  }
}
