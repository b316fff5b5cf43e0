/** Certifies a receiver: every rule tried in its turn, in a workspace of its own, within a bound of time. */

import { hourMs, minuteMs } from '../../base/duration.js'
import { keysOf } from '../../base/keys.js'
import { credentialForEvents, requireAccount } from '../../core/auth/account.js'
import { advanceClock } from '../../core/clock/advances.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { closeWorkspace } from '../../core/workspace/closing.js'
import { fixFor } from '../protocol/observed.js'
import { type ReceiverRule, receiverRuleIds, receiverRules } from '../protocol/receiver-rules.js'
import { reportOf } from '../protocol/report.js'
import type { Evidence, Report, RuleReport, RuleRow } from '../protocol/rules.js'
import { answerOf, type Bench, blocked, broken, type CertifyOptions, type Finding, unseen } from './bench.js'
import { createCast, merchant } from './cast.js'
import { createEffects, EffectsFault } from './effects.js'
import { trials } from './trials/index.js'
import { createWire, type Hit, isOk } from './wire.js'

/** After this long, what is not known yet stays unseen. */
export const longestMs = 2 * minuteMs
/** What was missed was missed so long ago. */
const absenceMs = hourMs + 15 * minuteMs
/** A receiver that takes longer is asked several things at a time. */
const slowMs = 300
const rulesAtATime = 6

export interface Progress {
  /** Called for each rule as soon as it is known. */
  onRule: (rule: RuleReport) => void
  /** Nobody wants to know any more: what is not known yet stays unseen. */
  isOver: () => boolean
}

/** `ws` is a fresh workspace that nobody else knows, and is closed afterwards. Whatever the receiver does ends in a report. */
export async function certifyReceiver(
  ws: Workspace,
  options: CertifyOptions,
  progress: Progress,
): Promise<Report<ReceiverRule>> {
  try {
    const run = new Run(await prepare(ws, options), progress)
    let cancel = () => {}
    const late = new Promise<void>((resolve) => {
      cancel = ws.alarm(longestMs, resolve)
    })
    await Promise.race([run.all(), late])
    cancel()
    return run.report()
  } finally {
    closeWorkspace(ws)
  }
}

/** Whether the receiver is there at all, and what another address answers: its silence says nothing about the rest. */
const others: ReadonlySet<ReceiverRule> = new Set(['accept.signed', 'production.https'])

class Run {
  readonly #found = new Map<string, RuleReport<ReceiverRule>>()
  /** Rules about which nothing could be told, because another one is broken. */
  readonly #blockedBy = new Map<string, ReceiverRule>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #untilMs: number
  /** After which rule the receiver was there no more. */
  #goneAfter: ReceiverRule | null = null

  constructor(
    readonly bench: Bench,
    readonly progress: Progress,
  ) {
    this.#untilMs = bench.ws.clock.wall() + longestMs
  }

