/** What a run will do and cost, and what it has shown: probe by probe, and in figures for each tier. */
import { bold, dim, paint, replaceControls } from '../../../inside/commands.js'
import { type FidelityTier, fidelityTiers } from '../../../inside/platform.js'
import { fieldsIn, keysOf, rowAt } from '../../../inside/values.js'
import type { DetailedComparison } from '../compare.js'
import type { Comparison, Finding } from '../judge/comparison.js'
import { count, listed } from '../judge/verdicts.js'
import { figuresOf, foundIn, type ProbeFigures, rowsIn } from './figures.js'
import { type ProbeId, type ProbeNeed, probeIds, probeNeeds, probeOf, probesByRow } from './probes.js'
import { subjectOf } from './receiver.js'
import { interruptedAtStart, type RunEnd } from './run.js'

export interface Planned {
  id: ProbeId
  /** What is missing; none: the probe runs. */
  missing: readonly ProbeNeed[]
}

/** Whether the account has a dispute shows during the run. */
export const planOf = (has: ReadonlySet<ProbeNeed>): Planned[] =>
  probeIds.map((id) => ({
    id,
    missing: (probeOf(id).needs ?? []).filter((need) => need !== 'dispute' && !has.has(need)),
  }))

/** What the probes create and spend, in sentences. */
export function costsOf(ids: readonly ProbeId[]): string[] {
  const calls = ids.flatMap((id) => (probeOf(id).needs?.includes('money') === true ? probeOf(id).calls : []))
  // A wrongly signed call costs nothing.
  const of = (...names: string[]) => calls.filter(({ to, signed }) => names.includes(to) && signed === undefined)
  const spent = new Map<string, number>()
  for (const { send } of of('cashout', 'pixPayment', 'conversion')) {
    const { amount, currency, base_currency: base } = fieldsIn(send)
    const name = String(currency ?? base ?? 'BRL')
    spent.set(name, (spent.get(name) ?? 0) + Number(amount))
  }
  const amounts = [...spent].map(([currency, amount]) => `${amount} ${currency}`).join(', ')
  const line = (number: number, text: string) => (number === 0 ? [] : [text])
  const [charges, wallets] = [of('cashin').length, of('wallet').length]
  return [
    ...line(charges, `${count(charges, 'charge')} of small amounts, which nobody has to pay`),
    ...line(wallets, `${count(wallets, 'fixed wallet')}, which stay`),
    ...line(
      spent.size,
      `${amounts} and the fees: ${count(of('cashout', 'pixPayment').length, 'withdrawal')}, to fixed wallets of the account or to destinations that do not exist, and ${count(of('conversion').length, 'conversion')}`,
    ),
  ]
}

/** The probes of a plan that run: nothing is missing, and no run before has completed them. */
export const leftOf = (plan: readonly Planned[], done: ReadonlySet<string>): ProbeId[] =>
  plan.flatMap(({ id, missing }) => (missing.length === 0 && !done.has(id) ? [id] : []))

export function planText(target: string, plan: readonly Planned[], done: ReadonlySet<string>): string {
  const running = leftOf(plan, done)
  const calls = running.reduce((sum, id) => sum + probeOf(id).calls.length, 0)
  const costs = costsOf(running)
  return [
    `${bold('probes')}  ${running.length} of ${plan.length}, ${count(calls, 'call')} to ${replaceControls(target)}`,
    `${bold('costs ')}  ${costs.length === 0 ? 'nothing: calls that read, and calls that the platform must reject' : costs.join('; ')}`,
    ...(done.size === 0 ? [] : [`${bold('done  ')}  ${count(done.size, 'probe')}, which the recording contains`]),
    ...skippedLines(plan),
  ].join('\n')
}

function skippedLines(plan: readonly Planned[]): string[] {
  const byNeed = new Map<string, number>()
  for (const { missing } of plan) {
    const needs = missing.map((need) => probeNeeds[need]).join(', ')
    if (needs !== '') byNeed.set(needs, (byNeed.get(needs) ?? 0) + 1)
  }
  return [...byNeed].map(([needs, number]) => dim(`not run: ${count(number, 'probe')}; missing: ${needs}`))
}

type ProbeResult = 'agreed' | 'differed' | 'failed' | 'skipped' | 'not_run'

