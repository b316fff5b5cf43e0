/** All scenarios by the problem that they rehearse, with their last runs, and buttons to run, arm and write them. */
import type { Run, ScenarioSummary } from '../../client/types/control.js'
import { problemNames, problems } from '../../protocol/scenario/problems.js'
import { t } from '../language.js'
import { Button } from '../parts/forms/controls.js'
import { askRun, isArmable, titleOf } from '../parts/forms/scenario-commands.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { type Column, OnMedium, RowLink, Table } from '../parts/table.js'
import { None, Pill, WrappedText } from '../parts/text.js'
import { controlCurl } from '../platform-api.js'
import { typedIn, useState } from '../store/hooks.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { RunPill } from './runs.js'
import { ArmButton, Runs, useRuns } from './scenario.js'

const textOf = (row: ScenarioSummary) =>
  [row.name, row.title, titleOf(row), row.description, t(row.description ?? ''), problems[row.problem].title].join(' ')

const matches = (row: ScenarioSummary, words: string) =>
  words
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .every((word) => textOf(row).toLowerCase().includes(word))

export const ScenariosView = () => {
  const page = useQuery('GET /scenarios', {}, ['workspace', 'run'])
  const runs = useRuns({})
  const [words, setWords] = useState('')
  return (
    <>
      <Head title="Scenarios">
        <input
          type="search"
          aria-label="Find a scenario"
          placeholder="Find: dispute, timeout, twice…"
          onInput={(event: Event) => setWords(typedIn(event))}
        />
        <a class="button primary" href={link('editor')}>
          Write a scenario
        </a>
      </Head>
      <p class="faint">Run plays all steps now. Arm applies a scenario to the next matching call of your app.</p>
      <div class="columns">
        <div class="column wide">
          <Loaded of={page}>
            {({ data }) => (
              <ScenarioList rows={data.filter((row) => matches(row, words))} runs={runs.data?.data ?? []} />
            )}
          </Loaded>
        </div>
        <div class="column newest-runs">
          <Runs
            runs={runs}
            empty={
              <Empty title="No run yet" curl={controlCurl('POST', '/scenarios/pix-paid/run', { fast_forward: true })}>
                Run a scenario to see it here. This command runs <code>pix-paid</code>.
              </Empty>
            }
          />
        </div>
      </div>
    </>
  )
}

const groupOf = ({ problem }: ScenarioSummary) => problems[problem].title

const ScenarioList = ({ rows, runs }: { rows: readonly ScenarioSummary[]; runs: readonly Run[] }) => {
  if (rows.length === 0) return <Empty title="No scenario matches">Search for another word, or write a scenario.</Empty>
  const placeOf = ({ problem }: ScenarioSummary) => problemNames.indexOf(problem)
  const sorted = rows.toSorted((one, other) => placeOf(one) - placeOf(other))
  const columns: readonly Column<ScenarioSummary>[] = [
    {
      ...{ name: 'Scenario', card: 'title' },
      cell: (row) => (
        <RowLink href={link('scenarios', row.name)}>
          <WrappedText>{titleOf(row)}</WrappedText>
          <OnMedium>
            <code>{row.name}</code>
          </OnMedium>
        </RowLink>
      ),
    },
    { name: 'Name', spare: 'medium', card: 'sub', cell: (row) => <code class="faint">{row.name}</code> },
    {
      ...{ name: 'Last run', card: 'badge' },
      cell: (row) => <State row={row} run={runs.find(({ scenario }) => scenario === row.name)} />,
    },
    {
      ...{ name: 'Actions', alignEnd: true, card: 'aside' },
      cell: (row) => (
        <span class="row end">
          {isArmable(row) ? <ArmButton scenario={row} named /> : null}
          {row.outcome_count === null ? (
            <Button tone="quiet" accessibleName={t`Run ${row.name}`} onClick={() => askRun(row)}>
              Run
            </Button>
          ) : (
            <a class="button quiet" href={link('scenarios', row.name)}>
              Open
            </a>
          )}
        </span>
      ),
    },
  ]
  return (
    <Panel flush>
      <Table label="Scenarios" keyOf={({ name }) => name} {...{ columns, groupOf }} rows={sorted} />
    </Panel>
  )
}

const State = ({ row: { armed, origin }, run }: { row: ScenarioSummary; run: Run | undefined }) => (
  <>
    {armed.length > 0 ? <Pill status="armed" /> : run === undefined ? <None /> : <RunPill run={run} />}{' '}
    {origin === 'built-in' ? null : <Pill status={origin} />}
  </>
)