  async all(): Promise<void> {
    for (const id of keysOf(trials)) {
      const { after = [], alone }: RuleRow = receiverRules[id]
      const width = alone === true || !this.#isSlow() ? 1 : rulesAtATime
      const mayStart = () => this.#running.size < width && after.every((name) => this.#found.has(name))
      while (!mayStart() && this.#running.size > 0) await Promise.race(this.#running.values())
      if (this.#isOver()) return
      const trying = this.#try(id).finally(() => this.#running.delete(id))
      this.#running.set(id, trying)
      if (alone === true) await trying
    }
    await Promise.all(this.#running.values())
  }

  report(): Report<ReceiverRule> {
    for (const id of receiverRuleIds) this.#note(id, unseen('it was over before this could be tried'))
    const rules = receiverRuleIds.flatMap((id) => this.#found.get(id) ?? [])
    return reportOf(rules)
  }

  async #try(id: ReceiverRule): Promise<void> {
    const blocking = this.#blocking(id)
    if (blocking !== undefined) {
      this.#block(id, blocking, `${blocking} failed`)
      return
    }
    if (this.#goneAfter !== null && !others.has(id)) {
      this.#note(id, blocked(this.#goneAfter, `the receiver stopped answering after ${this.#goneAfter}`))
      return
    }
    const finding = await this.#tried(id)
    this.#note(id, finding)
    const isSilent = finding.hit?.result.status === null && !others.has(id)
    if (isSilent && !(await isThere(this.bench))) this.#goneAfter ??= id
  }

  /** The broken rule at the root: one that is blocked itself names what blocks it. */
  #blocking(id: ReceiverRule): ReceiverRule | undefined {
    const { after = [] }: RuleRow = receiverRules[id]
    for (const name of receiverRuleIds.filter((one) => after.includes(one))) {
      const root = this.#blockedBy.get(name) ?? (this.#found.get(name)?.result === 'broken' ? name : undefined)
      if (root !== undefined) return root
    }
    return undefined
  }

  #block(id: ReceiverRule, by: ReceiverRule, why: string): void {
    this.#blockedBy.set(id, by)
    this.#note(id, blocked(by, why))
  }

  async #tried(id: ReceiverRule): Promise<Finding> {
    try {
      return await trials[id](this.bench)
    } catch (error) {
      if (error instanceof EffectsFault) return unseen(error.message)
      return unseen(`it could not be tried: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** What was known first stays. */
  #note(id: ReceiverRule, finding: Finding): void {
    if (this.#found.has(id)) return
    // A receiver that is silent breaks the rule about silence, not the one about signatures.
    if (id === 'accept.signed' && finding.hit?.result.outcome === 'timeout') {
      this.#note('answer.in-time', broken(answerOf(finding.hit), finding.hit))
      this.#block(id, 'answer.in-time', 'answer.in-time failed')
      return
    }
    const rule = ruleReport(id, finding)
    this.#found.set(id, rule)
    this.progress.onRule(rule)
  }

  #isSlow = () => (this.bench.wire.log.accepted[0]?.result.durationMs ?? 0) > slowMs
  #isOver = () => this.progress.isOver() || this.bench.ws.clock.wall() >= this.#untilMs
}

function ruleReport(id: ReceiverRule, { result, seen, hit, blockedBy }: Finding): RuleReport<ReceiverRule> {
  const row: RuleRow = receiverRules[id]
  const { duty, source, severity, tried } = row
  const evidence = hit === undefined ? null : evidenceOf(hit)
  const by = receiverRuleIds.find((one) => one === blockedBy)
  return {
    ...{ id, duty, source, severity, result, seen, tried },
    mend: fixFor(row, evidence?.answer),
    evidence,
    ...(by === undefined ? {} : { blocked_by: by }),
  }
}

const evidenceOf = ({ request: { url, headers, body }, result }: Hit): Evidence => ({
  request: { url, headers, body },
  answer: {
    outcome: result.outcome,
    status: result.status,
    body: result.responseBody,
    duration_ms: Math.round(result.durationMs),
  },
})

/** What was missed is made on a clock that is behind, and the hour in between walked through. */
async function prepare(ws: Workspace, options: CertifyOptions): Promise<Bench> {
  const { wall } = ws.clock
  ws.clock.restore({ mode: 'manual', offsetMs: 0, frozenAtMs: wall() - absenceMs })
  const cast = createCast(ws)
  const missed = { ...(await cast.refunded()), repeated: await cast.paid(), lone: await cast.paid() }
  await advanceClock(ws, () => ({ toMs: wall() }), { waitMs: null })
  const pause = (delayMs: number) => new Promise<void>((resolve) => void ws.alarm(delayMs, resolve))
  const credential = credentialForEvents(ws.db, requireAccount(ws.db, merchant).seq, null)
  const secret = credential?.webhookSecret ?? ''
  const isSandbox = options.mode === 'sandbox'
  return {
    ws,
    options,
    cast,
    missed,
    pause,
    refusals: [],
    wire: createWire({ send: ws.send, wallMs: wall, url: options.url, secret, sandbox: isSandbox }),
    effects:
      options.effects === null
        ? null
        : createEffects({ send: ws.send, url: options.effects, pause, wallMs: wall, about: 'credited' }),
  }
}

const backMs = [0, 100, 300, 600, 1000]

/** A receiver that fell over may be started again by whatever watches over it. */
async function isThere({ wire, cast, pause }: Bench): Promise<boolean> {
  for (const delayMs of backMs) {
    await pause(delayMs)
    if (isOk(await wire.fire(await cast.paid()))) return true
  }
  return false
}
