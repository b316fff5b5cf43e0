/** The load test on the page: its fields, the charts while it runs and afterwards, and the figures. */

import type { LoadReport } from '../../../inside/client.js'
import { Chart, Facts, type Failed, FieldRow, Legend, Panel, type Series, sentence, t } from '../../../inside/pages.js'
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

/** Two charts: acknowledgement times, and attempts. */
export const LoadCharts = ({ spans }: { spans: readonly Span[] }) => {
  const values = (of: (span: Span) => number) => spans.map(of)
  return (
    <div class="plots">
      <Plot
        name="Acknowledgement time"
        spans={spans}
        unit="ms"
        series={[{ name: 'p95', tone: 'in', values: values(({ p95_ms: p95 }) => p95 ?? 0) }]}
        summary={(values) => t`highest ${Math.max(0, ...values)} ms`}
      />
      <Plot
        name="Attempts"
        spans={spans}
        series={[
          { name: 'Acknowledged', tone: 'ok', values: values(({ acknowledged }) => acknowledged) },
          { name: 'Failed', tone: 'bad', values: values(({ failed }) => failed) },
        ]}
        summary={(values) => String(values.reduce((sum, value) => sum + value, 0))}
      />
    </div>
  )
}

interface PlotProps {
  name: string
  spans: readonly Span[]
  series: readonly Series[]
  unit?: string
  /** Summarizes the values of a series in the legend. */
  summary: (values: readonly number[]) => string
}

const Plot = ({ name, spans, series, unit = '', summary }: PlotProps) => (
  <figure class="plot">
    <figcaption>
      <strong>{name}</strong>
      <Legend series={series.map((one) => ({ ...one, total: summary(one.values) }))} />
    </figcaption>
    <Chart
      stacked
      {...{ label: name, series, unit }}
      spans={spans.map(({ at_ms: atMs }) => ({
        ...{ key: String(atMs), tick: `${atMs / 1000} s`, title: `${atMs / 1000} s` },
      }))}
    />
  </figure>
)

export const LoadResults = ({ load }: { load: LoadReport }) => {
  const steps = load.limit?.steps ?? []
  return (
    <Panel title="Load" tools={<span class="faint">{loadTitle(load)}</span>}>
      <LoadCharts spans={load.timeline} />
      <Facts
        rows={[...loadFigures(load), ...steps.map(stepRow)].map(([name, value]) => [
          sentence(name),
          <span lang="en">{value}</span>,
          name,
        ])}
      />
    </Panel>
  )
}

const stepRow = ({ rate, sustained, p95_ms: p95 }: Step) =>
  [t`at ${formatRate(rate)}`, `${t(sustained ? 'sustained' : 'too much')}, p95 ${p95} ms`] as const
