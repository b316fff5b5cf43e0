/** The load test of a receiver: one signed event, the load, the state of the charges, and the search for the limit. */
import { keysOf } from '../../../inside/values.js'
import type { CheckContext, Progress } from '../receiver/check-context.js'
import { signed as checkSignedEvent } from '../receiver/checks/accept.js'
import { type Finding, missingOptions, notTested, reportOf, ruleReport, skipped } from '../report/rules.js'
import type { ReceiverReport } from '../routes.js'
import { createEventSource } from './event-source.js'
import { findLimit } from './find-limit.js'
import { EffectSample, judgeLoad } from './judge-load.js'
import { loadLimits } from './profiles.js'
import type { LoadOptions } from './report.js'
import { type LoadRule, loadRuleIds, loadRules } from './rules.js'
import { sendLoad } from './send-load.js'

type Findings = Record<Exclude<LoadRule, 'accept.signed' | 'load.recovers'>, Finding>

export async function certifyLoad(
  context: CheckContext,
  options: LoadOptions,
  progress: Progress,
): Promise<ReceiverReport> {
  const { clock } = context.workspace
  const endMs = clock.wall() + loadLimits.durationMs
  // A load runs in real time.
  clock.restore({ mode: 'realtime', offsetMs: 0, frozenAtMs: null })
  let left = loadRuleIds.length
  const report = (id: LoadRule, finding: Finding) => {
    const rule = ruleReport<LoadRule>(loadRules, id, finding)
    progress.onRule(rule, { left: --left })
    return rule
  }
  const first = report('accept.signed', await checkSignedEvent(context))
  if (first.result === 'failed') {
    const others = loadRuleIds.slice(1).map((id) => report(id, notTested(first.id, `${first.id} failed`)))
    return reportOf<LoadRule>([first, ...others])
  }
  const source = createEventSource(context.workspace, context.testEvents)
  const sample = new EffectSample()
  const log = await sendLoad(context, source, options, {
    resends: true,
    isCanceled: progress.isCanceled,
    onSpan: (span) => progress.onLoad?.({ span, for_ms: options.durationMs }),
    onAcknowledged: (sent, attempts) => sample.add(sent, attempts),
  })
  const { effects, finding } = await sample.judge(context.stateReader)
  const findings: Findings = { ...judgeLoad(log), 'load.once': finding }
  const rules = keysOf(findings).map((id) => report(id, findings[id]))
  const search = options.findLimit
    ? await findLimit(context, source, options, progress, {
        ...{ endMs, acknowledged: log.acknowledged, failing: log.eventsThatAlwaysFail() },
      })
    : null
  rules.push(report('load.recovers', search?.finding ?? skipped(missingOptions.findLimit)))
  const { rate, durationMs: for_ms, profile } = options
  const load = { rate, for_ms, profile, ...log.report(), effects, limit: search?.limit ?? null }
  return { ...reportOf<LoadRule>([first, ...rules]), load }
}
