/** The load test on the page: its fields, the charts while it runs and afterwards, and the figures. */

import type { Child } from 'hono/jsx/dom'
import type { LoadReport } from '../../../inside/client.js'
import {
  Both,
  Chart,
  Facts,
  type Failed,
  FieldRow,
  Legend,
  Panel,
  Said,
  type Series,
  said,
  sentence,
  t,
} from '../../../inside/pages.js'
import { capitalized, keysOf } from '../../../inside/values.js'
import { loadFigures, loadTitle } from './figures.js'
import { formatRate, type LoadProfile, loadDurationHelp, loadProfileNames, loadProfiles } from './profiles.js'

export type Span = LoadReport['timeline'][number]
type Step = NonNullable<LoadReport['limit']>['steps'][number]

/** The fields of the form, as they are typed. */
export interface LoadFields {
  rate: string
  for: string
  profile: LoadProfile
  find_limit: string
}

export const noLoad: LoadFields = { rate: '20/s', for: '', profile: 'steady', find_limit: '' }

const fields = {
  rate: { label: 'Rate', required: true, hint: 'Events per second, such as 20/s.' },
  for: { label: 'Duration', hint: `${capitalized(loadDurationHelp)}.` },
  profile: { label: 'Profile', kind: 'choice', required: true, choices: loadProfileNames },
  find_limit: {
    label: 'Find the limit',
    kind: 'check',
    hint: 'Then also find the highest rate that the receiver sustains.',
  },
} as const

export const loadFields = keysOf(fields).map((name) => ({ name: `load.${name}` }))

/** The field of the request. */
export const loadOf = ({ rate, for: duration, profile, find_limit: findLimit }: LoadFields) => ({
  load: { rate: rate.trim(), for: duration.trim() || undefined, profile, find_limit: findLimit === 'true' },
})

interface LoadFormProps {
  load: LoadFields
  error: Failed | null
  change: (load: LoadFields) => void
}

export const LoadForm = ({ load, error, change }: LoadFormProps) => {
  const hint = t`How the rate changes over time: ${t(loadProfiles[load.profile].title)}.`
  return (
    <div class="load-form">
      {keysOf(fields).map((name) => (
        <FieldRow
          key={name}
          field={{ hint, ...fields[name], name: `load.${name}`, value: load[name] }}
          error={error}
          onInput={(value) => change({ ...load, [name]: value })}
        />
      ))}
    </div>
  )
}

interface ChartsProps {
  timeline: readonly Span[]
  /** How long events are sent; what is attempted later are retries. */
  forMs: number
}

/** Two charts while events are sent: acknowledgement times, and attempts; then what came later. */
export const LoadCharts = ({ timeline, forMs }: ChartsProps) => {
  const spans = timeline.filter(({ at_ms: atMs }) => atMs < forMs)
  const values = (of: (span: Span) => number) => spans.map(of)
  const inASecond = (count: (span: Span) => number) => values((span) => (count(span) * 1000) / span.span_ms)
  const totals = (list: readonly Span[]) =>
    [acknowledgedIn, failedIn].map((count) => list.reduce((sum, span) => sum + count(span), 0))
  const [lateAcknowledged = 0, lateFailed = 0] = totals(timeline.slice(spans.length))
  return (
    <>
      <div class="plots">
        <Plot
          name="Acknowledgement time"
          spans={spans}
          unit="ms"
          series={[{ name: 'p95', tone: 'in', values: values(({ p95_ms: p95 }) => p95 ?? 0) }]}
          totals={[t`highest ${Math.max(0, ...values(({ p95_ms: p95 }) => p95 ?? 0))} ms`]}
        />
        <Plot
          name="Attempts per second"
          spans={spans}
          series={[
            { name: 'Acknowledged', tone: 'ok', values: inASecond(acknowledgedIn) },
            { name: 'Failed', tone: 'bad', values: inASecond(failedIn) },
          ]}
          totals={totals(spans)}
        />
      </div>
      {lateFailed + lateAcknowledged === 0 ? null : (
        <p class="faint">
          {t`Attempts after the last event was sent: ${lateAcknowledged} acknowledged, ${lateFailed} failed.`}
        </p>
      )}
    </>
  )
}

const acknowledgedIn = ({ acknowledged }: Span) => acknowledged
const failedIn = ({ failed }: Span) => failed

const tickSeconds = [1, 2, 5, 10, 20, 30, 60]
/** About this many times stand on the axis. */
const mostTicks = 7

/** From tick to tick, in spans: whole, round seconds. */
const tickEvery = (spans: readonly Span[]): number => {
  const { at_ms: atMs = 0, span_ms: spanMs = 1 } = spans.at(-1) ?? {}
  const seconds = tickSeconds.find((one) => atMs < one * 1000 * mostTicks) ?? 120
  return (seconds * 1000) / spanMs
}

interface PlotProps {
  name: string
  spans: readonly Span[]
  series: readonly Series[]
  unit?: string
  /** Beside the series in the legend. */
  totals: readonly Child[]
}

const Plot = ({ name, spans, series, unit = '', totals }: PlotProps) => {
  return (
    <figure class="plot">
      <figcaption>
        <strong>{name}</strong>
        <Legend series={series.map((one, at) => ({ ...one, total: totals[at] }))} />
      </figcaption>
      <Chart
        stacked
        {...{ label: name, series, unit }}
        spans={spans.map(({ at_ms: atMs }) => ({
          ...{ key: String(atMs), tick: `${atMs / 1000} s`, title: `${atMs / 1000} s` },
        }))}
        every={tickEvery(spans)}
      />
    </figure>
  )
}

/** Each part of a figure is a text of its own. */
const inBoth = (text: string) => new Both(text.split(', ').map(said).join(', '), text)

export const LoadResults = ({ load }: { load: LoadReport }) => {
  const steps = load.limit?.steps ?? []
  return (
    <Panel title="Load" tools={<span class="faint">{inBoth(loadTitle(load)).own}</span>}>
      <LoadCharts timeline={load.timeline} forMs={load.for_ms} />
      <Facts
        rows={[...loadFigures(load), ...steps.map(stepRow)].map(([name, value]) => [
          sentence(name),
          <Said text={inBoth(value)} />,
          name,
        ])}
      />
    </Panel>
  )
}

const stepRow = ({ rate, sustained, p95_ms: p95 }: Step) =>
  [t`at ${formatRate(rate)}`, `${t(sustained ? 'sustained' : 'too much')}, p95 ${p95} ms`] as const
