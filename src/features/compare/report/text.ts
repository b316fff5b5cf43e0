/** Formats a comparison as text: for terminals, JUnit and Markdown. */
import { bold, dim, type JunitCase, junit, markdownCell, paint, replaceControls } from '../../../inside/commands.js'
import type { Accepted } from '../judge/accept.js'
import type { Comparison, Finding } from '../judge/comparison.js'
import { headline, leftOutText, listed, passes, valueText, verdictNames, verdicts } from '../judge/verdicts.js'

const format = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return replaceControls(text.length > 100 ? `${text.slice(0, 99)}…` : text)
}
const formatSide = (finding: Finding, side: 'platform' | 'sandbox') => format(valueText(finding, side))

/** Calls of a finding that are listed. */
const mostCalls = 12

/** `set pix_charge_life: 15m`. */
const remedy = ({ verdict, setting, value }: Finding): string => {
  if (setting === null || passes(verdict)) return ''
  return value === null ? `the setting ${setting} is about this` : `set ${setting}: ${format(value)}`
}

function lines(finding: Finding): string {
  const { call, path, documented, about, places, exchange, accepted, calls } = finding
  const where = places === 1 ? `entry ${exchange}` : `entry ${exchange} (and ${places - 1} more)`
  const others = calls.filter((one) => one !== call)
  const more = [
    `platform: ${formatSide(finding, 'platform')}   sandbox: ${formatSide(finding, 'sandbox')}`,
    ...(others.length === 0 ? [] : [`also in: ${replaceControls(listed(others, mostCalls))}`]),
    ...(documented === null ? [] : [`documented: ${format(documented)}`]),
    replaceControls(about),
    ...(remedy(finding) === '' ? [] : [bold(remedy(finding))]),
  ]
  const head = `  ${replaceControls(call)}  ${bold(replaceControls(path))}  ${dim(where)}${accepted ? dim(' (accepted)') : ''}`
  return [head, ...more.map((text) => `      ${text}`)].join('\n')
}

const tones = { passed: 'green', warning: 'yellow', failed: 'red' } as const

export function terminalText(report: Comparison, stale: readonly Accepted[]): string {
  const parts = verdictNames.flatMap((verdict) => {
    const found = report.findings.filter((one) => one.verdict === verdict)
    if (found.length === 0) return []
    const { title, meaning, outcome } = verdicts[verdict]
    const head = `${paint(tones[outcome], `${title} (${found.length})`)}  ${verdict}  ${dim(meaning)}`
    // Confirmed assumptions need no action, so they are listed in one line.
    const body = passes(verdict) ? [confirmedLine(found)] : found.map(lines)
    return [[head, ...body].join('\n')]
  })
  const leftOut = report.left_out.map((one) => dim(replaceControls(leftOutText(one))))
  return `${[headline(report), ...parts, ...stale.map(staleLine), ...leftOut].join('\n\n')}\n`
}

/** Undocumented fields are confirmed for each call. */
function confirmedLine(found: readonly Finding[]): string {
  const counts = new Map<string, number>()
  for (const { assumption } of found) counts.set(assumption ?? '', (counts.get(assumption ?? '') ?? 0) + 1)
  return `  ${[...counts].map(([name, times]) => (times === 1 ? name : `${name} (${times} calls and events)`)).join(', ')}`
}

const staleText = ({ verdict, call, path }: Accepted, show: (text: string) => string) =>
  `accepted, but no longer found: ${verdict} ${show(call)} ${show(path)}`
const staleLine = (one: Accepted) => paint('red', `${staleText(one, replaceControls)}; delete the entry`)

export function junitText(report: Comparison, stale: readonly Accepted[]): string {
  const cases = report.findings.map((one): JunitCase => {
    const name = `${one.call} ${one.path}: ${one.verdict}`
    const text = `platform: ${formatSide(one, 'platform')}\nsandbox: ${formatSide(one, 'sandbox')}\n${one.about}\n${remedy(one)}`
    const plain = { className: 'compare', name }
    return passes(one.verdict) || one.accepted ? plain : { ...plain, failure: { message: one.about, text } }
  })
  const staleCases = stale.map((one): JunitCase => {
    const message = 'The accepted difference is no longer found; delete the entry.'
    return { className: 'compare', name: `${one.call} ${one.path}: accepted`, failure: { message, text: one.reason } }
  })
  return junit('compare', [...cases, ...staleCases], headline(report))
}

const cell = (value: unknown) => markdownCell(format(value))

export function markdownText(report: Comparison, stale: readonly Accepted[]): string {
  const rows = report.findings
    .filter(({ verdict }) => !passes(verdict))
    .map((one) => {
      const values = [formatSide(one, 'platform'), formatSide(one, 'sandbox')]
      const cells = [one.verdict, one.call, one.path, ...values, one.about, remedy(one), one.places]
      return `| ${cells.map(cell).join(' | ')} |`
    })
  const table = [
    '| verdict | call | path | platform | sandbox | about | setting | places |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ]
  const confirmed = report.findings
    .filter(({ verdict }) => passes(verdict))
    .map(({ assumption }) => `\`${assumption}\``)
  return [
    '# Comparison with the platform\n',
    `${headline(report)}.\n`,
    rows.length === 0 ? 'No difference.\n' : `${table.join('\n')}\n`,
    ...(confirmed.length === 0 ? [] : [`Confirmed: ${[...new Set(confirmed)].join(', ')}.\n`]),
    ...report.left_out.map((one) => `- ${cell(leftOutText(one))}\n`),
    ...stale.map((one) => `- ${staleText(one, cell)}\n`),
  ].join('\n')
}
