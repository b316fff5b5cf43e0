/** One run of a scenario, its steps as they happen. */
import type { Run } from '../../client/types/control.js'
import { Fields } from '../parts/fields.js'
import { Head, Loaded, Panel } from '../parts/layout.js'
import { RunSteps } from '../parts/tables/runs.js'
import { Moment, Pill } from '../parts/text.js'
import { attempt, send } from '../store/commands.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'

/** What a name of the run stands for, as a link where it is an object. */
function shown(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.startsWith('tx_')) return <a href={link('transactions', value)}>{value}</a>
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value) ? <a href={link('disputes', value)}>{value}</a> : value
}

export const RunView = ({ id }: { id: string }) => {
  const query = useQuery('GET /runs/{id}', { params: { id } }, ['run', 'workspace'])
  return (
    <Loaded of={query}>
      {(row) => (
        <>
          <Head
            title={`Run of ${row.scenario}`}
            heading={
              <>
                {row.scenario} <Pill status={row.status} />
              </>
            }
            crumb={{ href: link('scenarios', row.scenario), text: 'The scenario' }}
          >
            {row.status === 'running' ? (
              <button
                type="button"
                class="button"
                onClick={() =>
                  attempt(() => send('DELETE /runs/{id}', { params: { id: row.id } }), 'The run was canceled')
                }
              >
                Cancel the run
              </button>
            ) : null}
          </Head>
          <div class="columns">
            <div class="column wide">
              <Panel title="Steps">
                <RunSteps steps={row.steps} />
              </Panel>
            </div>
            <div class="column">
              <Panel title="Details">
                <RunFields row={row} />
              </Panel>
            </div>
          </div>
        </>
      )}
    </Loaded>
  )
}

const RunFields = ({ row }: { row: Run }) => (
  <Fields
    rows={[
      ['id', row.id],
      ['account', row.account],
      ['started by', row.started_by],
      ['started', <Moment iso={row.started_at} />],
      ['finished', row.finished_at === null ? null : <Moment iso={row.finished_at} />],
      ...Object.entries(row.vars).map(([name, value]) => [name, shown(value)] as const),
    ]}
  />
)
