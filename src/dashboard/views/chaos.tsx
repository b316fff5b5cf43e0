/** Chaos: which random faults occur, how often, and what they did so far. */
import type { Chaos } from '../../client/types/control.js'
import { labelOf } from '../../protocol/platform/fields.js'
import {
  type ChaosFault,
  chaosFaultNames,
  chaosFaults,
  chaosPresetNames,
  chaosPresets,
  isTimedFault,
} from '../../protocol/settings/chaos.js'
import { readableAmount, sentence } from '../format.js'
import { t } from '../language.js'
import { Button } from '../parts/forms/controls.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { OnCard, Table, type TableSpec } from '../parts/table.js'
import { Pill, WrappedText } from '../parts/text.js'
import { controlCurl } from '../platform-api.js'
import { attempt, send } from '../store/commands.js'
import { type Field, openForm, type PathOf } from '../store/form.js'
import { useQuery } from '../store/query.js'

interface Row {
  fault: ChaosFault
  share: string
  by: string | null
}

/** Of so many calls and webhooks, the newest ones, the page says what chaos did to them. */
const observed = 100

/** How many of these a fault was injected into. */
function useInjected() {
  const query = { limit: observed }
  const calls = useQuery('GET /requests', { query }, ['request', 'workspace']).data?.data ?? []
  const webhooks = useQuery('GET /webhooks', { query }, ['webhook', 'workspace']).data?.data ?? []
  return (fault: ChaosFault): number =>
    [...calls, ...webhooks].filter(({ chaos }) => chaos?.some((one) => one === fault)).length
}

export const ChaosView = () => {
  const chaos = useQuery('GET /chaos', {}, ['workspace'])
  const rows = rowsOf(chaos.data ?? {})
  const injected = useInjected()
  return (
    <>
      <Head title="Chaos" pill={rows.length === 0 ? null : <Pill status="on" tone="bad" />} />
      <Panel title="Random faults" tools={<Tools chaos={chaos.data} />} flush>
        <Loaded of={chaos}>
          {({ seed, only }) =>
            rows.length === 0 ? (
              <>
                <Empty title="Chaos is off" curl={controlCurl('PUT', '/chaos', { error: '1%', duplicate: '2%' })}>
                  Choose Gentle or Rough, or set your own rates: then calls and webhooks fail at random. The same seed
                  and the same calls give the same faults. The control API is never affected.
                </Empty>
                <Table {...presetTable} rows={chaosFaultNames} />
              </>
            ) : (
              <>
                <Table {...tableOf(injected)} rows={rows} />
                <p class="panel-note">
                  {t`Injected: counted in the newest calls and webhooks (${observed} each), not since chaos was switched on.`}{' '}
                  Seed:{' '}
                  <code>
                    <WrappedText>{seed ?? ''}</WrappedText>
                  </code>
                  {only === undefined ? null : (
                    <WrappedText>{t`, limited to ${only.join(', ') || t('no faults')}`}</WrappedText>
                  )}
                </p>
              </>
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}

const Fault = ({ name }: { name: ChaosFault }) => (
  <>
    <strong>{labelOf(name)}</strong> <code class="field-name">{name}</code>
  </>
)

const tableOf = (injected: ReturnType<typeof useInjected>): TableSpec<Row> => ({
  label: 'Random faults',
  keyOf: (row) => row.fault,
  columns: [
    { name: 'Fault', card: 'title', cell: ({ fault }) => <Fault name={fault} /> },
    { name: 'Effect', card: 'line', cell: (row) => chaosFaults[row.fault].title },
    {
      ...{ name: 'Rate', alignEnd: true, card: 'badge' },
      cell: ({ share, by }) => (
        <span class="num">
          {by === null ? percentText(share) : t`${percentText(share)}, delayed by ${delayText(by)}`}
        </span>
      ),
    },
    {
      ...{ name: 'Injected', alignEnd: true, card: 'sub' },
      cell: ({ fault }) => (
        <span class="num">
          <OnCard>Injected </OnCard>
          {injected(fault)}
        </span>
      ),
    },
  ],
})

/** What the presets would do. */
const presetTable: TableSpec<ChaosFault> = {
  label: 'Random faults',
  keyOf: String,
  columns: [
    { name: 'Fault', card: 'title', cell: (fault) => <Fault name={fault} /> },
    { name: 'Effect', card: 'line', cell: (fault) => chaosFaults[fault].title },
    ...(['gentle', 'rough'] as const).map((preset) => ({
      ...{ name: sentence(preset), alignEnd: true, card: preset === 'gentle' ? ('sub' as const) : ('aside' as const) },
      cell: (fault: ChaosFault) =>
        rowsOf(chaosPresets[preset])
          .filter((row) => row.fault === fault)
          .map((row) => (
            <span key={preset} class="num">
              <OnCard>{sentence(preset)} </OnCard>
              {percentText(row.share)}
            </span>
          )),
    })),
  ],
}

/** `0.5%`, in Portuguese `0,5%`. */
const percentText = (share: string) => share.replace(/[\d.]+/, (number) => readableAmount(number))

/** `10m` is `10 min`; a number without a unit is in seconds. */
const delayText = (by: string) =>
  by.replace(/^([\d.]+)([a-z]*)$/, (_, count: string, unit: string) => `${count} ${unit === 'm' ? 'min' : unit || 's'}`)

const rowsOf = (chaos: Chaos): Row[] =>
  chaosFaultNames.flatMap((fault): Row[] => {
    const value = chaos[fault]
    if (value === undefined) return []
    return typeof value === 'string'
      ? [{ fault, share: value, by: null }]
      : [{ fault, share: value.share, by: String(value.by) }]
  })

/** Before the state is known, no choice is shown as made. */
const Tools = ({ chaos }: { chaos: Chaos | undefined }) => (
  <>
    <fieldset class="choice">
      <legend class="visually-hidden">Faults</legend>
      {chaosPresetNames.map((name) => (
        <Button
          key={name}
          tone="quiet"
          accessibleName={t`Chaos ${sentence(name).toLowerCase()}`}
          disabled={chaos === undefined}
          pressed={chaos !== undefined && JSON.stringify(rowsOf(chaos)) === JSON.stringify(rowsOf(chaosPresets[name]))}
          onClick={() => attempt(() => send('PUT /chaos', { body: chaosPresets[name] }))}
        >
          {sentence(name)}
        </Button>
      ))}
    </fieldset>
    <Button disabled={chaos === undefined} onClick={() => askFaults(chaos ?? {})}>
      Set faults
    </Button>
  </>
)

function askFaults(chaos: Chaos): void {
  const shown = new Map(rowsOf(chaos).map((row) => [row.fault, row]))
  const fields = chaosFaultNames.flatMap((fault): Field<PathOf<Chaos>>[] => {
    const { share = '', by = '' } = shown.get(fault) ?? {}
    const line = { title: labelOf(fault), name: fault, hint: chaosFaults[fault].title }
    const rate = { line, label: 'Rate', placeholder: '1%', value: share }
    if (!isTimedFault(fault)) return [{ name: fault, ...rate }]
    return [
      { name: `${fault}.share`, ...rate },
      { name: `${fault}.by`, line, label: 'Delay', placeholder: '500ms', value: by ?? '' },
    ]
  })
  openForm<Chaos>({
    title: 'Set random faults',
    text: 'A fault without a rate does not occur. A delay is a time such as 500ms, 3s or 10m.',
    fields: [...fields, { name: 'seed', hint: 'The same seed gives the same faults.', value: chaos.seed ?? '' }],
    submit: 'Set',
    run: (body) => send('PUT /chaos', { body }),
  })
}
