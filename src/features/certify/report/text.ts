/** The report as text for a terminal: one line for each requirement, then each failure with its fix and example code, then the verdict. */
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import { bold, dim, paint, replaceControls } from '../../../inside/commands.js'
import { program } from '../../../inside/node.js'
import { keysOf } from '../../../inside/values.js'
import type { Evidence, NotTested, RuleReport, WarnedCalls } from './evidence.js'
import {
  type ExampleName,
  exampleFor,
  groupLine,
  type Report,
  type RuleRow,
  resultWord,
  sourceText,
  testedRules,
} from './rules.js'

type Rules = Readonly<Record<string, RuleRow>>

interface TextOptions {
  rules: Rules
  language: Language
  /** Returns further lines about a failed rule. */
  details?: (rule: string) => string
  /** Lines above those of the rules, and below the verdict. */
  above?: string
  below?: string
}

/** The whole report. */
export function reportText(what: string, report: Report, { above = '', below = '', ...options }: TextOptions): string {
  const lines = testedRules(report).map((rule) => ruleLine(rule, options.rules))
  return [head(what), above, ...lines, conclusion(report, options), below].join('')
}

export const head = (url: string): string => `\n${bold('Certifying')} ${replaceControls(url)}\n\n`

const signs: Record<ReturnType<typeof resultWord>, Parameters<typeof paint>> = {
  passed: ['green', '✓'],
  failed: ['red', '✗'],
  warning: ['yellow', '!'],
  inconclusive: ['yellow', '?'],
  skipped: ['dim', '·'],
}

const sign = (rule: Pick<RuleReport, 'result' | 'severity'>): string => paint(...signs[resultWord(rule)])

export function ruleLine(
  { id, result, observed }: Pick<RuleReport, 'id' | 'result' | 'observed'>,
  rules: Rules,
): string {
  const { requirement, severity } = rules[id] ?? { requirement: id, severity: 'error' as const }
  const isOpen = result === 'inconclusive' || result === 'skipped'
  const why = `${isOpen ? `${result}: ` : ''}${replaceControls(observed)}`
  const more = result === 'passed' ? '' : `\n    ${isOpen ? dim(why) : why}`
  return `  ${sign({ result, severity })} ${isOpen ? dim(requirement) : requirement}${more}\n`
}

/** Returns everything below the rule lines. */
export function conclusion(report: Report, { rules, language, details = () => '' }: TextOptions): string {
  const { rules: reported, not_tested: groups, warnings = [] } = report
  const failures = reported.filter(({ result }) => result === 'failed')
  const names = [...new Set(failures.flatMap((rule) => exampleOf(rule, rules) ?? []))]
  const examples = names.flatMap((name) => exampleIn(language, name) ?? [])
  return [
    ...groups.map(groupText),
    ...failures.map((rule, at) => explained(rule, at + 1) + details(rule.id)),
    ...(examples.length === 0 ? [] : [examplesHead(language), ...examples.map(indented)]),
    ...(warnings.length === 0 ? [] : [`\n${bold('Warnings')}\n`, ...warnings.map(warnedText)]),
    `\n${verdictLine(report)}\n`,
  ].join('')
}

/** Largest number of rules in a group whose ids are listed. */
const maxListedRules = 3

function groupText(group: NotTested): string {
  const names = group.rules.length > maxListedRules ? '' : `: ${group.rules.join(', ')}`
  return `  ${paint(...signs.inconclusive)} ${dim(`${groupLine(group)}${names}`)}\n`
}

const exampleOf = ({ id, evidence }: RuleReport, rules: Rules): ExampleName | undefined => {
  const row = rules[id]
  return row === undefined ? undefined : exampleFor(row, evidence?.answer)
}

/** Formats one warning: `POST /v2/…, 3 calls: ammount is not a field of this call …`. */
export const warnedLine = ({ method, path, calls, code, message, request_id: id }: WarnedCalls): string =>
  `${code}: ${method} ${path} (${calls === 1 ? id : `${calls} calls, first ${id}`}): ${message}`

const warnedText = (warned: WarnedCalls): string => `  ${paint('yellow', '!')} ${replaceControls(warnedLine(warned))}\n`

function explained({ id, requirement, source, observed, severity, fix, evidence }: RuleReport, number: number): string {
  const kind = severity === 'warning' ? paint('yellow', 'warning') : paint('red', 'failed')
  return [
    `\n${bold(`${number}. ${requirement}`)} ${dim(id)}\n`,
    `   ${kind}  ${replaceControls(observed)}\n`,
    `   ${dim('source')}  ${sourceText(source)}\n`,
    `   ${dim('fix')}     ${fix}\n`,
    evidence === null ? '' : evidenceText(evidence),
  ].join('')
}

