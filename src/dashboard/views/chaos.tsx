/** Chaos: which random faults occur, and how often. */
import type { Chaos } from '../../client/types/control.js'
import {
  type ChaosFault,
  chaosFaultNames,
  chaosFaults,
  chaosPresetNames,
  chaosPresets,
  isTimedFault,
} from '../../protocol/settings/chaos-faults.js'
import { controlCurl } from '../curl.js'
import { Button } from '../parts/forms/controls.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { Table, type TableSpec } from '../parts/table.js'
import { Pill, WrappedText } from '../parts/text.js'
import { attempt, send } from '../store/commands.js'
import { type Field, openForm, type PathOf } from '../store/dialog.js'
import { useQuery } from '../store/query.js'

interface Row {
  fault: ChaosFault
  share: string
  by: string | null
}

export const ChaosView = () => {
  const chaos = useQuery('GET /chaos', {}, ['workspace'])
  const rows = rowsOf(chaos.data ?? {})
  return (
    <>
      <Head title="Chaos">{rows.length === 0 ? null : <Pill status="on" tone="bad" />}</Head>
      <Panel title="Random faults" tools={<Tools chaos={chaos.data ?? {}} />} flush>
        <Loaded of={chaos}>
          {({ seed }) =>
            rows.length === 0 ? (
              <Empty title="Chaos is off" curl={controlCurl('PUT', '/chaos', { error: '1%', duplicate: '2%' })}>
                Calls and webhooks fail at random while chaos is on. The same seed and the same calls give the same
                faults. The control API is never affected.
              </Empty>
            ) : (
              <>
                <Table {...table} rows={rows} />
                <p class="faint">
                  Seed <WrappedText>{seed ?? ''}</WrappedText>
                </p>
              </>
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}

const table: TableSpec<Row> = {
  label: 'Random faults',
  keyOf: (row) => row.fault,
  columns: [
    { name: 'Fault', cell: (row) => <strong>{row.fault}</strong> },
    { name: 'Effect', cell: (row) => chaosFaults[row.fault].title },
    { name: 'Rate', alignEnd: true, cell: (row) => <span class="num">{row.share}</span> },
    { name: 'Duration', alignEnd: true, cell: (row) => <span class="num">{row.by ?? '–'}</span> },
  ],
}

const rowsOf = (chaos: Chaos): Row[] =>
  chaosFaultNames.flatMap((fault): Row[] => {
    const value = chaos[fault]
    if (value === undefined) return []
    return typeof value === 'string'
      ? [{ fault, share: value, by: null }]
      : [{ fault, share: value.share, by: String(value.by) }]
  })

const Tools = ({ chaos }: { chaos: Chaos }) => (
  <>
    {chaosPresetNames.map((name) => (
      <Button
        key={name}
        accessibleName={`Chaos ${name}`}
        onClick={() => attempt(() => send('PUT /chaos', { body: chaosPresets[name] }))}
      >
        {`${name.charAt(0).toUpperCase()}${name.slice(1)}`}
      </Button>
    ))}
    <Button onClick={() => askFaults(chaos)}>Set faults</Button>
  </>
)

function askFaults(chaos: Chaos): void {
  const shown = new Map(rowsOf(chaos).map((row) => [row.fault, row]))
  const fields = chaosFaultNames.flatMap((fault): Field<PathOf<Chaos>>[] => {
    const { share = '', by = '' } = shown.get(fault) ?? {}
    const hint = chaosFaults[fault].title
    if (!isTimedFault(fault)) return [{ name: fault, hint, value: share }]
    return [
      { name: `${fault}.share`, label: fault, hint, value: share },
      { name: `${fault}.by`, label: `${fault}: duration`, value: by ?? '' },
    ]
  })
  openForm<Chaos>({
    title: 'Set random faults',
    text: 'Enter a rate such as 1% or 0.5% for each fault. A fault without a rate does not occur.',
    fields: [{ name: 'seed', hint: 'The same seed gives the same faults.', value: chaos.seed ?? '' }, ...fields],
    submit: 'Set',
    run: (body) => send('PUT /chaos', { body }),
  })
}
