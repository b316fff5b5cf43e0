/** Formats runs as a JUnit report for CI systems. */
import { inWords, type Ran } from './watch.js'

export function junit(done: readonly Ran[]): string {
  const failures = done.filter(({ run }) => run.status !== 'passed').length
  const seconds = (ms: number) => (ms / 1000).toFixed(3)
  const total = seconds(done.reduce((sum, { tookMs }) => sum + tookMs, 0))
  const counts = `tests="${done.length}" failures="${failures}" errors="0" time="${total}"`
  const cases = done.map(({ run, tookMs }) => {
    const head = `    <testcase classname="payments-sandbox" name="${escaped(run.scenario)}" time="${seconds(tookMs)}"`
    if (run.status === 'passed') return `${head}/>`
    const wrong = run.steps.find(({ status }) => status === 'failed')
    const message = wrong === undefined ? `the run is ${run.status}` : `${wrong.step}: ${inWords(wrong.detail)}`
    const steps = run.steps
      .map(({ step, status, detail }) => `${status}  ${step}  ${inWords(detail)}`.trim())
      .join('\n')
    return `${head}>\n      <failure message="${escaped(message)}">${escaped(steps)}</failure>\n    </testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="payments-sandbox" ${counts}>`,
    `  <testsuite name="scenarios" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Escapes text for XML 1.0, which forbids most control characters even when escaped. */
export const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