/** Longest body that is shown in full, in characters. */
const maxBodyChars = 400
const truncate = (text: string) => (text.length > maxBodyChars ? `${text.slice(0, maxBodyChars)}…` : text)

function evidenceText({ request, answer }: Evidence): string {
  const headers = Object.entries(request.headers).filter(([name]) => /^x-/i.test(name))
  const lines = [
    `POST ${request.url}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    truncate(request.body),
    `→ ${answer.status ?? answer.outcome} after ${answer.duration_ms} ms${answer.body ? ` ${truncate(answer.body)}` : ''}`,
  ]
  return `${lines.map((line) => `     ${dim(replaceControls(line).replace(/[\r\n]+/g, ' '))}\n`).join('')}`
}

function examplesHead(language: Language): string {
  const others = keysOf(languages).filter((name) => name !== language)
  return `\n${bold(`Example code in ${languages[language].title}`)} ${dim(`(others: ${others.map((name) => `--language ${name}`).join(', ')})`)}\n`
}

const indented = (code: string): string => `\n${code.replaceAll(/^/gm, '   ')}\n`

export function ruleCounts(rules: readonly RuleReport[]) {
  const words = rules.map(resultWord)
  const count = (word: (typeof words)[number]) => words.filter((one) => one === word).length
  const [passed, failed, warnings] = [count('passed'), count('failed'), count('warning')]
  return { passed, failed, warnings, inconclusive: count('inconclusive'), skipped: count('skipped') }
}

const verdictColors = { passed: 'green', failed: 'red', incomplete: 'yellow' } as const

const verdictLine = ({ verdict, rules }: Report): string =>
  `${paint(verdictColors[verdict], verdict)}: ${countsText(rules)}`

/** `2 of 37 requirements failed, 17 passed, 16 inconclusive, 2 skipped`. */
export function countsText(rules: readonly RuleReport[]): string {
  const { passed, failed, warnings, inconclusive, skipped } = ruleCounts(rules)
  const all = rules.length
  const parts = [
    ...(failed === 0
      ? [passed === all ? `all ${all} requirements passed` : `${passed} of ${all} requirements passed`]
      : [`${failed} of ${all} requirements failed`, `${passed} passed`]),
    ...(warnings === 0 ? [] : [warnings === 1 ? '1 warning' : `${warnings} warnings`]),
    ...(inconclusive === 0 ? [] : [`${inconclusive} inconclusive`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ]
  return parts.join(', ')
}

/** How a project in a language is recognized: the names of its commands, and files in its folder. */
// biome-ignore format: a table, a row a line
export const languages = {
  node: { title: 'Node', file: 'node.mjs', command: /^(node|npm|npx|bun|deno|tsx|yarn|pnpm)$/, files: ['package.json'] },
  python: { title: 'Python', file: 'python.py', command: /^(python[\d.]*|uv|poetry|flask|gunicorn|uvicorn|pytest)$/, files: ['pyproject.toml', 'requirements.txt', 'Pipfile', 'manage.py'] },
  php: { title: 'PHP', file: 'php.php', command: /^(php[\d.]*|artisan|composer)$/, files: ['composer.json', 'artisan'] },
} as const
export type Language = keyof typeof languages
const languageNames = keysOf(languages)

const fallback: Language = 'node'

export interface LanguageFlags {
  json?: boolean
  language?: Language
}

export const addLanguageFlag = (command: Command): Command =>
  command.addOption(
    new Option(
      '--language <name>',
      `language of the example code in the report (default: the language of the command or of the current folder, else ${fallback})`,
    ).choices(languageNames),
  )

export function languageOf(flagLanguage: Language | undefined, [command = '']: readonly string[] = []): Language {
  return (
    flagLanguage ??
    languageNames.find((name) => languages[name].command.test(basename(command))) ??
    languageNames.find((name) => languages[name].files.some((file) => existsSync(file))) ??
    fallback
  )
}

/** The sections of the files, each below a comment such as `// --- verify`. */
const sectionHead = /^(?:\/\/|#) --- ([a-z]+)\n/m

/** Returns the example of this name; undefined if the package is incomplete. */
export function exampleIn(language: Language, name: string): string | undefined {
  const [, ...parts] = program.read(`examples/snippets/${languages[language].file}`)?.split(sectionHead) ?? []
  return parts[parts.indexOf(name) + 1]?.trimEnd()
}
