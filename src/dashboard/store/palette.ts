/** What a typed line may mean besides a search: places to go, things to make, the clock to move, scenarios to run. */
import type { ScenarioSummary } from '../../client/types/control.js'
import { askRun } from '../parts/forms/scenario-commands.js'
import { type Action, advance, attempt, triggerOnNew } from './commands.js'
import { kindNames, kindOf } from './creation.js'
import { ask } from './dialog.js'
import { fieldsOf } from './form-schema.js'
import { go, link } from './route.js'

export interface Entry {
  key: string
  group: string
  title: string
  note: string
  run: () => unknown
}

/** A view of the navigation. */
export interface Place {
  path: string
  label: string
}

/** `advance 7 days`, `advance 10m`: as a duration of the API, or null. */
function durationIn(words: string): string | null {
  const [, count, unit = 'm'] = /^(?:advance|\+)\s*(\d{1,6})\s*([a-z]*)$/.exec(words) ?? []
  const letter = unit === '' ? 'm' : unit.charAt(0)
  return count === undefined || !'smhd'.includes(letter) ? null : `${count}${letter}`
}

/** What the search does not look through, but whose whole id says what it is. */
const openings = (id: string): Entry[] =>
  Object.entries({ req_: 'journal', run_: 'runs' }).flatMap(([prefix, view]) =>
    id.startsWith(prefix) ? [going(`Open ${id}`, link(view, id), 'Go to')] : [],
  )

/** All that fit the words, the likeliest first. */
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
    ...(by === null ? [] : [moved(`Advance the clock by ${by}`, { by })]),
    moved('Advance until idle', { until: 'idle' }),
  ]
  const all = [
    ...openings(typed.trim()),
    ...clock,
    ...kindNames.map((name) => going(kindOf(name).title, link('new', name), 'Make')),
    ...scenarios.map(
      (scenario): Entry => ({
        key: `run ${scenario.name}`,
        group: 'Scenarios',
        title: `Run ${scenario.name}`,
        note: scenario.title,
        run: () => askRun(scenario),
      }),
    ),
    ...actions.map(onNew),
    ...places.map(({ path, label }) => going(label, link(path), 'Go to')),
  ]
  const fits = ({ title, note }: Entry) =>
    words.split(/\s+/).every((word) => `${title} ${note}`.toLowerCase().includes(word))
  return all.filter((entry, at) => (by !== null && at === 0) || fits(entry)).slice(0, 8)
}

/** With the parameters of the action; what it is done to is made for it. */
const onNew = ({ name, title, params }: Action): Entry => ({
  key: `create ${name}`,
  group: 'Actions',
  title: `${name} on a new object`,
  note: title,
  run: () =>
    ask<Record<string, unknown>>({
      title,
      name,
      text: 'A suitable object is created first.',
      fields: fieldsOf(params),
      submit: 'Create and do it',
      run: (values) => triggerOnNew(name, values),
    }),
})

const moved = (title: string, wish: Parameters<typeof advance>[0]): Entry => ({
  key: title,
  group: 'Clock',
  title,
  note: 'Everything that falls due on the way happens',
  run: () => attempt(() => advance(wish)),
})

const going = (title: string, href: string, group: string): Entry => ({
  key: href,
  group,
  title,
  note: '',
  run: () => go(href),
})
