/** Generates the tables of docs/scenarios.md from the tables that the program uses. */
import type * as z from 'zod'
import { scenarioFile } from '../../src/protocol/scenario/file.js'
import {
  expectSchema,
  isFault,
  type StepName,
  schemaOf,
  stepNames,
  stepTable,
} from '../../src/protocol/scenario/steps.js'
import { withParts } from './markdown.js'

/** Returns the page with all generated tables, which stand between `<!-- made: NAME -->` and `<!-- end -->`. */
export function scenarioPage(page: string): string {
  const parts = Object.entries(tables).map(([name, table]): [string, string] => [name, table()])
  return withParts(page, 'docs/scenarios.md', Object.fromEntries(parts))
}

const tables: Record<string, () => string> = {
  file: () => fields(scenarioFile().shape, (name) => name !== '$schema'),
  steps: () => steps((name) => !isFault(name) && name !== 'webhooks'),
  expect: () => fields(expectSchema().shape, () => true),
  faults: () => steps(isFault),
  webhooks: () => fields(stepTable.webhooks.schema().shape, () => true),
}

const row = (...cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

function fields(shape: Readonly<Record<string, z.ZodType>>, isShown: (name: string) => boolean): string {
  const visibleFields = Object.entries(shape).filter(([name]) => isShown(name))
  return [
    row('field', 'meaning'),
    row('---', '---'),
    ...visibleFields.map(([name, schema]) => row(`\`${name}\``, schema.description ?? '')),
  ].join('\n')
}

function steps(isShown: (name: StepName) => boolean): string {
  return [
    row('step', 'what happens', 'examples'),
    row('---', '---', '---'),
    ...stepNames.filter(isShown).map((name) => {
      const { title, examples } = stepTable[name]
      return row(`\`${name}\``, title, examples.map((example) => `\`${written(name, example)}\``).join('<br>'))
    }),
  ].join('\n')
}

/** A step as a line of a file: an action without parameters is one word. */
const written = (name: StepName, example: unknown): string =>
  schemaOf(name).safeParse({}).success && isEmpty(example) && name !== 'webhooks' ? name : `${name}: ${flow(example)}`

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (value === null || typeof value !== 'object')
    return typeof value === 'string' && !/^[\w .@-]+$/.test(value) ? JSON.stringify(value) : String(value)
  const pairs = Object.entries(value).map(([key, item]) => `${key}: ${flow(item)}`)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}
