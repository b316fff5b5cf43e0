/** Results as JUnit XML, which CI systems read. */

export interface JunitCase {
  className: string
  name: string
  tookMs?: number
  failure?: { message: string; text: string }
  /** Why there is no result. */
  error?: string
  /** Why it was not tested. */
  skipped?: string
  output?: string
}

/** A report of one suite; `output` belongs to the suite as a whole. */
export function junit(suite: string, cases: readonly JunitCase[], output?: string): string {
  const failed = cases.filter(({ failure }) => failure !== undefined).length
  const errors = cases.filter(({ error }) => error !== undefined).length
  const skipped = cases.filter((one) => one.skipped !== undefined).length
  const timed = cases.flatMap(({ tookMs }) => tookMs ?? [])
  const time = timed.length === 0 ? '' : timeOf(timed.reduce((sum, tookMs) => sum + tookMs, 0))
  const counts = `tests="${cases.length}" failures="${failed}" errors="${errors}" skipped="${skipped}"${time}`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="payments-sandbox" ${counts}>`,
    `  <testsuite name="${escaped(suite)}" ${counts}>`,
    ...cases.map(caseText),
    ...(output === undefined ? [] : [`    <system-out>${escaped(output)}</system-out>`]),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const timeOf = (ms: number) => ` time="${(ms / 1000).toFixed(3)}"`

function caseText({ className, name, tookMs, failure, error, skipped, output }: JunitCase): string {
  const time = tookMs === undefined ? '' : timeOf(tookMs)
  const parts = [
    failure && `<failure message="${escaped(failure.message)}">${escaped(failure.text)}</failure>`,
    error === undefined ? undefined : `<error message="${escaped(error)}"/>`,
    skipped === undefined ? undefined : `<skipped message="${escaped(skipped)}"/>`,
    output === undefined ? undefined : `<system-out>${escaped(output)}</system-out>`,
  ].filter((part) => part !== undefined)
  const head = `    <testcase classname="${escaped(className)}" name="${escaped(name)}"${time}`
  return parts.length === 0 ? `${head}/>` : `${head}>${parts.join('')}</testcase>`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** XML 1.0 forbids most control characters, escaped ones included. */
export const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** A text within one cell of a Markdown table. */
export const markdownCell = (text: string): string =>
  text
    .replace(/[\r\n]+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
