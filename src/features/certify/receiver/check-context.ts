/** What every check receives, and the finding that it returns. */
import type { Config } from '../../../inside/control.js'
import type { Host } from '../../../inside/handlers.js'
import { blockedDetail, outcomeWords, transitions, webhookHeaders } from '../../../inside/platform.js'
import type { Workspace } from '../../../inside/workspace.js'
import type { LoadProgress } from '../load/report.js'
import type { Remaining, RuleReport } from '../report/evidence.js'
import { type Finding, fail, inconclusive, missingOptions, skipped } from '../report/rules.js'
import type { CertifyOptions, ReceiverReport } from '../routes.js'
import { type Attempt, type AttemptOptions, EventSender, isOk } from './event-sender.js'
import { expectedCreditsOf, isInexact, partsOf, StateReader, type TransactionState } from './state-reader.js'
import { merchantCredential, type Refund, type TestEvent, type TestEvents } from './test-events.js'

export interface Progress {
  /** Runs for each rule as soon as its result is known. */
  onRule: (rule: RuleReport, remaining: Remaining) => void
  /** Runs about sixty times during a load. */
  onLoad?: (progress: LoadProgress) => void
  /** Whether nobody waits for the report any more. Unfinished rules are then inconclusive. */
  isCanceled: () => boolean
}

/** Throws 409 CONFLICT if too many certifications are running. */
export type RunCertification = (
  host: Host,
  config: Config,
  options: CertifyOptions,
  progress: Progress,
) => Promise<ReceiverReport>

/** Returns what was observed if the check passed; any other finding is returned or thrown as `Found`. */
export type Check = (context: CheckContext) => string | Finding | Promise<string | Finding>

/** `answered 500`, or why there was no answer. */
export function describeResponse({ result }: NonNullable<Finding['attempt']>): string {
  if (result.status !== null) return `answered ${result.status}`
  const why = outcomeWords[result.outcome]
  if (result.detail === null || result.outcome === 'timeout') return why
  return result.detail.endsWith(blockedDetail) ? result.detail : `${why} (${result.detail})`
}

/** Ends a check with a finding. */
export class Found extends Error {
  constructor(readonly finding: Finding) {
    super(finding.observed)
  }
}

export const withoutStateUrl = (accepted: string) =>
  skipped(missingOptions.stateUrl, `${accepted}; the result ${missingOptions.stateUrl}`)

export const describeState = ({ status, credited }: TransactionState): string =>
  `credited ${credited}${status === null ? '' : `, status ${status}`}`

/** The state that the charge of a `cashin.confirmed` must have. */
export interface ExpectedState {
  event: TestEvent
  /** `once`: the amount, or the amount minus the fee. `nothing`: zero, or minus the fee. */
  credited: 'once' | 'nothing'
  /** What a refund took back, with `once`. */
  minus?: string | undefined
  /** Compared only if the application reports a status of the platform API. */
  status?: string
  /** Later events that the state depends on. */
  moreEvents?: readonly TestEvent[]
  what: string
  /** The fix that a wrong credit shows, and that of a missing one if it is another; undefined: that of the rule. */
  fix?: string | undefined
  missingFix?: string | undefined
  /** The fix of what was applied more than once, unless the rule is about that. */
  twiceFix?: string
}

export const creditedOnce = (event: TestEvent, what: string, fix?: string): ExpectedState => ({
  ...{ event, credited: 'once', what, fix },
})

export const twiceFix = `The event was applied more than once. Store the ${webhookHeaders.id} of every event under a unique key, in the same database transaction as its effect: then a repeated attempt changes nothing.`

/** The charge of an event that was sent once, apart from attempts that failed. */
export const sentOnce = (event: TestEvent, what: string): ExpectedState => ({ ...creditedOnce(event, what), twiceFix })

export const refundedCharge = ({ confirmed, refunded }: Refund, what: string): ExpectedState => ({
  ...{ event: confirmed, moreEvents: [refunded], credited: 'nothing', what, twiceFix },
})

