/** One scenario: what it does, step by step, and its runs. */
import type { Scenario } from '../../client/types/control.js'
import { Code } from '../parts/code.js'
import { askArm, askDelete, askRun, disarm } from '../parts/forms/scenario-commands.js'
import { Facts, Head, Loaded, Panel } from '../parts/layout.js'
import { RunTable } from '../parts/tables/runs.js'
import { Moment, Pill } from '../parts/text.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'

export const ScenarioView = ({ id }: { id: string }) => {
  const query = useQuery('GET /scenarios/{name}', { params: { name: id } }, ['workspace', 'run'])
  const runs = useQuery('GET /runs', { query: { scenario: id, limit: 10 } }, ['run', 'workspace'])
  return (
    <Loaded of={query}>
      {(row) => (
        <>
          <Title row={row} />
          <div class="columns">
            <div class="column wide">
              <Panel title={row.title}>
                {row.description === null ? null : <p>{row.description}</p>}
                <div class="whole">
                  <Code text={row.yaml} label="As a file" what="the scenario" />
                </div>
              </Panel>
            </div>
            <div class="column">
              <Panel title="Details">
                <ScenarioFacts row={row} />
              </Panel>
              <Panel title="Runs" flush>
                <Loaded of={runs}>
                  {({ data }) => (data.length === 0 ? <p class="loading">None yet.</p> : <RunTable rows={data} />)}
                </Loaded>
              </Panel>
            </div>
          </div>
        </>
      )}
    </Loaded>
  )
}

const canCatch = ({ on, outcomes }: Scenario) => on !== null || outcomes !== null

const Title = ({ row }: { row: Scenario }) => (
  <Head title={row.name} crumb={{ href: link('scenarios'), text: 'Scenarios' }}>
    <button type="button" class="button primary" onClick={() => askRun(row)}>
      Run
    </button>
    {!canCatch(row) ? null : row.armed.length === 0 ? (
      <button type="button" class="button" onClick={() => askArm(row)}>
        Arm
      </button>
    ) : (
      <button type="button" class="button" onClick={() => disarm(row)}>
        Disarm
      </button>
    )}
    {row.origin === 'uploaded' ? (
      <button type="button" class="button danger" onClick={() => askDelete(row)}>
        Delete
      </button>
    ) : null}
  </Head>
)

const ScenarioFacts = ({ row }: { row: Scenario }) => (
  <Facts
    rows={[
      ['from', row.file ?? row.origin],
      ['catches', row.on === null ? 'nothing: it is run by hand' : <code>{JSON.stringify(row.on)}</code>],
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
