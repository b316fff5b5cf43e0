/** One scenario: what it does, when it takes effect, its file, and its runs. */
import type { Child } from 'hono/jsx/dom'
import { capitalized } from '../../base/text.js'
import type { Fields } from '../../base/unknown.js'
import type { Scenario, ScenarioSummary } from '../../client/types/control.js'
import { kindName } from '../format.js'
import { t } from '../language.js'
import { Code } from '../parts/code.js'
import { detailView } from '../parts/detail-view.js'
import { Button, Details } from '../parts/forms/controls.js'
import { askArm, askDelete, askRun, disarm, isArmable, ownText, titleOf } from '../parts/forms/scenario-commands.js'
import { Empty, Facts, Loaded, Panel } from '../parts/layout.js'
import { Table, type TableSpec } from '../parts/table.js'
import { Moment, Money, Pill, WrappedText } from '../parts/text.js'
import { controlCurl } from '../platform-api.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { RunBadge, RunSteps, runTable } from './runs.js'

export const [ScenarioView] = detailView({
  source: 'GET /scenarios/{name}',
  watch: ['workspace', 'run'],
  title: (row) => row.name,
  heading: (row) => (
    <>
      <WrappedText>{titleOf(row)}</WrappedText> {row.armed.length === 0 ? null : <Pill status="armed" />}
    </>
  ),
  crumb: () => ({ href: link('scenarios'), text: 'Scenarios' }),
  actions: ({ row }) => (
    <>
      {row.outcomes === null ? (
        <Button tone="primary" onClick={() => askRun(row)}>
          Run
        </Button>
      ) : null}
      {isArmable(row) ? <ArmButton scenario={row} /> : null}
      <a class="button" href={link('editor', row.name)}>
        {row.origin === 'uploaded' ? 'Edit' : 'Edit a copy'}
      </a>
      {row.origin === 'uploaded' ? (
        <Button tone="danger" onClick={() => askDelete(row)}>
          Delete
        </Button>
      ) : null}
    </>
  ),
  main: ({ row }) => (
    <>
      <Panel title={row.name}>
        {row.description === null ? null : (
          <p>
            <WrappedText>{ownText(row, row.description)}</WrappedText>
          </p>
        )}
        <ScenarioFacts row={row} />
      </Panel>
      {row.outcomes === null ? null : (
        <Panel title="Outcome" flush>
          <Table {...outcomeTable(row)} rows={row.outcomes} />
        </Panel>
      )}
      <LastRun name={row.name} />
      {row.outcomes === null ? (
        <ScenarioFile row={row} />
      ) : (
        <Details summary="YAML">{() => <ScenarioFile row={row} />}</Details>
      )}
    </>
  ),
  side: ({ row }) => <ScenarioRuns row={row} />,
})

const ScenarioFile = ({ row: { yaml } }: { row: Scenario }) => (
  <div class="whole">
    <Code text={yaml} label="YAML" noun="the scenario" />
  </div>
)

type OneOutcome = NonNullable<Scenario['outcomes']>[number]

/** Which value of a call leads to which outcome. */
const outcomeTable = (scenario: Scenario): TableSpec<OneOutcome> => ({
  label: 'Outcome',
  keyOf: ({ on }) => JSON.stringify(on),
  columns: [
    { name: 'Type', card: 'sub', cell: ({ on }) => capitalized(callName(on.operation)) },
    { name: 'Value', card: 'title', cell: ({ on: { where = {} } }) => <Condition where={where} /> },
    { name: 'Outcome', card: 'line', cell: ({ title }) => <WrappedText>{outcomeTitle(scenario, title)}</WrappedText> },
  ],
})

/** The code of an error at its end stays. */
function outcomeTitle(scenario: Scenario, title: string): string {
  const [text = '', ...codes] = title.split(': ')
  return [ownText(scenario, text), ...codes].join(': ')
}

/** An amount stands with its currency. */
const Condition = ({ where: { amount, currency, ...more } }: { where: Fields }) => {
  const isAmount = typeof amount === 'number' && typeof currency === 'string'
  const rest = isAmount ? more : { ...more, amount, currency }
  return (
    <>
      {isAmount ? <Money amount={amount.toFixed(2)} currency={currency} /> : null}{' '}
      {Object.entries(rest)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <code key={name}>{typeof value === 'string' ? value : conditionText([name, value])}</code>
        ))}
    </>
  )
}

