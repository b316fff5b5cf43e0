/** A scenario as people read it: what it is for, when it starts, its steps; a table where it is one of magic values. */
import { bold, dim, harmless } from './style.js'
import { type Column, facts, table } from './table.js'

type Stringify = (value: unknown) => string

interface On {
  operation: string
  where?: Record<string, unknown>
}

export interface ShownScenario {
  name: string
  title?: string
  description?: string
  on?: On
  times?: number
  params?: Record<string, string | number | boolean>
  steps?: unknown[]
  outcomes?: { title: string; on: On; steps: unknown[] }[]
  origin?: string
  [more: string]: unknown
}

export function shownScenario(scenario: ShownScenario, stringify: Stringify): string {
  const { name, title, description, on, times, params, steps, outcomes, origin } = scenario
  return [
    `${bold(name)}${title === undefined ? '' : `  ${harmless(title)}`}\n`,
    description === undefined ? '' : `\n${harmless(description.trim())}\n`,
    '\n',
    facts([
      ['from', origin],
      ['starts on', on === undefined ? undefined : inWords(on)],
      ['times', times],
      ...Object.entries(params ?? {}).map(([key, value]) => [`param ${key}`, String(value)] as const),
    ]),
    steps === undefined ? '' : `\n${bold('Steps')}\n${harmless(stringify(steps))}`,
    outcomes === undefined ? '' : `\n${outcomeTable(outcomes, stringify)}`,
    `\n${dim(`payments-sandbox scenario ${on === undefined && outcomes === undefined ? 'run' : 'arm'} ${name}`)}\n`,
  ].join('')
}

function inWords({ operation, where = {} }: On): string {
  const conditions = Object.entries(where).map(
    ([field, value]) => `${field} ${isComparison(value) ? '' : 'is '}${plain(value)}`,
  )
  return [operation, ...conditions].join(', ')
}

const isComparison = (value: unknown) => typeof value === 'string' && /^[<>=!]/.test(value)
const plain = (value: unknown) => (Array.isArray(value) ? value.join(' or ') : String(value))

function outcomeTable(outcomes: NonNullable<ShownScenario['outcomes']>, stringify: Stringify): string {
  const columns: readonly Column<(typeof outcomes)[number]>[] = [
    { title: 'WHEN', of: (row) => inWords(row.on) },
    { title: 'WHAT HAPPENS', of: (row) => row.title },
    {
      title: 'STEPS',
      of: (row) =>
        row.steps
          .map((step) =>
            stringify(step)
              .trim()
              .replace(/\s*\n\s*/g, ' '),
          )
          .join('; '),
    },
  ]
  return table(columns, outcomes, 'no outcomes')
}
