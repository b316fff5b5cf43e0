/** A certification as people read it: one line a rule, what is broken explained at the end, a verdict. */
import { keysOf } from '../../base/keys.js'
import { bold, dim, harmless, paint } from '../../cli/terminal/style.js'
import { type ExampleName, examples } from '../protocol/examples.js'
import { type Language, languages } from '../protocol/languages.js'
import { exampleFor } from '../protocol/observed.js'
import { groupLine } from '../protocol/report.js'
import type { Evidence, NotTested, Report, RuleReport, RuleRow, WarnedCalls } from '../protocol/rules.js'

type Rules = Readonly<Record<string, RuleRow>>

export const head = (url: string): string => `\n${bold('Certifying')} ${harmless(url)}\n\n`

const signs = { holds: ['green', '✓'], broken: ['red', '✗'], unseen: ['dim', '·'] } as const

function sign({ result, severity }: Pick<RuleReport, 'result' | 'severity'>): string {
  if (result === 'broken' && severity === 'warning') return paint('yellow', '!')
  const [colour, text] = signs[result]
  return paint(colour, text)
}

export function ruleLine({ id, result, seen }: Pick<RuleReport, 'id' | 'result' | 'seen'>, rules: Rules): string {
  const { duty, severity } = rules[id] ?? { duty: id, severity: 'error' as const }
  const more = result === 'holds' ? '' : `\n    ${result === 'broken' ? harmless(seen) : dim(harmless(seen))}`
  return `  ${sign({ result, severity })} ${result === 'unseen' ? dim(duty) : duty}${more}\n`
}

/** What stands below the lines. */
export function conclusion(report: Report, rules: Rules, language: Language): string {
  const { verdict, rules: tried, not_tested: groups, warnings = [] } = report
  const broken = tried.filter(({ result }) => result === 'broken')
  const names = [...new Set(broken.flatMap((rule) => exampleOf(rule, rules) ?? []))]
  return [
    ...groups.map(groupText),
    ...broken.map((rule, at) => explained(rule, at + 1)),
    ...(names.length === 0 ? [] : [examplesHead(language), ...names.map((name) => exampleText(name, language))]),
    ...(warnings.length === 0 ? [] : [`\n${bold('Warnings')}\n`, ...warnings.map(warnedText)]),
    `\n${verdictLine(verdict, tried)}\n`,
  ].join('')
}

/** A group of so few names its rules. */
const namedRules = 3

function groupText(group: NotTested): string {
  const names = group.rules.length > namedRules ? '' : `: ${group.rules.join(', ')}`
  return `  ${paint('dim', '·')} ${dim(`${groupLine(group)}${names}`)}\n`
}

const exampleOf = ({ id, evidence }: RuleReport, rules: Rules): ExampleName | undefined => {
  const row = rules[id]
  return row === undefined ? undefined : exampleFor(row, evidence?.answer)
}

/** `POST /v2/…, 3 calls: ammount is not a field of this call …`. */
export const warnedLine = ({ method, path, calls, code, message, request_id: id }: WarnedCalls): string =>
  `${code}: ${method} ${path} (${calls === 1 ? id : `${calls} calls, first ${id}`}): ${message}`

const warnedText = (warned: WarnedCalls): string => `  ${paint('yellow', '!')} ${harmless(warnedLine(warned))}\n`

function explained({ id, duty, source, seen, severity, mend, evidence }: RuleReport, number: number): string {
  const kind = severity === 'warning' ? paint('yellow', 'warning') : paint('red', 'broken')
  return [
    `\n${bold(`${number}. ${duty}`)} ${dim(id)}\n`,
    `   ${kind}  ${harmless(seen)}\n`,
    `   ${dim('why')}     ${source}\n`,
    `   ${dim('mend')}    ${mend}\n`,
    evidence === null ? '' : evidenceText(evidence),
  ].join('')
}

/** As much of a body as helps. */
const shownChars = 400
const cut = (text: string) => (text.length > shownChars ? `${text.slice(0, shownChars)}…` : text)

function evidenceText({ request, answer }: Evidence): string {
  const headers = Object.entries(request.headers).filter(([name]) => /^x-/i.test(name))
  const lines = [
    `POST ${request.url}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    cut(request.body),
    `→ ${answer.status ?? answer.outcome} after ${answer.duration_ms} ms${answer.body ? ` ${cut(answer.body)}` : ''}`,
  ]
  return `${lines.map((line) => `     ${dim(harmless(line).replace(/[\r\n]+/g, ' '))}\n`).join('')}`
}

function examplesHead(language: Language): string {
  const others = keysOf(languages).filter((name) => name !== language)
  return `\n${bold(`Example code in ${languages[language]}`)} ${dim(`(others: ${others.map((name) => `--language ${name}`).join(', ')})`)}\n`
}

function exampleText(name: ExampleName, language: Language): string {
  const lines = examples[name][language].split('\n').map((line) => `   ${line}\n`)
  return `\n${lines.join('')}`
}

export function counted(tried: readonly RuleReport[]) {
  const count = (result: RuleReport['result'], severity: RuleReport['severity']) =>
    tried.filter((rule) => rule.result === result && rule.severity === severity).length
  const of = (result: RuleReport['result']) => count(result, 'error') + count(result, 'warning')
  return {
    holds: of('holds'),
    broken: count('broken', 'error'),
    warnings: count('broken', 'warning'),
    unseen: of('unseen'),
  }
}

function verdictLine(verdict: Report['verdict'], tried: readonly RuleReport[]): string {
  const { holds, broken, warnings, unseen } = counted(tried)
  const parts = [
    `${holds} of ${tried.length} rules hold`,
    ...(broken === 0 ? [] : [`${broken} broken`]),
    ...(warnings === 0 ? [] : [`${warnings} to look at`]),
    ...(unseen === 0 ? [] : [`${unseen} could not be seen`]),
  ]
  return `${verdict === 'right' ? paint('green', 'right') : paint('red', 'broken')}: ${parts.join(', ')}`
}
