/** All scenarios: run one, arm one, write one; and the runs so far. */

import { useState } from 'hono/jsx/dom'
import type { ScenarioSummary } from '../../client/types/control.js'
import { controlCurl } from '../curl.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { RunTable } from '../parts/run-list.js'
import { askArm, askRun, askUpload, disarm } from '../parts/scenario-commands.js'
import { Pill } from '../parts/text.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { typedIn } from '../store/typed-text.js'

const fits = (scenario: ScenarioSummary, word: string) =>
  `${scenario.name} ${scenario.title}`.toLowerCase().includes(word.trim().toLowerCase())

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

/** Those that are armed come first: they change what the integrator sees. */
const ScenarioList = ({ rows }: { rows: readonly ScenarioSummary[] }) => {
  if (rows.length === 0) return <Empty title="No scenario fits">Look for another word, or write one.</Empty>
  const sorted = [...rows].sort((a, b) => Number(b.armed.length > 0) - Number(a.armed.length > 0))
  return (
    <ul class="scenario-list">
      {sorted.map((row) => (
        <li key={row.name}>
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
      ))}
    </ul>
  )
}