const cashinStatuses = transitions.filter((row) => row.object === 'cashin').map((row): string => row.to)

function isCreditRight({ event, credited, minus = '0' }: ExpectedState, { creditedParts }: TransactionState): boolean {
  const [amount = 0n, net = amount] = expectedCreditsOf(event.data)
  const taken = partsOf(minus) ?? 0n
  return credited === 'nothing'
    ? creditedParts <= 0n && creditedParts >= net - amount
    : creditedParts === amount - taken || creditedParts === net - taken
}

function matches(expected: ExpectedState, effect: TransactionState): boolean {
  const { status = effect.status } = expected
  const hasKnownStatus = effect.status !== null && cashinStatuses.includes(effect.status)
  return isCreditRight(expected, effect) && (!hasKnownStatus || effect.status === status)
}

export const exactFix =
  'Calculate in whole cents or with a decimal type. With floats, 19.99 - 5.11 is 14.879999999999999.'

/** Whether the credit is a multiple of the right one, or what was to be taken back was taken back twice. */
export const isMultiple = (credited: bigint, right: bigint): boolean =>
  right > 0n && credited > right && credited % right === 0n

function isTwice({ event, credited, minus = '0' }: ExpectedState, { creditedParts }: TransactionState): boolean {
  const taken = partsOf(minus) ?? 0n
  if (credited === 'nothing') return creditedParts < 0n
  return expectedCreditsOf(event.data).some((once) =>
    taken === 0n ? isMultiple(creditedParts, once) : creditedParts === once - 2n * taken,
  )
}

function fixFor(expected: ExpectedState, effect: TransactionState): string | undefined {
  if (isCreditRight(expected, effect))
    return `Only the status is wrong: set it to ${expected.status} with the credit. A state without a status is accepted too.`
  if (expected.twiceFix !== undefined && isTwice(expected, effect)) return expected.twiceFix
  if (isInexact(effect, String(expected.event.data.amount))) return exactFix
  return (effect.creditedParts === 0n ? expected.missingFix : undefined) ?? expected.fix
}

/** After an event that a worker could not process, it may have ended. */
export const appliesNothing = (observed: string): Finding => ({
  ...fail(`${observed}; a charge that was paid and accepted after it is not credited either`),
  appliesNothing: true,
  fix: 'The receiver accepts events, and applies none any more. Read the log of what processes them: it has probably stopped at an event. Let it go on with the next event after a failure.',
})

/** The receiver under test, as a check sees it: what it is sent, and what its application did. */
export class CheckContext {
  /** Attempts that the receiver correctly rejected so far. */
  readonly rejections: Attempt[] = []
  /** Whether the state URL has reported the credit of a charge. */
  hasCredited = false
  readonly sender: EventSender
  /** null: no state URL was given. */
  readonly stateReader: StateReader | null

  constructor(
    /** A temporary workspace for this certification only. */
    readonly workspace: Workspace,
    readonly options: CertifyOptions,
    readonly testEvents: TestEvents,
    /** Events created more than an hour ago on this workspace's clock. */
    readonly missed: Readonly<Record<'confirmed' | 'refunded' | 'repeated' | 'lone', TestEvent>>,
  ) {
    const { url, state_url: stateUrl, mode } = options
    const secret = merchantCredential(workspace)?.webhookSecret ?? ''
    this.sender = new EventSender(workspace, url, secret, mode !== 'production')
    this.stateReader = stateUrl === undefined ? null : new StateReader(workspace, stateUrl, 'credited')
  }

  pause = (delayMs: number) => new Promise<void>((resolve) => void this.workspace.callAfter(delayMs, resolve))

  /** Delivers an event that must be accepted, and returns the accepted attempt. Throws `Found` if it was not. */
  async deliver(event: TestEvent, what = event.event, options: AttemptOptions = {}): Promise<Attempt> {
    const { accepted, last } = await this.sender.deliver(event, options)
    if (accepted) return last
    throw new Found(fail(`${what}: ${describeResponse(last)}`, last))
  }

