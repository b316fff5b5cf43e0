/** The parts of docs/certify.md that are made from the tables that the program works by, and from the programs that it certifies. */
import { keysOf } from '../../base/keys.js'
import { withParts } from '../../base/markdown.js'
import { clientRules } from './client-rules.js'
import { type ExampleName, examples } from './examples.js'
import { type Language, languages } from './languages.js'
import { observedRows } from './observed.js'
import { receiverRules } from './receiver-rules.js'
import type { RuleRow } from './rules.js'

/** The page with each of its made parts as it should be; they stand between `<!-- made: NAME -->` and `<!-- end -->`. `programs` are texts by file name. */
export function certifyPage(page: string, programs: Readonly<Record<string, string>>): string {
  const parts: Record<string, string> = {
    'receiver rules': rulesTable(receiverRules),
    'observed answers': observedTable(),
    'client rules': rulesTable(clientRules),
    examples: keysOf(titles).map(exampleBlocks).join('\n\n'),
    ...Object.fromEntries(Object.entries(programs).map(([file, text]) => [file, programBlock(file, text)])),
  }
  return withParts(page, 'docs/certify.md', parts)
}

const row = (...cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

const rulesTable = (rules: Readonly<Record<string, RuleRow>>): string =>
  [
    row('rule', 'requirement', 'how it is tried', 'how to fix it'),
    row('---', '---', '---', '---'),
    ...Object.entries(rules).map(([id, { requirement, check, fix, severity, source }]) =>
      row(`\`${id}\`${severity === 'warning' ? ' (warning)' : ''}`, `${requirement}<br>${source}`, check, fix),
    ),
  ].join('\n')

const observedTable = (): string =>
  [
    row('observed', 'fix'),
    row('---', '---'),
    ...observedRows.map(({ observed, fix, always }) =>
      row(`${observed}${always === true ? ' (whatever was tested)' : ''}`, fix),
    ),
  ].join('\n')

const titles: Record<ExampleName, string> = {
  verify: 'The signature',
  timestamp: 'The timestamp',
  dedupe: 'Duplicates',
  answer: 'Answering in time',
  durable: 'Nothing lost',
  tolerate: 'Events and fields that you do not know',
  amounts: 'Amounts',
  order: 'Order',
  production: 'Production',
  token: 'Tokens',
  sign: 'Signing',
  repeat: 'Making a call again',
  wait: 'Waiting when told to',
  sent: 'Amounts that are sent',
  read: 'Reading answers',
  withdrawal: 'Withdrawals',
  reconcile: 'What nobody told',
}

const fences: Record<Language, string> = { node: 'js', python: 'python', php: 'php' }

const exampleBlocks = (name: ExampleName): string =>
  [
    `### ${titles[name]}`,
    ...keysOf(languages).map((language) => `\`\`\`${fences[language]}\n${examples[name][language]}\n\`\`\``),
  ].join('\n\n')

const programBlock = (file: string, text: string): string =>
  `\`\`\`${file.endsWith('.py') ? 'python' : 'js'}\n${text.trimEnd()}\n\`\`\``
