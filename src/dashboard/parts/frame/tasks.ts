/** Ten tasks and their shortest ways from the overview: the help lists them, and a test goes them. */

interface Task {
  title: string
  keys: readonly string[]
  /** What is clicked, by its name. Words of the sandbox itself stand in braces. */
  clicks: readonly string[]
}

/** A pressed key, a click and a typed text, which stands in quotation marks, are one step each. */
// biome-ignore format: a table, a row a line
export const tasks: readonly Task[] = [
  { title: 'Create and pay a charge', keys: ['c', 'Control+Enter', 'a'], clicks: ['New charge', 'Create', 'Pay'] },
  { title: 'Find why a webhook failed', keys: ['g', 'f'], clicks: ['Failed webhooks'] },
  { title: 'Redeliver ten webhooks', keys: ['g', 'f', '*', 'a'], clicks: ['Failed webhooks', 'Select all rows of this page', 'Redeliver'] },
  { title: 'Advance to the end of a dispute', keys: ['/', '“deadline”', 'Enter', 'Enter'], clicks: ['Open disputes', 'the first row', 'Advance the clock to this time'] },
  { title: 'Arm a lost answer', keys: ['/', '“arm {lost-answer}”', 'Enter', 'Enter'], clicks: ['Scenarios', 'Arm {lost-answer}', 'Arm'] },
  { title: 'Compare two attempts of a webhook', keys: ['g', 'f', '/', '“compare attempts”', 'Enter'], clicks: ['Failed webhooks', 'Compare attempts'] },
  { title: 'Undo a reset', keys: ['/', '“undo”', 'Enter'], clicks: ['Snapshots', 'Restore {before-the-last-change}', 'Restore'] },
  { title: 'Certify your receiver', keys: ['g', 'c', '“the URL of your receiver”', 'Enter'], clicks: ['Certify', '“the URL of your receiver”', 'Certify'] },
  { title: 'Read a statement', keys: ['/', '“statement of {merchant}”', 'Enter'], clicks: ['Accounts', 'Statement of {merchant}'] },
  { title: 'Find a payment by the name of the payer', keys: ['/', '“Souza”', 'Enter'], clicks: ['Search', '“Souza”', 'the first result'] },
]

/** A step in the language of `translate`, where `{}` is the place of what stands in braces. */
export function inWords(step: string, translate: (pattern: string) => string): string {
  const braces = /\{[^{}]*\}/g
  const values = (step.match(braces) ?? []).map((value) => value.slice(1, -1))
  return values.reduce((text, value) => text.replace('{}', value), translate(step.replaceAll(braces, '{}')))
}