  /** Pays a charge and delivers its event, which must be accepted. */
  async deliverCharge(what?: string, fields: Record<string, unknown> = {}): Promise<TestEvent> {
    const event = await this.testEvents.createPaidCharge(fields)
    await this.deliver(event, what)
    return event
  }

  async deliverAll(events: readonly TestEvent[]): Promise<void> {
    for (const event of events) await this.deliver(event)
  }

  /** Throws `Found` with the first wrong state. Without a state URL, only what was tried is known. */
  async expectStates(expectations: readonly ExpectedState[], tried = 'accepted'): Promise<void> {
    const found = this.stateReader === null ? withoutStateUrl(tried) : await this.findWrongState(expectations)
    if (found !== undefined) throw new Found(found)
  }

  /** Returns the first wrong state; undefined if all are as expected. Looks again after the receiver has processed later events. */
  async findWrongState(expectations: readonly ExpectedState[]): Promise<Finding | undefined> {
    const findFirst = async () =>
      (await Promise.all(expectations.map(this.#checkState))).find((one) => one !== undefined)
    if ((await findFirst()) === undefined) return undefined
    const isApplying = (await this.waitForEarlierEvents()) || !this.hasCredited
    const wrong = await findFirst()
    return wrong?.result === 'failed' && !isApplying ? appliesNothing(wrong.observed) : wrong
  }

  #checkState = async (expected: ExpectedState): Promise<Finding | undefined> => {
    const { event, credited, minus, status, what, moreEvents = [] } = expected
    const effect = await this.stateReader?.waitFor(event.transactionId, (now) => matches(expected, now))
    if (effect === undefined || matches(expected, effect)) return undefined
    const { sender } = this
    if ((effect.creditedParts === 0n && sender.hasRecovered([event])) || sender.hasRecovered(moreEvents))
      return notAppliedAfterFailure(what)
    const { amount } = event.data
    const charged = minus === undefined ? `${amount} credited once` : `${amount} less ${minus} credited`
    const right = credited === 'nothing' ? 'nothing credited' : charged
    const wanted = `${right}${status === undefined ? '' : `, status ${status}`}`
    const again = isTwice(expected, effect) && sender.hasRecovered([event]) ? '; its first attempt got an error' : ''
    const observed = `${what}: ${describeState(effect)} instead of ${wanted}${again}`
    return fail(observed, undefined, fixFor(expected, effect))
  }

  /**
   * Sends one more event and waits until it is applied; earlier events have been processed by then. Returns false if it was
   * accepted at once and not applied.
   */
  async waitForEarlierEvents(): Promise<boolean> {
    if (this.stateReader === null) return true
    const event = await this.testEvents.createPaidCharge()
    if (!(await this.sender.deliver(event)).accepted) return true
    const isApplied = ({ creditedParts }: TransactionState) => creditedParts !== 0n
    const effect = await this.stateReader.waitFor(event.transactionId, isApplied)
    return isApplied(effect) || this.sender.hasRecovered([event])
  }

  /** Whether the receiver accepts an event after one of these pauses. */
  async isAnswering(pausesMs: readonly number[]): Promise<boolean> {
    for (const pauseMs of pausesMs) {
      await this.pause(pauseMs)
      if (isOk(await this.sender.send(await this.testEvents.createPaidCharge()))) return true
    }
    return false
  }
}

export const coveredByRetry = '; retry.after-failure covers this'

export const notAppliedAfterFailure = (what: string): Finding =>
  inconclusive(`${what}: the first attempt failed and the event was not applied afterwards${coveredByRetry}`)

/** Whether the receiver rejected the attempt, with any 4xx. */
export const isRejected = ({ result: { status } }: Attempt): boolean => status !== null && status >= 400 && status < 500

/** The finding of an attempt that must be rejected and was not. */
export const notRejected = (attempt: Attempt, what: string): Finding =>
  fail(
    isOk(attempt) ? `${what} was accepted (${describeResponse(attempt)})` : `${what}: ${describeResponse(attempt)}`,
    attempt,
  )
