/** Report files of a certification: JUnit, Markdown, and a self-contained SVG badge. */
import { stripVTControlCharacters } from 'node:util'
import { escaped, type JunitCase, junit, markdownCell, reportWriter } from '../../../inside/commands.js'
import { loadFigures, loadTitle } from '../load/figures.js'
import type { LoadReport } from '../load/report.js'
import { loadPlot } from '../load/report-text.js'
import type { RuleReport, WarnedCalls } from './evidence.js'
import { groupLine, type Report as RulesReport, resultWord, sourceText, testedRules } from './rules.js'
import { countsText, ruleCounts, warnedLine } from './text.js'

/** The report, with the measurements of a load test if there was one. */
interface Report extends RulesReport {
  load?: LoadReport
}

/** Which side was certified. */
type Side = 'receiver' | 'client' | 'books'

const sideNames: Record<Side, { article: string; badge: string }> = {
  receiver: { article: 'a receiver', badge: 'webhook receiver' },
  client: { article: 'a client', badge: 'webhook client' },
  books: { article: 'a ledger', badge: 'ledger' },
}

interface Certified {
  side: Side
  /** The address, command or file of that side. */
  what: string
  report: Report
}

export const certificates = reportWriter<Certified>([
  { flag: '--junit <file>', help: 'write the results as JUnit XML', kind: 'junit', text: junitOf },
  { flag: '--markdown <file>', help: 'write the report as Markdown', kind: 'markdown', text: markdownOf },
  { flag: '--badge <file>', help: 'write the verdict as an SVG badge', kind: 'badge', text: badgeOf },
])

function junitOf({ side, report }: Certified): string {
  const { not_tested: groups, warnings = [] } = report
  const className = `certify.${side}`
  const cases = [
    ...testedRules(report).map((rule) => junitCase(className, rule)),
    ...groups.map((group) => ({ className, name: groupLine(group), skipped: group.rules.join(', ') })),
  ]
  const output = [...figureLines(report.load), ...warnings.map(warnedLine)]
  return junit(`certify ${side}`, cases, output.length === 0 ? undefined : output.join('\n'))
}

/**
 * Formats a test case. JUnit knows no undecided test: a required one that is inconclusive is an error, so that CI does not
 * report it as passed. A warning is a passed test with output.
 */
function junitCase(
  className: string,
  { id, requirement, result, severity, observed, fix, source }: RuleReport,
): JunitCase {
  const passed = { className, name: `${id}: ${requirement}` }
  if (result === 'inconclusive' && severity === 'error') return { ...passed, error: `inconclusive: ${observed}` }
  if (result === 'inconclusive' || result === 'skipped') return { ...passed, skipped: `${result}: ${observed}` }
  if (result === 'passed') return passed
  const text = `${observed}\n${sourceText(source)}\n${fix}`
  return severity === 'warning' ? { ...passed, output: text } : { ...passed, failure: { message: observed, text } }
}

const marks = {
  passed: '✅ passed',
  failed: '❌ failed',
  warning: '⚠️ warning',
  inconclusive: '❔ inconclusive',
  skipped: '➖ skipped',
} as const

function markdownOf({ side, what, report }: Certified): string {
  const { rules, not_tested: groups, warnings = [] } = report
  const rows = testedRules(report).map(
    (rule) =>
      `| \`${rule.id}\` | ${markdownCell(rule.requirement)} | ${marks[resultWord(rule)]} | ${markdownCell(rule.observed)} |`,
  )
  const fixes = rules
    .filter(({ result }) => result === 'failed')
    .map(
      ({ requirement, observed, source, fix }) =>
        `### ${markdownCell(requirement)}\n\n${markdownCell(observed)}\n\n> ${markdownCell(sourceText(source))}\n\n${markdownCell(fix)}\n`,
    )
  const notTested = groups.map(
    (group) => `- ${markdownCell(groupLine(group))}: ${group.rules.map((id) => `\`${id}\``).join(', ')}\n`,
  )
  return [
    `# Certification of ${sideNames[side].article}: ${report.verdict}\n`,
    `\`${what.replaceAll('`', '')}\`: ${countsText(rules)}.\n`,
    '| Id | Requirement | Result | Observed |\n| --- | --- | --- | --- |',
    `${rows.join('\n')}\n`,
    ...(notTested.length === 0 ? [] : [notTested.join('')]),
    ...markdownLoad(report.load),
    ...(fixes.length === 0 ? [] : ['## Fixes\n', ...fixes]),
    ...markdownWarnings(warnings),
  ].join('\n')
}

const figureLines = (load: LoadReport | undefined): string[] =>
  load === undefined ? [] : loadFigures(load).map(([name, value]) => `${name}: ${value}`)

function markdownLoad(load: LoadReport | undefined): string[] {
  if (load === undefined) return []
  const rows = loadFigures(load).map(([name, value]) => `| ${name} | ${markdownCell(value)} |`)
  const plot = stripVTControlCharacters(loadPlot(load)).trim()
  return [`## Load: ${loadTitle(load)}\n`, '| | |\n| --- | --- |', `${rows.join('\n')}\n`, `\`\`\`\n${plot}\n\`\`\`\n`]
}

const markdownWarnings = (warnings: readonly WarnedCalls[]): string[] =>
  warnings.length === 0
    ? []
    : ['## Warnings\n', `${warnings.map((one) => `- ${markdownCell(warnedLine(one))}`).join('\n')}\n`]

/** Average width of a letter in Verdana at 11 pixels. */
const letterWidth = 6.6
const padding = 12

const badgeColors = { passed: '#2e7d32', failed: '#c62828', incomplete: '#777' } as const

function badgeOf({ side, report }: Certified): string {
  const { verdict } = report
  const count = verdict === 'passed' ? ` · ${ruleCounts(report.rules).passed} requirements` : ''
  const texts = [sideNames[side].badge, `${verdict}${count}`] as const
  const widthOf = (text: string) => Math.round(text.length * letterWidth + padding)
  const [left, right] = [widthOf(texts[0]), widthOf(texts[1])]
  const label = (text: string, at: number) => `<text x="${at}" y="14">${escaped(text)}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${texts.join(': ')}">
  <title>${texts.join(': ')}</title>
  <clipPath id="r"><rect width="${left + right}" height="20" rx="3"/></clipPath>
  <g clip-path="url(#r)"><rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${badgeColors[verdict]}"/></g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${label(texts[0], left / 2)}${label(texts[1], left + right / 2)}</g>
</svg>
`
}
