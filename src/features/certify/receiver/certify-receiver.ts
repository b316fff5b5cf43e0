/** Certifies a receiver: checks every rule, in a separate workspace, within a time limit. */
import { hourMs, keysOf, messageOf, minuteMs } from '../../../inside/values.js'
import { advanceClock, closeWorkspace, type Workspace } from '../../../inside/workspace.js'
import { certifyLoad } from '../load/certify-load.js'
import { loadOptionsOf } from '../load/report.js'
import type { RuleReport } from '../report/evidence.js'
import {
  type Finding,
  fail,
  inconclusive,
  missingOptions,
  notTested,
  pass,
  type RuleRow,
  reportOf,
  ruleReport,
  skipped,
} from '../report/rules.js'
import type { CertifyOptions, ReceiverReport } from '../routes.js'
import { CheckContext, describeResponse, Found, type Progress } from './check-context.js'
import { usualMs } from './checks/answers.js'
import { checks, measuredChecks } from './checks/index.js'
import { type ReceiverRule, receiverRuleIds, receiverRules } from './rules.js'
import { StateUnavailable, stateErrorOf } from './state-reader.js'
import { TestEvents } from './test-events.js'
import { timeLimitFor, timeOver } from './timing.js'

/** Age of the events that count as missed by the receiver. */
const missedAgeMs = hourMs + 15 * minuteMs
/** Within two seconds a supervisor may restart a receiver after a crash. */
const restartPausesMs = [0, 100, 300, 600, 1000]
/** If the receiver answers more slowly than this, several rules are checked at the same time. */
const slowMs = 300
const rulesAtATime = 6

const stateUnread = 'the state could not be read'
const stateFix = 'Check the address of the state URL, and that it answers in the documented format.'

/** Closes `ws` at the end; it must be new and unused by others. Returns a report whatever the receiver does. */
export async function certifyReceiver(
  ws: Workspace,
  options: CertifyOptions,
  progress: Progress,
): Promise<ReceiverReport> {
  try {
    const context = await createCheckContext(ws, options)
    const run = new Run(context, progress)
    const report =
      options.load === undefined
        ? await run.report()
        : await certifyLoad(context, loadOptionsOf(options.load), progress)
    return { ...report, ...stateErrorOf(context.stateReader) }
  } finally {
    closeWorkspace(ws)
  }
}

/**
 * These rules do not affect others if they get no response: the first tests whether the receiver responds at all, the second
 * uses another address.
 */
const independentRules: ReadonlySet<ReceiverRule> = new Set(['accept.signed', 'production.https'])

class Run {
  readonly #reports = new Map<string, RuleReport<ReceiverRule>>()
  /** The rules that could not be checked, with the failed rule that prevented it. */
  readonly #blockedBy = new Map<string, ReceiverRule>()
  /** The rules without a decision that prevent others all the same. */
  readonly #blocking = new Set<ReceiverRule>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #startedMs: number
  #cancelAlarm = () => {}
  /** The rule after which no other is tested, and why. */
  #stopped: { by: ReceiverRule; why: string } | null = null
  /** The first rule for which the state could not be read; its finding has the reason. */
  #stateless: ReceiverRule | null = null

  constructor(
    readonly context: CheckContext,
    readonly progress: Progress,
  ) {
    this.#startedMs = context.workspace.clock.wall()
  }

