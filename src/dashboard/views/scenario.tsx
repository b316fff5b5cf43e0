/** One scenario: what it does, when it takes effect, its file, and its runs. */
import type { Child } from 'hono/jsx/dom'
import type { Scenario, ScenarioSummary } from '../../client/types/control.js'
import { kindName } from '../format.js'
import { t } from '../language.js'
import { Code } from '../parts/code.js'
import { detailView } from '../parts/detail-view.js'
import { Button } from '../parts/forms/controls.js'
import { askArm, askDelete, askRun, disarm, isArmable, ownText, titleOf } from '../parts/forms/scenario-commands.js'
import { Empty, Facts, Loaded, Panel } from '../parts/layout.js'
import { Table } from '../parts/table.js'
import { Moment, Pill, WrappedText } from '../parts/text.js'
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
      <LastRun name={row.name} />
      <div class="whole">
        <Code text={row.yaml} label="YAML" noun="the scenario" />
      </div>
    </>
  ),
  side: ({ row }) => <Runs query={{ scenario: row.name }} empty={<NoRun row={row} />} />,
})

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

export const Runs = ({ query, empty }: { query: { scenario?: string }; empty: Child }) => {
  const runs = useQuery('GET /runs', { query: { ...query, limit: 10 } }, ['run', 'workspace'])
  return (
    <Panel title="Runs" flush>
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

function callText({ operation, where = {} }: NonNullable<Scenario['on']>): string {
  const call = operation.includes(' ') ? operation : kindName(operation).toLowerCase()
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