export interface ProbeReport extends ProbeFigures {
  target: string
  /** `incomplete`: a probe of the plan has no result. */
  status: 'complete' | 'incomplete'
  /** Why the run ended early. */
  stopped: string | null
  file: string | null
  probes: { id: ProbeId; tier: FidelityTier; result: ProbeResult; detail: string | null }[]
  /** The sentences and assumptions that no probe of the run observed, and those that differ. */
  rows: {
    not_observed: string[]
    differ: string[]
    /** Of those that were not observed, the ones that a difference of something else hides, with that difference. */
    hidden: Record<string, string>
  }
  /** The probes that `--resume` makes. */
  left: ProbeId[]
  /** Probes that ran without observing the webhooks that they cause: there is no receiver, or none arrived at all. */
  without_webhooks: ProbeId[]
  /** null: nothing was recorded that can be compared. */
  comparison: Comparison | null
}

interface Ran {
  target: string
  file: string | null
  plan: readonly Planned[]
  end: RunEnd
  done: ReadonlySet<string>
  hasWebhooks: boolean
  compared: DetailedComparison | null
  /** The probe of an entry. */
  probeAt: (entry: number) => string
}

/** What the entries of each probe show. */
function observationsOf({ hasWebhooks, compared, probeAt }: Ran) {
  const leftOut = new Map([...(compared?.first.notCompared ?? [])].map(([entry, reason]) => [probeAt(entry), reason]))
  const arrived = [...(compared?.first.arrived ?? [])].map(([entry, event]) => ({ id: probeAt(entry), event }))
  /** The events of a probe instead of which the receiver acknowledged none, and none with another outcome. */
  const missingOf = (id: ProbeId): readonly string[] =>
    (probeOf(id).webhooks?.events ?? []).filter(
      (name) => hasWebhooks && !arrived.some((one) => one.id === id && subjectOf(one.event) === subjectOf(name)),
    )
  return { leftOut, missingOf }
}

export function reportOf(ran: Ran): ProbeReport {
  const { target, file, plan, end, done, hasWebhooks, compared, probeAt } = ran
  const { leftOut, missingOf } = observationsOf(ran)
  const probes = plan.map(({ id, missing: needs }) => {
    const [failure, found] = [
      end.failed.get(id),
      foundIn(compared?.first ?? { byEntry: new Map() }, probeAt, id, missingOf(id)),
    ]
    const result = (name: ProbeResult, detail: string | null = null) => ({
      id,
      tier: probeOf(id).tier,
      result: name,
      detail,
    })
    if (needs.length > 0) return result('skipped', needs.map((need) => probeNeeds[need]).join(', '))
    if (end.skipped.has(id)) return result('skipped', probeNeeds.dispute)
    if (failure !== undefined) return result('failed', failure)
    if (!done.has(id)) return result('not_run')
    if (found.length > 0) return result('differed', listed([...new Set(found.map(placeOf))], mostPlaces))
    const missing = [...new Set(missingOf(id))].join(', ')
    if (missing !== '') return result('failed', `${missing} did not arrive, and no answer shows that it was due`)
    const reason = leftOut.get(id)
    return reason === undefined ? result('agreed') : result('skipped', reason)
  })
  const isComplete = probes.every(({ result }) => result !== 'failed' && result !== 'not_run')
  const observable = [...probesByRow().keys()].map(String)
  const complete = plan.flatMap(({ id }) => (done.has(id) ? [id] : []))
  const none = { observed: new Set<string>(), differing: new Set<string>(), hidden: new Map<string, string>() }
  const { observed, differing, hidden } = compared === null ? none : rowsIn(compared, probeAt, complete)
  const silent = plan.flatMap(({ id }) =>
    end.unheard.has(id) || (!hasWebhooks && done.has(id) && probeOf(id).webhooks !== undefined) ? [id] : [],
  )
  return {
    rows: {
      not_observed: observable.filter((row) => !observed.has(row) && !differing.has(row)),
      differ: [...differing],
      hidden: Object.fromEntries(hidden),
    },
    ...{ target, status: isComplete ? 'complete' : 'incomplete', stopped: end.stopped, file, probes },
    ...figuresOf(observed, differing),
    left: leftOf(plan, done).filter((id) => !end.skipped.has(id)),
    without_webhooks: silent,
    comparison: compared?.report ?? null,
  }
}

