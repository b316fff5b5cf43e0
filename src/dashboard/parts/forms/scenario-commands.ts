/** Forms that run, arm and delete scenarios. */

import { parseDuration } from '../../../base/duration.js'
import type { Scenario, ScenarioSummary } from '../../../client/types/control.js'
import { type Body, call } from '../../api.js'
import { span } from '../../format.js'
import { t } from '../../language.js'
import { attempt, runWithUndo, send, showMessage } from '../../store/commands.js'
import { type Field, openForm } from '../../store/form.js'
import { go, goFromHere, link } from '../../store/route.js'

type RunOptions = Body<'POST /scenarios/{name}/run'>

/** Opens the run's page, which shows its steps. */
async function runScenario(name: string, body: RunOptions): Promise<void> {
  const open = goFromHere()
  const started = await send('POST /scenarios/{name}/run', { params: { name }, body })
  open(link('runs', started.id))
}

/** Total waiting time of its steps; null if it depends on a parameter. */
function waitsMs(steps: NonNullable<Scenario['steps']>, params: ScenarioSummary['params']): number | null {
  let sumMs = 0
  for (const step of steps) {
    if (typeof step.wait !== 'string' && typeof step.wait !== 'number') continue
    const named = /^\$\{(\w+)\}$/.exec(String(step.wait))?.[1]
    const ms = parseDuration(String(named === undefined ? step.wait : params[named]))
    if (ms === null) return null
    sumMs += ms
  }
  return sumMs
}

/** A title or description that comes with the sandbox is translated; that of the user's own file stays. */
export const ownText = ({ origin }: ScenarioSummary, text: string): string => (origin === 'built-in' ? t(text) : text)
export const titleOf = (row: ScenarioSummary): string => ownText(row, row.title)

/** Describes the effect of a run on the clock, which the whole workspace shares. */
function clockNote(scenario: Scenario): string {
  const ms = waitsMs(scenario.steps ?? [], scenario.params)
  if (ms === 0) return 'The scenario does not wait, so the clock does not move.'
  const long = ms === null ? t('for a time that depends on its parameters') : t`for ${span(ms)}`
  return t`The scenario waits ${long}. If you advance the clock, it advances for the whole workspace, and all other jobs that become due run too. Otherwise the run continues with the clock.`
}

/** Asks first, because a run advances the clock. The state is saved before, so that it can be undone. */
export const askRun = (summary: ScenarioSummary): Promise<void> =>
  attempt(async () => {
    const scenario = await call('GET /scenarios/{name}', { params: { name: summary.name } })
    openRunForm(scenario, await accountField('The first account'))
  })

/** `placeholder` is what holds without a choice. */
const accountField = async (placeholder: string): Promise<Field<'account'>> => {
  const { data } = await call('GET /accounts')
  return { name: 'account', kind: 'choice', choices: data.map(({ username }) => username), placeholder }
}

function openRunForm(scenario: Scenario, account: Field<'account'>): void {
  const own: Field<`params.${string}`>[] = Object.entries(scenario.params).map(([name, value]) => ({
    name: `params.${name}`,
    value: String(value),
  }))
  openForm<RunOptions>({
    title: t`Run ${scenario.name}`,
    text: `${titleOf(scenario)}. ${t(clockNote(scenario))}`,
    fields: [
      { name: 'fast_forward', label: 'Advance the clock instead of waiting', kind: 'check', value: true },
      ...own,
      { name: 'id', label: 'Object', hint: 'Its id or external_id. If empty, the scenario creates one.' },
      account,
    ],
    submit: 'Run',
    run: (values) => {
      const { name } = scenario
      const done =
        scenario.problem === 'forgery'
          ? t`Started: run of ${name}. Your app should refuse its webhooks.`
          : t`Started: run of ${name}`
      return runWithUndo(done, () =>
        runScenario(name, { ...values, params: parseParameters(scenario, values.params), wait: false }),
      )
    },
  })
}

/** Form values are texts; each gets the type of its parameter's default. */
function parseParameters(scenario: ScenarioSummary, given: RunOptions['params']): NonNullable<RunOptions['params']> {
  return Object.fromEntries(
    Object.entries(given ?? {}).map(([name, value]) => {
      const kind = typeof scenario.params[name]
      const text = String(value)
      if (kind === 'number' && text !== '' && Number.isFinite(Number(text))) return [name, Number(text)]
      return [name, kind === 'boolean' ? text === 'true' : text]
    }),
  )
}

/** Without a call to wait for, a scenario can only be run. */
export const isArmable = ({ on, outcome_count }: ScenarioSummary): boolean => on !== null || outcome_count !== null

export const askArm = (scenario: ScenarioSummary): Promise<void> =>
  attempt(async () => openArmForm(scenario, await accountField('All accounts')))

function openArmForm(scenario: ScenarioSummary, account: Field<'account'>): void {
  openForm<Body<'POST /scenarios/{name}/arm'>>({
    title: t`Arm ${scenario.name}`,
    text: 'From now on the scenario affects the matching calls of your app.',
    fields: [
      {
        name: 'times',
        hint: 'If empty, all matching calls.',
        value: String(scenario.times ?? ''),
      },
      account,
    ],
    submit: 'Arm',
    run: async ({ times, ...rest }) => {
      await send('POST /scenarios/{name}/arm', {
        params: { name: scenario.name },
        body: {
          ...rest,
          ...(times === undefined || Number.isNaN(Number(times)) ? { times } : { times: Number(times) }),
        },
      })
      showMessage(t`Armed: ${scenario.name}`, { label: 'Disarm', run: () => disarm(scenario) })
    },
  })
}

export const disarm = ({ name }: ScenarioSummary): Promise<void> =>
  attempt(() => send('DELETE /scenarios/{name}/arm', { params: { name } }), t`${name} is disarmed`)

/** Undo uploads the same file again, and arms it as before. */
export function askDelete({ name, yaml, armed }: Scenario): void {
  const undo = async () => {
    await send('POST /scenarios', { body: yaml, contentType: 'application/yaml' })
    for (const { times, account } of armed)
      await send('POST /scenarios/{name}/arm', { params: { name }, body: { times, account: account ?? undefined } })
    go(link('scenarios', name))
  }
  openForm({
    title: t`Delete the scenario “${name}”?`,
    text: 'You can undo this. Runs that it has started continue.',
    submit: 'Delete',
    danger: true,
    run: async () => {
      const open = goFromHere()
      await send('DELETE /scenarios/{name}', { params: { name } })
      open(link('scenarios'))
      showMessage(t`Deleted: ${name}`, {
        label: 'Undo',
        run: () => attempt(undo, t`Undone: deletion of ${name}`),
      })
    },
  })
}
