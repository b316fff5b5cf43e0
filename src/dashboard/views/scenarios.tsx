/** All scenarios: run one, arm one, write one; and the runs so far. */

import { useState } from 'hono/jsx/dom'
import type { ScenarioSummary } from '../../client/types/control.js'
import { controlCurl } from '../curl.js'
import { askArm, askRun, askUpload, disarm } from '../parts/forms/scenario-commands.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { RunTable } from '../parts/tables/runs.js'
import { Pill } from '../parts/text.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { typedIn } from '../store/typed-text.js'

const fits = (scenario: ScenarioSummary, word: string) =>
  `${scenario.name} ${scenario.title} ${groupTitles[scenario.about]}`.toLowerCase().includes(word.trim().toLowerCase())

export const ScenariosView = () => {
  const page = useQuery('GET /scenarios', {}, ['workspace', 'run'])
  const runs = useQuery('GET /runs', { query: { limit: 10 } }, ['run', 'workspace'])
  const [word, setWord] = useState('')
  return (
    <>
      <Head title="Scenarios">
        <button type="button" class="button primary" onClick={askUpload}>
          Write a scenario
        </button>
      </Head>
      <div class="columns">
        <div class="column wide">
          <search class="filters">
            <label>
              <span>Find</span>
              <input
                type="search"
                placeholder="dispute, timeout, duplicate…"
                onInput={(event: Event) => setWord(typedIn(event))}
              />
            </label>
          </search>
          <Panel flush>
            <Loaded of={page}>{({ data }) => <ScenarioList rows={data.filter((row) => fits(row, word))} />}</Loaded>
          </Panel>
        </div>
        <div class="column">
          <Panel title="Runs" flush>
            <Loaded of={runs}>
              {({ data }) =>
                data.length === 0 ? (
                  <Empty
                    title="No run yet"
                    curl={controlCurl('POST', '/scenarios/pix-paid/run', { fast_forward: true })}
                  >
                    Run a scenario: its steps show up here as they happen.
                  </Empty>
                ) : (
                  <RunTable rows={data} />
                )
              }
            </Loaded>
          </Panel>
        </div>
      </div>
    </>
  )
}

const groupTitles: Record<ScenarioSummary['about'] | 'armed', string> = {
  armed: 'Armed: they change what the integrator sees',
  cashin: 'Charges',
  cashout: 'Withdrawals',
  transfer: 'Transfers',
  conversion: 'Conversions',
  wallet: 'Wallets',
  dispute: 'Disputes',
  webhooks: 'How webhooks come',
  answers: 'What calls are answered',
  mixed: 'Several of these',
}
/** The keys of the table, in its order. */
const groups = Object.keys(groupTitles) as (keyof typeof groupTitles)[]

const groupOf = ({ armed, about }: ScenarioSummary) => (armed.length > 0 ? 'armed' : about)

const ScenarioList = ({ rows }: { rows: readonly ScenarioSummary[] }) => {
  if (rows.length === 0) return <Empty title="No scenario fits">Look for another word, or write one.</Empty>
  return (
    <>
      {groups.map((group) => {
        const members = rows.filter((row) => groupOf(row) === group)
        return members.length === 0 ? null : (
          <>
            <h2 class="scenario-group">{groupTitles[group]}</h2>
            <ul class="scenario-list">
              {members.map((row) => (
                <ScenarioItem key={row.name} row={row} />
              ))}
            </ul>
          </>
        )
      })}
    </>
  )
}

const ScenarioItem = ({ row }: { row: ScenarioSummary }) => (
  <li>
    <div class="scenario-text">
      <p>
        <a href={link('scenarios', row.name)}>
          <strong>{row.name}</strong>
        </a>{' '}
        {row.armed.length === 0 ? null : <Pill status="armed" />}
        {row.origin === 'built-in' ? null : <Pill status={row.origin} />}
      </p>
      <p class="faint">{row.title}</p>
    </div>
    <div class="row">
      {row.on === null && row.outcome_count === null ? null : row.armed.length === 0 ? (
        <button type="button" class="button" aria-label={`Arm ${row.name}`} onClick={() => askArm(row)}>
          Arm
        </button>
      ) : (
        <button type="button" class="button" aria-label={`Disarm ${row.name}`} onClick={() => disarm(row)}>
          Disarm
        </button>
      )}
      <button type="button" class="button" aria-label={`Run ${row.name}`} onClick={() => askRun(row)}>
        Run
      </button>
    </div>
  </li>
)
