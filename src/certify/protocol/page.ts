/** The generated parts of docs/certify.md, docs/books.md and docs/load.md: the rule tables, the example code and the example programs. */
import { keysOf } from '../../base/keys.js'
import { withParts } from '../../base/markdown.js'
import { booksRules } from './books-rules.js'
import { chaosRules } from './chaos-rules.js'
import { clientRules } from './client-rules.js'
import { type ExampleName, examples } from './examples.js'
import { type Language, languages } from './languages.js'
import { loadProfileNames, loadProfiles } from './load-profiles.js'
import { loadRules } from './load-rules.js'
import { observedIn, observedRows } from './observed.js'
import { receiverRules } from './receiver-rules.js'
import type { RuleRow } from './rules.js'

/** Returns the page with every part between `<!-- made: NAME -->` and `<!-- end -->` generated again. `programs` maps file names to texts. */
export function certifyPage(page: string, programs: Readonly<Record<string, string>>): string {
  const parts: Record<string, string> = {
    'receiver rules': rulesTable(receiverRules),
    'observed responses': observedTable(),
    'client rules': rulesTable(clientRules),
    examples: keysOf(titles).map(exampleBlocks).join('\n\n'),
    ...Object.fromEntries(Object.entries(programs).map(([file, text]) => [file, programBlock(file, text)])),
  }
  return withParts(page, 'docs/certify.md', parts)
}

/** Returns the page about chaos with its parts generated again. */
export const chaosPage = (page: string): string =>
  withParts(page, 'docs/chaos.md', { 'chaos rules': rulesTable(chaosRules) })

/** Returns the page about ledgers with its parts generated again. */
export const booksPage = (page: string): string =>
  withParts(page, 'docs/books.md', { 'books rules': rulesTable(booksRules) })

/** Returns the page about load tests with its parts generated again. */
export const loadPage = (page: string): string => {
  const { 'accept.signed': _first, ...rules } = loadRules
  const profiles = loadProfileNames.map((name) => row(`\`${name}\``, loadProfiles[name].title))
  return withParts(page, 'docs/load.md', {
    'load rules': rulesTable(rules),
    'load profiles': [row('profile', 'rate'), row('---', '---'), ...profiles].join('\n'),
  })
}

const row = (...cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

const rulesTable = (rules: Readonly<Record<string, RuleRow>>): string =>
  [
    row('id', 'requirement', 'check', 'fix'),
    row('---', '---', '---', '---'),
    ...Object.entries(rules).map(([id, { requirement, check, fix, severity, source }]) =>
      row(`\`${id}\`${severity === 'warning' ? ' (warning)' : ''}`, `${requirement}<br>${source}`, check, fix),
    ),
  ].join('\n')

const observedTable = (): string =>
  [
    row('observed', 'fix'),
    row('---', '---'),
    ...observedRows.map((one) =>
      row(`${observedIn(one)}${one.appliesToAnyRule === true ? ' (all requirements)' : ''}`, one.fix),
    ),
  ].join('\n')

const titles: Record<ExampleName, string> = {
  verify: 'The signature',
  timestamp: 'The timestamp',
  dedupe: 'Duplicates',
  answer: 'Response time',
  durable: 'Durability',
  tolerate: 'Unknown events and fields',
  amounts: 'Amounts',
  order: 'Order',
  production: 'Production',
  token: 'Tokens',
  sign: 'Signing',
  repeat: 'Retries',
  wait: 'Rate limits',
  sent: 'Sending amounts',
  read: 'Reading responses',
  withdrawal: 'Withdrawals',
  reconcile: 'Reconciliation',
}

const fences: Record<Language, string> = { node: 'js', python: 'python', php: 'php' }

const exampleBlocks = (name: ExampleName): string =>
  [
    `### ${titles[name]}`,
    ...keysOf(languages).map((language) => `\`\`\`${fences[language]}\n${examples[name][language]}\n\`\`\``),
  ].join('\n\n')

const programBlock = (file: string, text: string): string =>
  `\`\`\`${file.endsWith('.py') ? 'python' : 'js'}\n${text.trimEnd()}\n\`\`\``
