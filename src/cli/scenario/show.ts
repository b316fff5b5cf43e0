/** Formats a scenario for people: purpose, start condition, steps, or the table of magic values. */
import type { Scenario } from '../../client/types/control.js'
import { bold, dim, replaceControls } from '../terminal/style.js'
import { type Column, formatFields, table } from '../terminal/table.js'

type Stringify = (value: unknown) => string

type On = NonNullable<Scenario['on']>

export function shownScenario(scenario: Scenario, stringify: Stringify): string {
  const { name, title, description, on, times, params, steps, outcomes, origin } = scenario
  return [
    `${bold(name)}  ${replaceControls(title)}\n`,
    description === null ? '' : `\n${replaceControls(description.trim())}\n`,
    '\n',
    formatFields([
      ['from', origin],
      ['starts on', on === null ? null : describeCall(on)],
      ['times', times],
      ...Object.entries(params).map(([key, value]) => [`param ${key}`, String(value)] as const),
    ]),
    steps === null ? '' : `\n${bold('Steps')}\n${replaceControls(stepsText(stringify(steps)))}`,
    outcomes === null ? '' : `\n${outcomeTable(outcomes, stringify)}`,
    `\n${dim(`payments-sandbox scenario ${on === null && outcomes === null ? 'run' : 'arm'} ${name}`)}\n`,
  ].join('')
}

/** `cashout, currency is USDT, network is tron`. */
export function describeCall({ operation, where = {} }: On): string {
  const conditions = Object.entries(where).map(
    ([field, value]) => `${field} ${isComparison(value) ? '' : 'is '}${formatValue(value)}`,
  )
  return [operation, ...conditions].join(', ')
}

/** Shows an action without parameters as one word. */
const stepsText = (yaml: string) => yaml.replace(/: \{\}$/gm, '')

const isComparison = (value: unknown) => typeof value === 'string' && /^[<>=!]/.test(value)
const formatValue = (value: unknown) => (Array.isArray(value) ? value.join(' or ') : String(value))

function outcomeTable(outcomes: NonNullable<Scenario['outcomes']>, stringify: Stringify): string {
  const columns: readonly Column<(typeof outcomes)[number]>[] = [
    { title: 'WHEN', of: (row) => describeCall(row.on) },
    { title: 'WHAT HAPPENS', of: (row) => row.title },
    {
      title: 'STEPS',
      of: (row) =>
        row.steps
          .map((step) =>
            stringify(step)
              .split('\n')
              .map((line) => line.trim())
              .filter((line) => line !== '')
              .join(' '),
          )
          .join('; '),
    },
  ]
  return table(columns, outcomes, 'no outcomes')
}
