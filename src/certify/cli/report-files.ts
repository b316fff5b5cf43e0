/** A certification for machines and for others: JUnit, Markdown, and a badge that fetches nothing. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { keysOf } from '../../base/keys.js'
import { alsoJson } from '../../cli/connection/connection.js'
import { UsageError } from '../../cli/errors.js'
import { escaped, type JunitCase, junit } from '../../cli/terminal/junit.js'
import { checkOutput, type Output, writeOutput } from '../../runtime/node/files/output.js'
import { UnusableFile } from '../../runtime/node/files/unusable.js'
import type { Language } from '../protocol/languages.js'
import { groupLine, testedRules } from '../protocol/report.js'
import type { Report, RuleReport, WarnedCalls } from '../protocol/rules.js'
import { addLanguageFlag } from './language.js'
import { counted, warnedLine } from './report-text.js'

export interface ReportFlags {
  json?: boolean
  junit?: string
  markdown?: string
  badge?: string
  language?: Language
}

/** What is certified. */
export type Side = 'receiver' | 'client'

export function addReportFlags(command: Command): void {
  alsoJson(command)
    .option('--junit <file>', 'write the rules as JUnit XML')
    .option('--markdown <file>', 'write a report to hand on')
    .option('--badge <file>', 'write an SVG that says it in two words')
  addLanguageFlag(command)
}

type ReportText = (side: Side, what: string, report: Report) => string

/** By the flag that names the file, which is also the kind of the file. */
const reportTexts = {
  junit: (side, _what, report) => junitOf(side, report),
  markdown: markdownOf,
  badge: (side, _what, report) => badgeOf(side, report),
} as const satisfies Record<string, ReportText>

const reportNames = keysOf(reportTexts)

/** Before the rules are tried, which takes minutes: throws `UsageError` for a file that cannot be written. */
export function checkReports(flags: ReportFlags): void {
  const taken = new Map<string, string>()
  for (const output of outputsOf(flags)) {
    const other = taken.get(resolve(output.file))
    if (other !== undefined)
      throw new UsageError(`${other} and ${output.flag} name the same file: give them different ones`)
    taken.set(resolve(output.file), output.flag)
  }
  asUsage(() => outputsOf(flags).forEach(checkOutput))
}

export async function writeReports(flags: ReportFlags, side: Side, what: string, report: Report): Promise<void> {
  for (const output of outputsOf(flags))
    await writeOutput(output, reportTexts[output.kind](side, what, report)).catch((error: unknown) =>
      asUsage(() => {
        throw error
      }),
    )
}

const outputsOf = (flags: ReportFlags) =>
  reportNames.flatMap((kind) => {
    const file = flags[kind]
    return file === undefined ? [] : [{ file, kind, flag: `--${kind}` } satisfies Output]
  })

/** A verdict that cannot be written down is none: exit code 2. */
function asUsage(work: () => void): void {
  try {
    work()
  } catch (error) {
    throw error instanceof UnusableFile ? new UsageError(error.message) : error
  }
}

function junitOf(side: Side, report: Report): string {
  const { not_tested: groups, warnings = [] } = report
  const className = `certify.${side}`
  const cases = [
    ...testedRules(report).map((rule) => junitCase(className, rule)),
    ...groups.map((group) => ({ className, name: groupLine(group), skipped: group.rules.join(', ') })),
  ]
  return junit(`certify ${side}`, cases, warnings.length === 0 ? undefined : warnings.map(warnedLine).join('\n'))
}

/** A broken warning passes, with an output. */
function junitCase(className: string, { id, duty, result, severity, seen, mend, source }: RuleReport): JunitCase {
  const held = { className, name: `${id}: ${duty}` }
  if (result === 'unseen') return { ...held, skipped: seen }
  if (result === 'holds') return held
  const text = `${seen}\n${source}\n${mend}`
  return severity === 'warning' ? { ...held, output: text } : { ...held, failure: { message: seen, text } }
}

const marks = { holds: '✅ holds', broken: '❌ broken', unseen: '➖ not seen' } as const

const cell = (text: string) =>
  text
    .replace(/[\r\n]+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')

function markdownOf(side: Side, what: string, report: Report): string {
  const { verdict, rules, not_tested: groups, warnings = [] } = report
  const mark = ({ result, severity }: RuleReport) =>
    result === 'broken' && severity === 'warning' ? '⚠️ to look at' : marks[result]
  const rows = testedRules(report).map(
    (rule) => `| \`${rule.id}\` | ${cell(rule.duty)} | ${mark(rule)} | ${cell(rule.seen)} |`,
  )
  const broken = rules
    .filter(({ result }) => result === 'broken')
    .map(({ duty, seen, source, mend }) => `### ${cell(duty)}\n\n${cell(seen)}\n\n> ${cell(source)}\n\n${cell(mend)}\n`)
  const hidden = groups.map(
    (group) => `- ${cell(groupLine(group))}: ${group.rules.map((id) => `\`${id}\``).join(', ')}\n`,
  )
  const { holds, unseen } = counted(rules)
  return [
    `# Certification of a ${side}: ${verdict}\n`,
    `\`${what.replaceAll('`', '')}\`: ${holds} of ${rules.length} rules hold, ${unseen} could not be seen.\n`,
    '| Rule | Duty | Result | What was seen |\n| --- | --- | --- | --- |',
    `${rows.join('\n')}\n`,
    ...(hidden.length === 0 ? [] : [hidden.join('')]),
    ...(broken.length === 0 ? [] : ['## What is to be mended\n', ...broken]),
    ...markdownWarnings(warnings),
  ].join('\n')
}

const markdownWarnings = (warnings: readonly WarnedCalls[]): string[] =>
  warnings.length === 0 ? [] : ['## Warnings\n', `${warnings.map((one) => `- ${cell(warnedLine(one))}`).join('\n')}\n`]

/** About what a letter takes in 11 pixels Verdana. */
const letterWidth = 6.6
const padding = 12

function badgeOf(side: Side, { verdict, rules }: Report): string {
  const { holds } = counted(rules)
  const texts = [`webhook ${side}`, verdict === 'right' ? `certified · ${holds} rules` : 'not certified'] as const
  const widthOf = (text: string) => Math.round(text.length * letterWidth + padding)
  const [left, right] = [widthOf(texts[0]), widthOf(texts[1])]
  const colour = verdict === 'right' ? '#2e7d32' : '#c62828'
  const label = (text: string, at: number) => `<text x="${at}" y="14">${escaped(text)}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${texts.join(': ')}">
  <title>${texts.join(': ')}</title>
  <clipPath id="r"><rect width="${left + right}" height="20" rx="3"/></clipPath>
  <g clip-path="url(#r)"><rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/></g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${label(texts[0], left / 2)}${label(texts[1], left + right / 2)}</g>
</svg>
`
}
