/** Activity over business time: money in and out, webhooks delivered and failed, as plots and as a table. */
import { useState } from 'hono/jsx/dom'
import { formatAmount, readDecimal } from '../../../base/money.js'
import type { RouteAnswer } from '../../../client/control.js'
import { type Currency, currencies, currencyNames, isCurrency } from '../../../protocol/platform/currencies.js'
import { useQuery } from '../../store/query.js'
import { Button, Details, Select } from '../forms/controls.js'
import { Loaded, Panel } from '../layout.js'
import { type Column, Table } from '../table.js'
import { Money } from '../text.js'
import { type Bar, Bars } from './bars.js'

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

/** `2026-11-21`, or `11-21 14:00` for an hour. */
const momentOf = ({ at }: Span, by: Period['by']) =>
  by === 'day' ? at.slice(0, 10) : `${at.slice(5, 10)} ${at.slice(11, 16)}`

const Plots = ({ rows, by }: { rows: readonly Span[]; by: Period['by'] }) => {
  const [chosen, choose] = useState('')
  const moved = currencyNames.filter((name) =>
    rows.some((row) => row.in[name] !== undefined || row.out[name] !== undefined),
  )
  const currency = isCurrency(chosen) && moved.includes(chosen) ? chosen : (moved[0] ?? currencyNames[0])
  const ends = [rows[0], rows.at(-1)].flatMap((row) => (row === undefined ? [] : [momentOf(row, by)]))
  return (
    <>
      <div class="plots">
        <figure class="plot">
          <figcaption>
            <strong>Money</strong>
            {moved.length === 0 ? null : (
              <Select accessibleName="Currency" value={currency} choices={moved} choose={choose} />
            )}
            <Legend
              up={['In', <Money amount={totalOf(rows, 'in', currency)} currency={currency} />]}
              down={['Out', <Money amount={totalOf(rows, 'out', currency)} currency={currency} />]}
            />
          </figcaption>
          <Bars
            bars={rows.map((row) => moneyBar(row, currency, by))}
            label={`${currency} in and out, ${ends.join(' to ')}; the table below has the numbers`}
          />
          <Axis ends={ends} />
        </figure>
        <figure class="plot">
          <figcaption>
            <strong>Webhooks</strong>
            <Legend up={['Delivered', sum(rows, 'delivered')]} down={['Failed attempts', sum(rows, 'failed')]} />
          </figcaption>
          <Bars
            bars={rows.map((row) => webhookBar(row, by))}
            label={`Webhooks delivered and attempts that failed, ${ends.join(' to ')}; the table below has the numbers`}
          />
          <Axis ends={ends} />
        </figure>
      </div>
      <Numbers rows={rows} currency={currency} by={by} />
    </>
  )
}

const sum = (rows: readonly Span[], name: 'delivered' | 'failed') => rows.reduce((total, row) => total + row[name], 0)

/** An exact decimal string. */
function totalOf(rows: readonly Span[], name: 'in' | 'out', currency: Currency): string {
  const total = rows.reduce((minor, row) => minor + (readDecimal(row[name][currency] ?? '0')?.digits ?? 0n), 0n)
  return formatAmount(total, currencies[currency].scale)
}

function moneyBar(row: Span, currency: Currency, by: Period['by']): Bar {
  const [received, sent] = [row.in[currency] ?? '0', row.out[currency] ?? '0']
  const says = `${momentOf(row, by)}: ${received} ${currency} in, ${sent} out`
  return { key: row.at, up: Number(received), down: Number(sent), says }
}

const webhookBar = (row: Span, by: Period['by']): Bar => ({
  key: row.at,
  up: row.delivered,
  down: row.failed,
  says: `${momentOf(row, by)}: ${row.delivered} delivered, ${row.failed} failed`,
})

type LegendEntry = readonly [name: string, total: unknown]

const Legend = ({ up, down }: { up: LegendEntry; down: LegendEntry }) => (
  <span class="legend">
    <span class="key-up">
      {up[0]} <span class="num">{up[1]}</span>
    </span>
    <span class="key-down">
      {down[0]} <span class="num">{down[1]}</span>
    </span>
  </span>
)

const Axis = ({ ends }: { ends: readonly string[] }) => (
  <p class="axis num" aria-hidden="true">
    {ends.map((end) => (
      <span key={end}>{end}</span>
    ))}
  </p>
)

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
    { name: by === 'day' ? 'Day' : 'Hour', cell: (row) => <span class="num">{momentOf(row, by)}</span> },
    amount(`${currency} in`, 'in'),
    amount(`${currency} out`, 'out'),
    count('Delivered', 'delivered'),
    count('Failed', 'failed'),
  ]
  return (
    <Details summary="Show as table">
      {() => <Table label="Activity" columns={columns} rows={rows.toReversed()} keyOf={(row) => row.at} />}
    </Details>
  )
}
