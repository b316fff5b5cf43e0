/** Tasks and their shortest ways from the overview: the help lists them, and a test goes them. */
import { featureTasks } from '../../../features/tasks.js'
import type { Task } from '../../store/route.js'

// biome-ignore format: a table, a row a line
export const tasks: readonly Task[] = [
  { title: 'Create and pay a charge', keys: ['c', 'Control+Enter', 'a'], clicks: ['New charge', 'Create', 'Pay'] },
  { title: 'Find why a webhook failed', keys: ['g', 'f'], clicks: ['Failed webhooks'], opensRow: true },
  { title: 'Redeliver the failed webhooks', keys: ['g', 'f', '*', 'a'], clicks: ['Failed webhooks', 'Select all rows of this page', 'Redeliver'] },
  { title: 'Advance to the end of a dispute', keys: ['/', '“deadline”', 'Enter', 'Enter'], clicks: ['Open disputes', 'the first row', 'Advance the clock to this time'] },
  { title: 'Arm a lost answer', keys: ['/', '“arm {lost-answer}”', 'Enter', 'Enter'], clicks: ['Scenarios', 'Arm {lost-answer}', 'Arm'] },
  { title: 'Compare two attempts of a webhook', keys: ['g', 'f', '/', '“compare attempts”', 'Enter'], clicks: ['Failed webhooks', 'Compare attempts'], opensRow: true },
  { title: 'Undo a reset', keys: ['/', '“undo”', 'Enter'], clicks: ['Snapshots', 'Restore {before-the-last-change}', 'Restore'] },
  { title: 'Read a statement', keys: ['/', '“statement of {merchant}”', 'Enter'], clicks: ['Accounts', 'Statement of {merchant}'] },
  { title: 'Find a payment by the name of the payer', keys: ['/', '“Souza”', 'Enter'], clicks: ['Search', '“Souza”', 'the first result'] },
  ...featureTasks,
]

/** The clicks in a window whose menu hides some entries, and where no row may be open beside a list. */
export function clicksIn({ clicks, opensRow }: Task, hidden: readonly string[], hasRoomForRow: boolean): string[] {
  const [first = '', ...others] = clicks
  const menu = hidden.includes(first) ? ['Menu'] : []
  const row = opensRow === true && !hasRoomForRow ? ['the first row'] : []
  return [...menu, first, ...row, ...others]
}

/** A step in the language of `translate`, where `{}` is the place of what stands in braces. */
export function inWords(step: string, translate: (pattern: string) => string): string {
  const braces = /\{[^{}]*\}/g
  const values = (step.match(braces) ?? []).map((value) => value.slice(1, -1))
  return values.reduce((text, value) => text.replace('{}', value), translate(step.replaceAll(braces, '{}')))
}