/** Of a probe that differs. */
const mostPlaces = 6
const placeOf = ({ call, path }: Finding) => `${call} ${path}`

/** The report in words lists no more rows. */
const mostRows = 40
function rowLines({ not_observed: missing, differ, hidden }: ProbeReport['rows']): string[] {
  const line = (words: string, rows: string[]) => (rows.length === 0 ? [] : [`  ${words}: ${listed(rows, mostRows)}`])
  const because = (cause: string | undefined) => missing.filter((row) => rowAt(hidden, row) === cause)
  return [
    ...line('not observed', because(undefined)),
    ...[...new Set(Object.values(hidden))].flatMap((cause) =>
      line(`not observed, hidden by ${replaceControls(cause)}`, because(cause)),
    ),
    ...line('differ', differ),
  ]
}

const marks: Record<ProbeResult, string> = {
  agreed: 'agrees',
  differed: 'differs',
  failed: 'not observed',
  skipped: 'skipped',
  not_run: 'not run',
}

export function reportText(report: ProbeReport): string {
  const { probes, coverage, divergence, stopped, status } = report
  const numberOf = (result: ProbeResult) => probes.filter((one) => one.result === result).length
  const rows = fidelityTiers.map((tier) => {
    const [{ observed = 0, of = 0 } = {}, { differs = 0, of: shown = 0 } = {}] = [coverage[tier], divergence[tier]]
    return `  ${tier.padEnd(12)}${`${observed} of ${of}`.padEnd(20)}${differs} of ${shown}`
  })
  const results = keysOf(marks).flatMap((name) => (numberOf(name) === 0 ? [] : [`${numberOf(name)} ${marks[name]}`]))
  return [
    `${bold('probes')}  ${results.join(', ')}`,
    ...shownLines(probes),
    ...silentLines(report),
    '',
    `  ${dim('tier        observed            differ')}`,
    ...rows,
    `  ${dim('Observed: of what probes can observe. The page of fidelity counts all that is documented or assumed.')}`,
    ...rowLines(report.rows),
    ...(stopped === null && status === 'complete' && report.comparison !== null ? [] : ['']),
    ...(stopped === null ? [] : [paint('red', `The run ended early: ${replaceControls(stopped)}.`)]),
    ...(status === 'complete' ? [] : [adviceOf(report)]),
    ...(report.comparison === null ? ['Nothing was recorded that can be compared.'] : []),
    '',
  ].join('\n')
}

function adviceOf({ stopped, probes, left, file }: ProbeReport): string {
  const isFresh = probes.every(({ result }) => result === 'not_run' || result === 'skipped')
  if (stopped === interruptedAtStart && isFresh) return 'Nothing was called or written. Start it again.'
  if (left.length === 0) return 'The run is complete, but some webhooks did not arrive.'
  return `Continue it with --resume${file === null ? ' (this requires --out)' : ''}.`
}

/** Probes that were not observed for one reason share a line. */
function shownLines(probes: ProbeReport['probes']): string[] {
  const failed = probes.filter(({ result }) => result === 'failed')
  const reasons = [...new Set(failed.map(({ detail }) => detail))]
  const idsOf = (reason: string | null) => failed.filter(({ detail }) => detail === reason).map(({ id }) => id)
  const line = (tone: 'red' | 'yellow', result: ProbeResult, ids: string, detail: string | null) =>
    `  ${paint(tone, marks[result])}  ${ids}: ${replaceControls(detail ?? '')}`
  return [
    ...probes.flatMap(({ id, result, detail }) => (result === 'differed' ? [line('yellow', result, id, detail)] : [])),
    ...reasons.map((reason) => line('red', 'failed', idsOf(reason).join(', '), reason)),
  ]
}

function silentLines({ without_webhooks: ids, probes }: ProbeReport): string[] {
  const ran = ids.filter((id) => probes.some((one) => one.id === id && one.result !== 'failed'))
  return ran.length === 0
    ? []
    : [dim(`  without ${probeNeeds.webhooks}, no webhooks were observed of: ${ran.join(', ')}`)]
}
