/** Commands of the search field: views to open, objects to create, advances of the clock, scenarios to run. */
import type { ScenarioSummary } from '../../client/types/control.js'
import { askRun } from '../parts/forms/scenario-commands.js'
import { type Action, advance, attempt, triggerOnNew } from './commands.js'
import { kindNames, kindOf } from './creation.js'
import { openForm } from './dialog.js'
import { fieldsOf } from './form-schema.js'
import { go, link } from './route.js'

export interface Entry {
  key: string
  group: string
  title: string
  note: string
  run: () => unknown
}

/** A view in the navigation. */
export interface Place {
  path: string
  label: string
}

/** Parses `advance 7 days` or `advance 10m` to a duration of the API, or null. */
function durationIn(words: string): string | null {
  const [, count, unit = 'm'] = /^(?:advance|\+)\s*(\d{1,6})\s*([a-z]*)$/.exec(words) ?? []
  const letter = unit === '' ? 'm' : unit.charAt(0)
  return count === undefined || !'smhd'.includes(letter) ? null : `${count}${letter}`
}

/** Opens an object by its complete id, for kinds that the search does not cover. */
const openById = (id: string): Entry[] =>
  Object.entries({ req_: 'requests', run_: 'runs' }).flatMap(([prefix, view]) =>
    id.startsWith(prefix) ? [openEntry(`Open ${id}`, link(view, id), 'Go to')] : [],
  )

/** All matching entries, the most likely first. */
export function entriesFor(
  typed: string,
  {
    scenarios,
    actions,
    places,
  }: { scenarios: readonly ScenarioSummary[]; actions: readonly Action[]; places: readonly Place[] },
): Entry[] {
  const words = typed.trim().toLowerCase()
  const by = durationIn(words)
  const clock: Entry[] = [
    ...(by === null ? [] : [advanceEntry(`Advance the clock by ${by}`, { by })]),
    advanceEntry('Run all jobs', { until: 'idle' }),
  ]
  const all = [
    ...openById(typed.trim()),
    ...clock,
    ...kindNames.map((name) => openEntry(kindOf(name).title, link('new', name), 'Create')),
    ...scenarios.map(
      (scenario): Entry => ({
        key: `run ${scenario.name}`,
        group: 'Scenarios',
        title: `Run ${scenario.name}`,
        note: scenario.title,
        run: () => askRun(scenario),
      }),
    ),
    ...actions.map(createEntry),
    ...places.map(({ path, label }) => openEntry(label, link(path), 'Go to')),
  ]
  const matches = ({ title, note }: Entry) =>
    words.split(/\s+/).every((word) => `${title} ${note}`.toLowerCase().includes(word))
  return all.filter((entry, at) => (by !== null && at === 0) || matches(entry)).slice(0, 8)
}

/** An action with its parameters, on an object that is created for it. */
const createEntry = ({ name, title, params }: Action): Entry => ({
  key: `create ${name}`,
  group: 'Actions',
  title: `${name} on a new object`,
  note: title,
  run: () =>
    openForm<Record<string, unknown>>({
      title,
      name,
      text: 'A suitable object is created first.',
      fields: fieldsOf(params),
      submit: 'Create and trigger',
      run: (values) => triggerOnNew(name, values),
    }),
})

const advanceEntry = (title: string, target: Parameters<typeof advance>[0]): Entry => ({
  key: title,
  group: 'Clock',
  title,
  note: 'Due jobs run in order',
  run: () => attempt(() => advance(target)),
})

const openEntry = (title: string, href: string, group: string): Entry => ({
  key: href,
  group,
  title,
  note: '',
  run: () => go(href),
})
