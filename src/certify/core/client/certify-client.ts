/** Certifies a client: watches its calls, puts hardships in its way, and judges in the end. */

import type { Workspace } from '../../../core/unit/workspace.js'
import { type ClientRule, clientRuleIds, clientRules } from '../../protocol/client-rules.js'
import { reportOf } from '../../protocol/report.js'
import type { Report, RuleReport, RuleRow } from '../../protocol/rules.js'
import { blocked, type Finding } from '../bench.js'
import { createEffects } from '../effects.js'
import { type ClientCall, followCalls } from './calls.js'
import { Hardships } from './hardships.js'
import * as callJudges from './judge-calls.js'
import * as repeatJudges from './judge-repeats.js'
import * as worldJudges from './judge-world.js'
import { Lag } from './lag.js'
import type { ClientLog } from './log.js'
import { warnedCalls } from './warned-calls.js'
import { World } from './world.js'

export interface ClientOptions {
  /** Nothing is put in its way. */
  observe: boolean
  /** Tells what has become of a transaction. */
  effects: string | null
  /** The sandbox answers with fields that nobody has heard of. */
  hasMoreFields: boolean
}

export interface WatchedClient {
  /** Calls so far. */
  readonly calls: number
  /** Ends the watching, and judges. */
  report(end: { failed: boolean }): Promise<Report>
}

type Judge = (log: ClientLog) => Finding | Promise<Finding>

const judges: Record<ClientRule, Judge> = {
  'token.reused': callJudges.reused,
  'token.renewed': callJudges.renewed,
  'sign.body': callJudges.signedBody,
  'sign.nonce': callJudges.freshNonce,
  'sign.time': callJudges.signedNow,
  'repeat.named': callJudges.named,
  'repeat.done': repeatJudges.done,
  'repeat.same': repeatJudges.same,
  'repeat.pauses': repeatJudges.pauses,
  'repeat.ends': repeatJudges.ends,
  'repeat.not': repeatJudges.notRepeated,
  'wait.rate': repeatJudges.waitedForRate,
  'wait.lockout': repeatJudges.waitedForLockout,
  'amounts.decimal': callJudges.decimal,
  'answers.more-fields': callJudges.tolerant,
  'withdrawal.pending': worldJudges.pending,
  'withdrawal.failed': worldJudges.failed,
  'withdrawal.refunded': worldJudges.refunded,
  'missed.found': worldJudges.found,
  'dispute.answered': worldJudges.answered,
}

/** `ws` is that of a sandbox which the client alone uses; withdrawals must not settle by themselves. */
export async function watchClient(
  ws: Workspace,
  { observe, effects, hasMoreFields }: ClientOptions,
): Promise<WatchedClient> {
  const pause = (delayMs: number) => new Promise<void>((resolve) => void ws.alarm(delayMs, resolve))
  const asked = { send: ws.send, pause, wallMs: ws.clock.wall, about: 'status' } as const
  const told = effects === null ? null : createEffects({ ...asked, url: effects })
  const world = new World(ws, told)
  const lag = new Lag(ws)
  // Only a busy machine keeps them from telling: with fewer attempts another outage would be no better.
  const isTold = (struck: ClientLog['struck']) =>
    lag.isQuiet || repeatJudges.pauses({ struck, lag }).result !== 'unseen'
  const hardships = new Hardships(ws, isTold)
  const calls: ClientCall[] = []
  const stop = followCalls(ws, (call) => {
    calls.push(call)
    if (!observe) {
      hardships.see(call)
      world.see(call)
    }
  })
  if (!observe) await hardships.start()
  return {
    get calls() {
      return calls.length
    },
    async report({ failed }) {
      stop()
      lag.stop()
      await hardships.settled()
      await world.settled()
      const { struck, expiredMs } = hardships
      const seen = { calls, struck, expiredMs, world, lag, failed }
      return judge({ ...seen, hasEffects: told !== null, hadMoreFields: hasMoreFields })
    },
  }
}

async function judge(log: ClientLog): Promise<Report> {
  const found = new Map<string, RuleReport>()
  for (const id of clientRuleIds) {
    const { duty, source, severity, tried, mend, after = [] }: RuleRow = clientRules[id]
    const by = blockingOf(after, found)
    const { result, seen } = by === undefined ? await judges[id](log) : blocked(by, `${by} failed`)
    const rule = { id, duty, source, severity, result, seen, tried, mend, evidence: null }
    found.set(id, by === undefined ? rule : { ...rule, blocked_by: by })
  }
  return { ...reportOf([...found.values()]), warnings: warnedCalls(log.calls) }
}

/** The broken rule at the root. */
function blockingOf(after: readonly string[], found: ReadonlyMap<string, RuleReport>): string | undefined {
  for (const name of after) {
    const rule = found.get(name)
    if (rule?.result === 'broken') return name
    if (rule?.blocked_by !== undefined) return rule.blocked_by
  }
  return undefined
}
