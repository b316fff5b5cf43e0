/** One run of a scenario, with its steps as they happen. */
import type { Run } from '../../client/types/control.js'
import { requestHeaders } from '../../protocol/platform/headers.js'
import { t } from '../language.js'
import { detailView } from '../parts/detail-view.js'
import { Fields } from '../parts/fields.js'
import { Button } from '../parts/forms/controls.js'
import { Panel } from '../parts/layout.js'
import { RunSteps } from '../parts/runs.js'
import { Moment, Pill } from '../parts/text.js'
import { attempt, send } from '../store/commands.js'
import { link } from '../store/route.js'

/** The value of a variable; an id is a link to its object. */
function shown(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.startsWith('tx_')) return <a href={link('transactions', value)}>{value}</a>
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value) ? <a href={link('disputes', value)}>{value}</a> : value
}

const startedBy: Record<Run['started_by'], string> = {
  run: 'You (Run)',
  armed: 'A matching call (armed)',
  header: t`A call with the header ${requestHeaders.scenario}`,
}

/** Without the subject, if it is one of the named objects. */
const varsOf = ({ vars: { subject, ...named } }: Run) =>
  Object.entries(Object.values(named).includes(subject ?? null) ? named : { ...named, subject })

export const [RunView] = detailView({
  source: 'GET /runs/{id}',
  watch: ['run', 'workspace'],
  title: (row) => t`Run ${row.id} of ${row.scenario}`,
  heading: (row) => (
    <>
      <span class="title-kind">Run of {row.scenario}</span> <code>{row.id}</code> <Pill status={row.status} of="run" />
    </>
  ),
  crumb: (row) =>
    row === undefined
      ? { href: link('scenarios'), text: 'Scenarios' }
      : { href: link('scenarios', row.scenario), text: 'The scenario' },
  actions: ({ row: { id, status } }) =>
    status === 'running' ? (
      <Button onClick={() => attempt(() => send('DELETE /runs/{id}', { params: { id } }), 'The run was canceled')}>
        Cancel the run
      </Button>
    ) : null,
  main: ({ row }) => (
    <Panel title="Steps">
      <RunSteps steps={row.steps} />
    </Panel>
  ),
  side: ({ row }) => (
    <Panel title="Details">
      <RunFields row={row} />
    </Panel>
  ),
})

const RunFields = ({ row }: { row: Run }) => (
  <Fields
    rows={[
      ['Run id', row.id],
      ['account', row.account],
      ['Started by', startedBy[row.started_by]],
      ['Started', <Moment iso={row.started_at} dated />],
      ['Finished', row.finished_at === null ? null : <Moment iso={row.finished_at} dated />],
      ...varsOf(row).map(([name, value]) => [name, shown(value)] as const),
    ]}
  />
)
