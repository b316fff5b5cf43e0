/** Activity over business time: money in and out, webhooks delivered and failed, as plots and as a table. */
import type { Child } from 'hono/jsx/dom'
import { formatAmount, readDecimal } from '../../../base/money.js'
import type { RouteAnswer } from '../../../client/control.js'
import { type Currency, currencies, currencyNames, isCurrency } from '../../../protocol/platform/currencies.js'
import { longDayOf, shortDayOf } from '../../format.js'
import { t } from '../../language.js'
import { useState } from '../../store/hooks.js'
import { useQuery } from '../../store/query.js'
import { link } from '../../store/route.js'
import { Button, Details, Select } from '../forms/controls.js'
import { Loaded, Panel } from '../layout.js'
import { type Column, Table } from '../table.js'
import { Money } from '../text.js'
import { Chart, type ChartSpan, Legend, type Series } from './chart.js'

type Span = RouteAnswer<'GET /activity'>['data'][number]

const periods = [
  { name: '24 hours', by: 'hour', spans: 24 },
  { name: '7 days', by: 'day', spans: 7 },
  { name: '30 days', by: 'day', spans: 30 },
] as const
type Period = (typeof periods)[number]

export const Activity = () => {
  const [period, setPeriod] = useState<Period>(periods[2])
  const { by, spans } = period
  const activity = useQuery('GET /activity', { query: { by, spans } }, ['transaction', 'webhook', 'workspace'])
  return (
    <Panel
      title="Activity"
      tools={
        <fieldset class="choice">
          <legend class="visually-hidden">Period</legend>
          {periods.map((one) => (
            <Button key={one.name} tone="quiet" pressed={one === period} onClick={() => setPeriod(one)}>
              {one.name}
            </Button>
          ))}
        </fieldset>
      }
    >
      <Loaded of={activity}>{({ data }) => <Plots rows={data} by={by} />}</Loaded>
    </Panel>
  )
}

const isoMoment = ({ at }: Span, by: Period['by']) =>
  by === 'day' ? at.slice(0, 10) : `${at.slice(0, 10)} ${at.slice(11, 16)}`

const chartSpan = (row: Span, by: Period['by']): ChartSpan => ({
  key: row.at,
  tick: by === 'day' ? shortDayOf(Date.parse(row.at)) : row.at.slice(11, 16),
  title: by === 'day' ? longDayOf(Date.parse(row.at)) : `${shortDayOf(Date.parse(row.at))} ${row.at.slice(11, 16)}`,
})

interface PlotsProps {
  rows: readonly Span[]
  by: Period['by']
}

const Plots = ({ rows, by }: PlotsProps) => {
  const [chosen, choose] = useState('')
  const moved = currencyNames.filter((name) =>
    rows.some((row) => row.in[name] !== undefined || row.out[name] !== undefined),
  )
  const currency = isCurrency(chosen) && moved.includes(chosen) ? chosen : (moved[0] ?? currencyNames[0])
  return (
    <>
      <div class="plots">
        <MoneyPlot rows={rows} by={by} currency={currency}>
          {moved.length < 2 ? null : (
            <Select accessibleName="Currency" value={currency} choices={moved} choose={choose} />
          )}
        </MoneyPlot>
        <WebhookPlot rows={rows} by={by} />
      </div>
      <p class="faint small">
        All accounts. In: paid charges, deposits and refunded withdrawals. Out: confirmed withdrawals, refunded charges
        and lost disputes.
      </p>
      <Numbers rows={rows} currency={currency} by={by} />
    </>
  )
}

const MoneyPlot = ({ rows, by, currency, children }: PlotsProps & { currency: Currency; children: Child }) => {
  const series = (name: string, part: 'in' | 'out'): Series => ({
    ...{ name, tone: part },
    values: rows.map((row) => Number(row[part][currency] ?? 0)),
    text: (index) => <Money amount={rows[index]?.[part][currency] ?? '0.00'} currency={currency} />,
  })
  const total = (part: 'in' | 'out') => <Money amount={totalOf(rows, part, currency)} currency={currency} />
  return (
    <figure class="plot">
      <figcaption>
        <strong>Money</strong>
        {children}
        <Legend
          series={[
            { name: 'In', tone: 'in', total: total('in') },
            { name: 'Out', tone: 'out', total: total('out') },
          ]}
        />
      </figcaption>
      <Chart
        label={t`${currency} in and out; the table below has the numbers`}
        spans={rows.map((row) => chartSpan(row, by))}
        series={[series('In', 'in'), series('Out', 'out')]}
        empty={
          <>
            No money moved. <a href={link('new', 'charge')}>Create a charge</a> and pay it.
          </>
        }
      />
    </figure>
  )
}

const WebhookPlot = ({ rows, by }: PlotsProps) => {
  const series = (['delivered', 'failed'] as const).map((part) => ({
    ...({ delivered: { name: 'Delivered', tone: 'ok' }, failed: { name: 'Failed', tone: 'bad' } } as const)[part],
    values: rows.map((row) => row[part]),
    total: String(rows.reduce((sum, row) => sum + row[part], 0)),
  }))
  return (
    <figure class="plot">
      <figcaption>
        <strong>Delivery attempts</strong>
        <Legend series={series} />
      </figcaption>
      <Chart
        stacked
        label="Delivery attempts that were delivered and that failed; the table below has the numbers"
        spans={rows.map((row) => chartSpan(row, by))}
        series={series}
        empty={
          <>
            No webhook was sent. <a href={link('accounts')}>Set a webhook URL</a>.
          </>
        }
      />
    </figure>
  )
}

/** An exact decimal string. */
function totalOf(rows: readonly Span[], name: 'in' | 'out', currency: Currency): string {
  const total = rows.reduce((minor, row) => minor + (readDecimal(row[name][currency] ?? '0')?.digits ?? 0n), 0n)
  return formatAmount(total, currencies[currency].scale)
}

const Numbers = ({ rows, currency, by }: { rows: readonly Span[]; currency: Currency; by: Period['by'] }) => {
  const amount = (name: string, part: 'in' | 'out'): Column<Span> => ({
    name,
    alignEnd: true,
    cell: (row) => <Money amount={row[part][currency] ?? formatAmount(0n, currencies[currency].scale)} />,
  })
  const count = (name: string, part: 'delivered' | 'failed'): Column<Span> => ({
    name,
    alignEnd: true,
    cell: (row) => <span class="num">{row[part]}</span>,
  })
  const columns: readonly Column<Span>[] = [
    { name: by === 'day' ? 'Day' : 'Hour', cell: (row) => <span class="num">{isoMoment(row, by)}</span> },
    amount(t`${currency} in`, 'in'),
    amount(t`${currency} out`, 'out'),
    count('Delivered', 'delivered'),
    count('Failed', 'failed'),
  ]
  return (
    <Details summary="Show as table">
      {() => <Table label="Activity" columns={columns} rows={rows.toReversed()} keyOf={(row) => row.at} />}
    </Details>
  )
}