interface ArmButtonProps {
  scenario: ScenarioSummary
  /** Adds the scenario to the accessible name, for lists. */
  named?: boolean
}

export const ArmButton = ({ scenario, named }: ArmButtonProps) => {
  const [label, click] = scenario.armed.length === 0 ? (['Arm', askArm] as const) : (['Disarm', disarm] as const)
  return (
    <Button
      tone={named === true ? 'quiet' : 'plain'}
      accessibleName={named === true ? `${t(label)} ${scenario.name}` : undefined}
      onClick={() => click(scenario)}
    >
      {label}
    </Button>
  )
}

/** The newest runs. */
export const useRuns = (query: { scenario?: string }) =>
  useQuery('GET /runs', { query: { ...query, limit: 200 } }, ['run', 'workspace'])

const ScenarioRuns = ({ row }: { row: Scenario }) => (
  <Runs runs={useRuns({ scenario: row.name })} empty={<NoRun row={row} />} />
)

export const Runs = ({ runs, empty }: { runs: ReturnType<typeof useRuns>; empty: Child }) => {
  const count = runs.data && `${runs.data.data.length}${runs.data.next === null ? '' : '+'}`
  return (
    <Panel title="Runs" tools={<span class="faint num">{count}</span>} flush>
      <Loaded of={runs}>{({ data }) => (data.length === 0 ? empty : <Table {...runTable} rows={data} />)}</Loaded>
    </Panel>
  )
}

const NoRun = ({ row }: { row: Scenario }) => {
  const canRun = row.outcomes === null
  return (
    <Empty
      title="No run yet"
      curl={canRun ? controlCurl('POST', `/scenarios/${row.name}/run`, { fast_forward: true }) : undefined}
    >
      {canRun ? 'Run plays all steps now. ' : null}
      {isArmable(row) ? 'Arm applies the scenario to the next matching call of your app. ' : null}
      {canRun ? 'This command runs it.' : null}
    </Empty>
  )
}

const LastRun = ({ name }: { name: string }) => {
  const runs = useQuery('GET /runs', { query: { scenario: name, limit: 1 } }, ['run', 'workspace'])
  const [last] = runs.data?.data ?? []
  if (last === undefined) return null
  return (
    <Panel
      title="Last run"
      tools={
        <>
          <RunBadge run={last} />
          <a href={link('runs', last.id)}>Open the run</a>
        </>
      }
    >
      <RunSteps run={last} />
    </Panel>
  )
}

/** `currency is USDT or USDC`, `amount < 60`. */
function conditionText([field, wanted]: [string, unknown]): string {
  if (wanted === null) return t`without ${field}`
  if (Array.isArray(wanted)) return t`${field} is ${wanted.join(t(' or '))}`
  return /^[<>=!]/.test(String(wanted)) ? `${field} ${wanted}` : t`${field} is ${wanted}`
}

/** `charge`, or `GET /path`. */
const callName = (operation: string) => (operation.includes(' ') ? operation : kindName(operation).toLowerCase())

function callText({ operation, where = {} }: NonNullable<Scenario['on']>): string {
  const call = callName(operation)
  const conditions = Object.entries(where).map(conditionText)
  return conditions.length === 0 ? t`the next ${call}` : t`the next ${call} where ${conditions.join(t(' and '))}`
}

const ScenarioFacts = ({ row }: { row: Scenario }) => (
  <Facts
    rows={[
      [
        'When armed',
        row.on !== null ? (
          <>
            It affects {callText(row.on)}
            {row.times === null ? ', and all later ones.' : row.times === 1 ? ', once.' : t`, ${row.times} times.`}
          </>
        ) : row.outcomes !== null ? (
          'It affects calls that have one of its values.'
        ) : (
          <>
            It cannot be armed: its file has no field <code>on</code>, which names the calls that it waits for.
          </>
        ),
      ],
      [
        'Parameters',
        Object.keys(row.params).length === 0
          ? null
          : Object.entries(row.params)
              .map(([name, value]) => `${name}: ${value}`)
              .join(', '),
      ],
      ['File', row.file],
      ...row.armed.map(
        (arm) =>
          [
            'Armed',
            <>
              since <Moment iso={arm.armed_at} /> for {arm.account ?? 'all accounts'}
              {arm.times === null ? '' : t`, calls left: ${arm.times}`}
            </>,
          ] as const,
      ),
    ]}
  />
)
