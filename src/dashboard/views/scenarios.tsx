/** All scenarios by the problem that they rehearse, with buttons to run, arm and write them; and the latest runs. */

import { useState } from 'hono/jsx/dom'
import type { ScenarioSummary } from '../../client/types/control.js'
import { problemNames, problems } from '../../protocol/scenario/problems.js'
import { controlCurl } from '../curl.js'
import { Button } from '../parts/forms/controls.js'
import { askRun, isArmable } from '../parts/forms/scenario-commands.js'
import { Empty, Head, Loaded } from '../parts/layout.js'
import { StepPicture } from '../parts/step-picture.js'
import { Pill, WrappedText } from '../parts/text.js'
import { typedIn } from '../store/form.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { ArmButton, Runs } from './scenario.js'

const matches = ({ name, title, description, problem }: ScenarioSummary, words: string) =>
  words
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${name} ${title} ${description} ${problems[problem].title}`.toLowerCase().includes(word))

export const ScenariosView = () => {
  const page = useQuery('GET /scenarios', {}, ['workspace', 'run'])
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
          <Loaded of={page}>{({ data }) => <Problems rows={data.filter((row) => matches(row, words))} />}</Loaded>
        </div>
        <div class="column">
          <Runs
            query={{}}
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

const Problems = ({ rows }: { rows: readonly ScenarioSummary[] }) => {
  if (rows.length === 0) return <Empty title="No scenario matches">Search for another word, or write a scenario.</Empty>
  const armed = rows.filter((row) => row.armed.length > 0)
  const groups = [
    { title: 'Armed: these scenarios affect the next matching calls of your app', members: armed },
    ...problemNames.map((name) => ({
      title: problems[name].title,
      members: rows.filter((row) => row.problem === name && row.armed.length === 0),
    })),
  ]
  return (
    <>
      {groups.map(({ title, members }) =>
        members.length === 0 ? null : (
          <section key={title}>
            <h2 class="scenario-group">{title}</h2>
            <ul class="scenario-list">
              {members.map((row) => (
                <Card key={row.name} row={row} />
              ))}
            </ul>
          </section>
        ),
      )}
    </>
  )
}

const Card = ({ row }: { row: ScenarioSummary }) => (
  <li>
    <h3>
      <a href={link('scenarios', row.name)}>
        <WrappedText>{row.title}</WrappedText>
      </a>
    </h3>
    <p class="faint">
      <code>{row.name}</code> {row.armed.length === 0 ? null : <Pill status="armed" />}{' '}
      {row.origin === 'built-in' ? null : <Pill status={row.origin} />}
    </p>
    {row.outcome_count === null ? (
      <StepPicture outline={row.outline} />
    ) : (
      <p class="faint">
        {row.outcome_count} outcomes, chosen by the values in a call.{' '}
        <a href={link('scenarios', row.name)}>Show the values</a>
      </p>
    )}
    <div class="row">
      {row.outcome_count === null ? (
        <Button accessibleName={`Run ${row.name}`} onClick={() => askRun(row)}>
          Run
        </Button>
      ) : (
        <span class="faint">Cannot be run: your calls choose the outcome</span>
      )}
      {isArmable(row) ? (
        <ArmButton scenario={row} named />
      ) : (
        <span class="faint">Cannot be armed: its file does not name the call that starts it</span>
      )}
    </div>
  </li>
)
