/** The load test on the page: its fields, the charts while it runs and afterwards, and the figures. */
import type { LoadReport } from '../../client/types/control.js'
import { Details } from '../../dashboard/parts/forms/controls.js'
import { FieldRow } from '../../dashboard/parts/forms/field.js'
import { Facts, Panel } from '../../dashboard/parts/layout.js'
import { Bars } from '../../dashboard/parts/plots/bars.js'
import { type Column, Table } from '../../dashboard/parts/table.js'
import { None, Pill } from '../../dashboard/parts/text.js'
import { loadFigures, loadTitle } from '../protocol/load-figures.js'
import { formatRate, loadLimits, loadProfileNames } from '../protocol/load-profiles.js'

export type Span = LoadReport['timeline'][number]
type Step = NonNullable<LoadReport['limit']>['steps'][number]

/** The fields of the form, as they are typed. */
export interface LoadFields {
  rate: string
  for: string
  profile: string
  find_limit: string
}

export const noLoad: LoadFields = { rate: '', for: '30s', profile: 'steady', find_limit: 'no' }

const isProfile = (name: string): name is LoadReport['profile'] => loadProfileNames.some((one) => one === name)

/** The field of the request; none without a rate. */
export function loadOf({ rate, for: duration, profile, find_limit: findLimit }: LoadFields) {
  if (rate.trim() === '') return {}
  const more = isProfile(profile) ? { profile } : {}
  return { load: { rate: rate.trim(), for: duration.trim() || undefined, ...more, find_limit: findLimit === 'yes' } }
}

export const LoadForm = ({ load, change }: { load: LoadFields; change: (load: LoadFields) => void }) => {
  const row = (name: keyof LoadFields, more: object) => (
    <FieldRow
      field={{ name: `load_${name}`, value: load[name], ...more }}
      onInput={(value) => change({ ...load, [name]: value })}
    />
  )
  return (
    <Details summary="Load test" opened={load.rate !== ''}>
      {() => (
        <div class="load-form">
          {row('rate', {
            label: 'Rate',
            hint: `Events a second, such as 20/s; at most ${loadLimits.rate}/s. Leave it empty to test rule by rule.`,
          })}
          {row('for', { label: 'Duration', required: true })}
          {row('profile', { label: 'Profile', kind: 'choice', required: true, choices: loadProfileNames })}
          {row('find_limit', { label: 'Find the limit', kind: 'choice', required: true, choices: ['no', 'yes'] })}
        </div>
      )}
    </Details>
  )
}

const attemptsOf = ({ acknowledged, failed }: Span) => acknowledged + failed
const secondOf = ({ at_ms: atMs }: Span) => `${(atMs / 1000).toFixed(1)} s`
const largest = (values: readonly number[]) => Math.max(0, ...values)

/** Two plots: acknowledgement times, and attempts. */
export const LoadCharts = ({ spans }: { spans: readonly Span[] }) => {
  const ends = [spans[0], spans.at(-1)].flatMap((span) => (span === undefined ? [] : [secondOf(span)]))
  const slowest = largest(spans.map(({ p95_ms: p95 }) => p95 ?? 0))
  return (
    <div class="plots">
      <Plot name="Acknowledgement time (p95)" ends={ends} legend={`at most ${slowest} ms`}>
        <Bars
          bars={spans.map((span) => ({
            ...{ key: String(span.at_ms), up: span.p95_ms ?? 0, down: 0 },
            says: `${secondOf(span)}: p95 ${span.p95_ms ?? '–'} ms, oldest waiting ${span.oldest_ms} ms`,
          }))}
          label={`Acknowledgement time, 95 of 100, at most ${slowest} ms`}
        />
      </Plot>
      <Plot name="Attempts" ends={ends} legend="acknowledged above, failed below">
        <Bars
          bars={spans.map((span) => ({
            ...{ key: String(span.at_ms), up: span.acknowledged, down: span.failed },
            says: `${secondOf(span)}: ${span.acknowledged} acknowledged, ${span.failed} failed`,
          }))}
          label={`Attempts, at most ${formatRate((1000 * largest(spans.map(attemptsOf))) / (spans[0]?.span_ms ?? 1000))}`}
        />
      </Plot>
    </div>
  )
}

interface PlotProps {
  name: string
  legend: string
  ends: readonly string[]
  children?: unknown
}

const Plot = ({ name, legend, ends, children }: PlotProps) => (
  <figure class="plot load-plot">
    <figcaption>
      <strong>{name}</strong>
      <span class="faint">{legend}</span>
    </figcaption>
    {children}
    <p class="axis num" aria-hidden="true">
      {ends.map((end) => (
        <span key={end}>{end}</span>
      ))}
    </p>
  </figure>
)

export const LoadResults = ({ load }: { load: LoadReport }) => (
  <>
    <Panel title={`Load: ${loadTitle(load)}`}>
      <LoadCharts spans={load.timeline} />
      <Facts rows={loadFigures(load)} />
    </Panel>
    {load.limit === null ? null : (
      <Panel title="Rates that were tried" flush>
        <Table label="Rates that were tried" columns={stepColumns} rows={load.limit.steps} keyOf={keyOf} />
      </Panel>
    )}
  </>
)

const keyOf = ({ rate }: Step) => String(rate)

const stepColumns: readonly Column<Step>[] = [
  { name: 'Rate', cell: ({ rate }) => <span class="num">{formatRate(rate)}</span> },
  {
    name: 'Result',
    badge: true,
    cell: ({ sustained }) => <Pill status={sustained ? 'sustained' : 'too much'} tone={sustained ? 'ok' : 'bad'} />,
  },
  {
    name: 'p95',
    end: true,
    cell: ({ p95_ms: p95 }) => (p95 === null ? <None /> : <span class="num">{p95} ms</span>),
  },
  { name: 'Failed', end: true, cell: ({ failed }) => <span class="num">{failed}</span> },
]
