/** What every check receives, and the finding that it returns. */
import type { Config } from '../../../inside/control.js'
import type { Host } from '../../../inside/handlers.js'
import { blockedDetail, outcomeWords, transitions } from '../../../inside/platform.js'
import type { Workspace } from '../../../inside/workspace.js'
import type { LoadOptions, LoadProgress } from '../load/report.js'
import type { Result, RuleReport } from '../report/evidence.js'
import { missingOptions, notTestedBecause } from '../report/rules.js'
import type { ReceiverReport } from '../routes.js'
import { type Attempt, type AttemptOptions, type EventSender, isOk } from './event-sender.js'
import { expectedCreditsOf, isInexact, partsOf, type StateReader, type TransactionState } from './state-reader.js'
import type { TestEvent, TestEvents } from './test-events.js'

export interface CertifyOptions {
  /** Address of the receiver. */
  url: string
  /** Reports what the integrator's application did with a transaction. */
  stateUrl: string | null
  /** Restarts the receiver, and answers when it is running again. */
  restart: string | null
  mode: 'sandbox' | 'production'
  productionUrl: string | null
  /** null: the time limit follows the response time of the receiver. */
  timeLimitMs: number | null
  /** The load to send instead of checking rule by rule. */
  load: LoadOptions | null
}

export interface Progress {
  /** Runs for each rule as soon as its result is known; `leftMs` is the time that the others have. */
  onRule: (rule: RuleReport, leftMs?: number) => void
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

export interface CheckContext {
  /** A temporary workspace for this certification only. */
  workspace: Workspace
  options: CertifyOptions
  sender: EventSender
  testEvents: TestEvents
  /** null: no state URL was given. */
  stateReader: StateReader | null
  /** Whether the state URL has reported the credit of a charge. */
  hasCredited: boolean
  /** Events created more than an hour ago on this workspace's clock. */
  missed: { confirmed: TestEvent; refunded: TestEvent; repeated: TestEvent; lone: TestEvent }
  /** Attempts that the receiver correctly rejected so far. */
  rejections: Attempt[]
  pause(delayMs: number): Promise<void>
}

export interface Finding {
  result: Result
  observed: string
  attempt?: Attempt | undefined
  /** The rule that prevented this check. */
  blockedBy?: string
  /** The missing option, if the check was skipped. */
  reason?: string
  /** Prevents the checks of the rules after this one, as a failure does. */
  blocks?: true
  /** The receiver accepts events and applies none any more, so no further check can tell anything. */
  appliesNothing?: true
  /** Replaces the fix of the rule, if the finding shows the cause. */
  fix?: string | undefined
}
/** Returns what was observed if the check passed; any other finding is returned or thrown as `Found`. */
export type Check = (context: CheckContext) => string | Finding | Promise<string | Finding>

export const pass = (observed: string): Finding => ({ result: 'passed', observed })
export const fail = (observed: string, attempt?: Attempt, fix?: string): Finding => ({
  ...{ result: 'failed', observed, attempt, fix },
})
/** Another rule prevented this check. */
export const notTested = (by: string, why: string): Finding => ({
  result: 'inconclusive',
  observed: notTestedBecause(why),
  blockedBy: by,
})
export const inconclusive = (observed: string): Finding => ({ result: 'inconclusive', observed })
/** An option is missing; `observed` says what was tried without it. */
export const skipped = (reason: string, observed = reason): Finding => ({ result: 'skipped', observed, reason })

/** `answered 500`, or why there was no answer. */
export function describeResponse({ result }: Attempt): string {
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

/** Delivers an event that must be accepted, and returns the accepted attempt. Throws `Found` if it was not. */
export async function deliver(
  { sender }: CheckContext,
  event: TestEvent,
  what: string = event.event,
  { fix, ...options }: AttemptOptions & { fix?: string } = {},
): Promise<Attempt> {
  const { accepted, last } = await sender.deliver(event, options)
  if (accepted) return last
  throw new Found(fail(`${what}: ${describeResponse(last)}`, last, fix))
}

/** Pays a charge and delivers its event, which must be accepted. */
export async function deliverCharge(
  context: CheckContext,
  what?: string,
  fields: Record<string, unknown> = {},
): Promise<TestEvent> {
  const event = await context.testEvents.createPaidCharge(fields)
  await deliver(context, event, what)
  return event
}

export async function deliverAll(context: CheckContext, events: readonly TestEvent[]): Promise<void> {
  for (const event of events) await deliver(context, event)
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
  /** The fix that a wrong credit shows; undefined: that of the rule. */
  fixFor?: (effect: TransactionState) => string | undefined
}

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

function fixFor(expected: ExpectedState, effect: TransactionState): string | undefined {
  if (isCreditRight(expected, effect))
    return `Only the status is wrong: set it to ${expected.status} with the credit. A state without a status is accepted too.`
  return isInexact(effect, String(expected.event.data.amount)) ? exactFix : expected.fixFor?.(effect)
}

/** Returns the first wrong state; undefined if all are as expected. Looks again after the receiver has processed later events. */
export async function findWrongState(
  context: CheckContext,
  expectations: readonly ExpectedState[],
): Promise<Finding | undefined> {
  const findFirst = async () => {
    const found = await Promise.all(expectations.map((expected) => checkState(context, expected)))
    return found.find((one) => one !== undefined)
  }
  if ((await findFirst()) === undefined) return undefined
  const isApplying = (await waitForEarlierEvents(context)) || !context.hasCredited
  const wrong = await findFirst()
  return wrong?.result === 'failed' && !isApplying ? appliesNothing(wrong.observed) : wrong
}

/** After an event that a worker could not process, it may have ended. */
export const appliesNothing = (observed: string): Finding => ({
  ...fail(`${observed}; a charge that was paid and accepted after it is not credited either`),
  appliesNothing: true,
  fix: 'The receiver accepts events, and applies none any more. Read the log of what processes them: it has probably stopped at an event. Let it go on with the next event after a failure.',
})

/** Throws `Found` with the first wrong state. Without a state URL, only what was tried is known. */
export async function expectStates(
  context: CheckContext,
  expectations: readonly ExpectedState[],
  tried = 'accepted',
): Promise<void> {
  const found = context.stateReader === null ? withoutStateUrl(tried) : await findWrongState(context, expectations)
  if (found !== undefined) throw new Found(found)
}

async function checkState(
  { stateReader, sender }: CheckContext,
  expected: ExpectedState,
): Promise<Finding | undefined> {
  if (stateReader === null) return undefined
  const { event, credited, minus, status, what, moreEvents = [] } = expected
  const effect = await stateReader.waitFor(event.transactionId, (now) => matches(expected, now))
  if (matches(expected, effect)) return undefined
  if ((effect.creditedParts === 0n && isRecovered(sender, [event])) || isRecovered(sender, moreEvents))
    return notAppliedAfterFailure(what)
  const less = minus === undefined ? 'credited once' : `less ${minus} credited`
  const right = credited === 'nothing' ? 'nothing credited' : `${String(event.data.amount)} ${less}`
  const observed = `${what}: ${describeState(effect)} instead of ${right}${status === undefined ? '' : `, status ${status}`}`
  return fail(observed, undefined, fixFor(expected, effect))
}

export const coveredByRetry = '; retry.after-failure covers this'

/**
 * Sends one more event and waits until it is applied; earlier events have been processed by then. Returns false if it was
 * accepted at once and not applied.
 */
export async function waitForEarlierEvents({ stateReader, testEvents, sender }: CheckContext): Promise<boolean> {
  if (stateReader === null) return true
  const event = await testEvents.createPaidCharge()
  const { accepted } = await sender.deliver(event)
  if (!accepted) return true
  const isApplied = ({ creditedParts }: TransactionState) => creditedParts !== 0n
  const effect = await stateReader.waitFor(event.transactionId, isApplied)
  return isApplied(effect) || isRecovered(sender, [event])
}

/** Whether the receiver accepts an event after one of these pauses. */
export async function isAnswering(
  { sender, testEvents, pause }: CheckContext,
  pausesMs: readonly number[],
): Promise<boolean> {
  for (const pauseMs of pausesMs) {
    await pause(pauseMs)
    if (isOk(await sender.send(await testEvents.createPaidCharge()))) return true
  }
  return false
}

/** Whether the first attempt of one of the events failed, and a later one was accepted. */
export const isRecovered = ({ log }: EventSender, events: readonly TestEvent[]): boolean =>
  log.recovered.some((attempt) => events.some(({ id }) => id === attempt.event.id))

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
