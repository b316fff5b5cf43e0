/** One scenario: its steps, and its runs. */
import type { Child } from 'hono/jsx/dom'
import type { Scenario, ScenarioSummary } from '../../client/types/control.js'
import { Code } from '../parts/code.js'
import { detailView } from '../parts/detail-view.js'
import { Button } from '../parts/forms/controls.js'
import { askArm, askDelete, askRun, disarm } from '../parts/forms/scenario-commands.js'
import { Facts, Loaded, Panel } from '../parts/layout.js'
import { runTable } from '../parts/runs.js'
import { Table } from '../parts/table.js'
import { Moment, Pill } from '../parts/text.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'

export const ScenarioView = detailView({
  source: 'GET /scenarios/{name}',
  watch: ['workspace', 'run'],
  title: (row) => row.name,
  crumb: () => ({ href: link('scenarios'), text: 'Scenarios' }),
  actions: ({ row }) => (
    <>
      <Button tone="primary" onClick={() => askRun(row)}>
        Run
      </Button>
      <ArmButton scenario={row} isArmable={row.on !== null || row.outcomes !== null} />
      {row.origin === 'uploaded' ? (
        <Button tone="danger" onClick={() => askDelete(row)}>
          Delete
        </Button>
      ) : null}
    </>
  ),
  main: ({ row }) => (
    <Panel title={row.title}>
      {row.description === null ? null : <p>{row.description}</p>}
      <div class="whole">
        <Code text={row.yaml} label="YAML" noun="the scenario" />
      </div>
    </Panel>
  ),
  side: ({ row }) => (
    <>
      <Panel title="Details">
        <ScenarioFacts row={row} />
      </Panel>
      <Runs query={{ scenario: row.name }} empty={<p class="loading">None yet.</p>} />
    </>
  ),
})

interface ArmButtonProps {
  scenario: ScenarioSummary
  isArmable: boolean
  /** Adds the scenario to the accessible name, for lists. */
  named?: boolean
}

export const ArmButton = ({ scenario, isArmable, named }: ArmButtonProps) => {
  const [label, click] = scenario.armed.length === 0 ? (['Arm', askArm] as const) : (['Disarm', disarm] as const)
  return isArmable ? (
    <Button accessibleName={named === true ? `${label} ${scenario.name}` : undefined} onClick={() => click(scenario)}>
      {label}
    </Button>
  ) : null
}

export const Runs = ({ query, empty }: { query: { scenario?: string }; empty: Child }) => {
  const runs = useQuery('GET /runs', { query: { ...query, limit: 10 } }, ['run', 'workspace'])
  return (
    <Panel title="Runs" flush>
      <Loaded of={runs}>{({ data }) => (data.length === 0 ? empty : <Table {...runTable} rows={data} />)}</Loaded>
    </Panel>
  )
}

const ScenarioFacts = ({ row }: { row: Scenario }) => (
  <Facts
    rows={[
      ['from', row.file ?? row.origin],
      ['applies to', row.on === null ? 'no calls; it can only be run' : <code>{JSON.stringify(row.on)}</code>],
      ['times', row.times === null ? null : String(row.times)],
      ['params', Object.keys(row.params).length === 0 ? null : <code>{JSON.stringify(row.params)}</code>],
      ...row.armed.map(
        (arm) =>
          [
            'armed',
            <>
              <Pill status="armed" /> <Moment iso={arm.armed_at} /> for {arm.account ?? 'anybody'}
              {arm.times === null ? '' : `, ${arm.times} left`}
            </>,
          ] as const,
      ),
    ]}
  />
)