  async #all(): Promise<void> {
    for (const id of keysOf(checks)) {
      const { after = [], alone }: RuleRow = receiverRules[id]
      const width = alone === true || !this.#isSlow() ? 1 : rulesAtATime
      const mayStart = () => this.#running.size < width && after.every((name) => this.#reports.has(name))
      while (!mayStart() && this.#running.size > 0) await Promise.race(this.#running.values())
      if (this.#isOver()) return
      const running = this.#testRule(id).finally(() => this.#running.delete(id))
      this.#running.set(id, running)
      if (alone === true) await running
    }
    await Promise.all(this.#running.values())
  }

  /** Resolves at the time limit, which may become longer while the receiver is measured. */
  async #timeOver(): Promise<void> {
    while (this.#leftMs() > 0)
      await new Promise<void>((resolve) => {
        this.#cancelAlarm = this.context.workspace.callAfter(this.#leftMs(), resolve)
      })
  }

  async report(): Promise<ReceiverReport> {
    await Promise.race([this.#all(), this.#timeOver()])
    this.#cancelAlarm()
    for (const id of receiverRuleIds) {
      if (this.#reports.has(id)) continue
      const measured = this.#findMissingOption(id) ?? measuredChecks[id]?.(this.context) ?? pass('')
      this.#record(id, measured.result === 'passed' ? inconclusive(timeOver(this.#limitMs())) : measured)
    }
    return reportOf(receiverRuleIds.flatMap((id) => this.#reports.get(id) ?? []))
  }

  #findMissingOption(id: ReceiverRule): Finding | undefined {
    const { needs }: RuleRow = receiverRules[id]
    const { options, stateReader } = this.context
    const isGiven: Partial<Record<keyof typeof missingOptions, boolean>> = {
      stateUrl: stateReader !== null,
      restart: options.restart !== undefined,
      productionMode: options.mode === 'production',
      productionUrl: options.production_url !== undefined,
    }
    return needs === undefined || isGiven[needs] === true ? undefined : skipped(missingOptions[needs])
  }

  async #testRule(id: ReceiverRule): Promise<void> {
    const blocking = this.#findBlockingRule(id)
    if (blocking !== undefined) {
      this.#block(id, blocking, `${blocking} ${this.#blocking.has(blocking) ? 'could not be decided' : 'failed'}`)
      return
    }
    if (this.#stopped !== null && !independentRules.has(id)) {
      this.#record(id, notTested(this.#stopped.by, this.#stopped.why))
      return
    }
    const finding = this.#findMissingOption(id) ?? (await this.#runCheck(id))
    this.#record(id, finding)
    const stop = (why: string) => {
      this.#stopped ??= { by: id, why }
    }
    if (finding.appliesNothing === true) stop(`the receiver applied nothing any more after ${id}`)
    const { status, outcome } = finding.attempt?.result ?? {}
    if (status !== null || independentRules.has(id)) return
    // Each further test of a receiver with one connection at a time would wait for its connections to close.
    if (id === 'answer.many' && outcome === 'timeout')
      stop(`${id} failed: requests wait for each other, so each further test would take minutes`)
    else if (!(await this.context.isAnswering(restartPausesMs))) stop(`the receiver stopped answering after ${id}`)
  }

  /** Returns the failed rule that prevents this one. If that rule was itself prevented, returns its cause. */
  #findBlockingRule(id: ReceiverRule): ReceiverRule | undefined {
    const { after = [] }: RuleRow = receiverRules[id]
    for (const name of receiverRuleIds.filter((one) => after.includes(one))) {
      const root = this.#blockedBy.get(name) ?? name
      // What is not known about charges prevents only what reads charges.
      if (this.#reports.get(root)?.result === 'failed' || (this.#blocking.has(root) && after.includes(root)))
        return root
    }
    return undefined
  }

  #block(id: ReceiverRule, by: ReceiverRule, why: string): void {
    this.#blockedBy.set(id, by)
    this.#record(id, notTested(by, why))
  }

  async #runCheck(id: ReceiverRule): Promise<Finding> {
    try {
      const found = await checks[id](this.context)
      return typeof found === 'string' ? pass(found) : found
    } catch (error) {
      if (error instanceof Found) return error.finding
      if (error instanceof StateUnavailable) return this.#findWithoutState(id, error)
      return inconclusive(`the check could not run: ${messageOf(error)}`)
    }
  }

  #findWithoutState(id: ReceiverRule, { message }: StateUnavailable): Finding {
    if (this.#stateless !== null) return notTested(this.#stateless, stateUnread)
    this.#stateless = id
    return { ...inconclusive(message), fix: stateFix }
  }

  /** The first result of a rule counts. */
  #record(id: ReceiverRule, finding: Finding): void {
    if (this.#reports.has(id)) return
    // A receiver that does not answer fails `answer.in-time`, not the rule about signatures.
    if (id === 'accept.signed' && finding.attempt?.result.outcome === 'timeout') {
      this.#record('answer.in-time', fail(describeResponse(finding.attempt), finding.attempt))
      this.#block(id, 'answer.in-time', 'answer.in-time failed')
      return
    }
    if (finding.blocks === true) this.#blocking.add(id)
    const hasAccepted =
      this.context.sender.log.accepted.length > 0 && finding.attempt?.request.url === this.context.options.url
    const rule = ruleReport<ReceiverRule>(receiverRules, id, finding, hasAccepted)
    this.#reports.set(id, rule)
    const left = receiverRuleIds.length - this.#reports.size
    this.progress.onRule(rule, { left, left_ms: Math.max(0, this.#leftMs()) })
  }

  #isSlow = () => usualMs(this.context.sender.log.accepted) > slowMs
  #isOver = () => this.progress.isCanceled() || this.#leftMs() <= 0
  #limitMs = () => this.context.options.time_limit ?? timeLimitFor(this.#answerMs())
  /** A receiver with one thread delays the state URL, not the events. */
  #answerMs = () => usualMs(this.context.sender.log.accepted) + (this.context.stateReader?.usualMs() ?? 0)
  #leftMs = () => this.#startedMs + this.#limitMs() - this.context.workspace.clock.wall()
}

/** Creates the missed events on a clock that is behind, then advances the clock to the present. */
async function createCheckContext(ws: Workspace, options: CertifyOptions): Promise<CheckContext> {
  const { wall } = ws.clock
  ws.clock.restore({ mode: 'manual', offsetMs: 0, frozenAtMs: wall() - missedAgeMs })
  const testEvents = new TestEvents(ws)
  const missed = {
    ...(await testEvents.createRefundedCharge()),
    repeated: await testEvents.createPaidCharge(),
    lone: await testEvents.createPaidCharge(),
  }
  await advanceClock(ws, () => ({ toMs: wall() }), { waitMs: null })
  return new CheckContext(ws, options, testEvents, missed)
}
