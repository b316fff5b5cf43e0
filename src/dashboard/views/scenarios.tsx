/** All scenarios, with buttons to run, arm and write them; and the latest runs. */

import { useState } from 'hono/jsx/dom'
import type { ScenarioSummary } from '../../client/types/control.js'
import { controlCurl } from '../curl.js'
import { Button } from '../parts/forms/controls.js'
import { askRun, askUpload } from '../parts/forms/scenario-commands.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { Pill } from '../parts/text.js'
import { typedIn } from '../store/form.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { ArmButton, Runs } from './scenario.js'

const matches = (scenario: ScenarioSummary, word: string) =>
  `${scenario.name} ${scenario.title} ${groupTitles[scenario.about]}`.toLowerCase().includes(word.trim().toLowerCase())

export const ScenariosView = () => {
  const page = useQuery('GET /scenarios', {}, ['workspace', 'run'])
  const [word, setWord] = useState('')
  return (
    <>
      <Head title="Scenarios">
        <Button tone="primary" onClick={askUpload}>
          Write a scenario
        </Button>
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
            <Loaded of={page}>{({ data }) => <ScenarioList rows={data.filter((row) => matches(row, word))} />}</Loaded>
          </Panel>
        </div>
        <div class="column">
          <Runs
            query={{}}
            empty={
              <Empty title="No run yet" curl={controlCurl('POST', '/scenarios/pix-paid/run', { fast_forward: true })}>
                Run a scenario: its steps appear here as they run.
              </Empty>
            }
          />
        </div>
      </div>
    </>
  )
}

const groupTitles: Record<ScenarioSummary['about'] | 'armed', string> = {
  armed: 'Armed scenarios: they affect calls of the integrator',
  cashin: 'Charges',
  cashout: 'Withdrawals',
  transfer: 'Transfers',
  conversion: 'Conversions',
  wallet: 'Wallets',
  dispute: 'Disputes',
  webhooks: 'Webhook delivery',
  answers: 'API responses',
  mixed: 'Combined',
}
/** The keys of the table, in its order. */
const groups = Object.keys(groupTitles) as (keyof typeof groupTitles)[]

const groupOf = ({ armed, about }: ScenarioSummary) => (armed.length > 0 ? 'armed' : about)

const ScenarioList = ({ rows }: { rows: readonly ScenarioSummary[] }) => {
  if (rows.length === 0) return <Empty title="No scenario matches">Search for another word, or write a scenario.</Empty>
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
      <ArmButton scenario={row} isArmable={row.on !== null || row.outcome_count !== null} named />
      <Button accessibleName={`Run ${row.name}`} onClick={() => askRun(row)}>
        Run
      </Button>
    </div>
  </li>
)
