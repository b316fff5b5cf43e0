/** The library and the packages for other languages have the same behaviours: each language's test runner tests its package against the built program. */
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { figure } from '../support/figures.js'
import { behaviours, missingTools, packageRows, runPackage } from '../support/packages.js'

beforeAll(async () => void (await built()))

const names = Object.keys(packageRows)
const runs = new Map<string, ReadonlyMap<number, boolean>>()

test.for(Object.entries(packageRows))(
  'the tests for %s have all behaviours',
  { timeout: 300_000 },
  async ([name, row], context) => {
    if (row.quick !== true && figure(true, false)) context.skip('runs with `npm run torture -- --only packages`')
    const missing = missingTools(row)
    if (missing.length > 0 && process.env.ALL_LANGUAGES === '1') expect(missing, `tools for ${name}`).toEqual([])
    if (missing.length > 0) context.skip(`not run, because this fails here: ${missing.join(', ')}`)
    const { code, output, passed } = await runPackage(row)
    runs.set(name, passed)
    expect(code, output).toBe(0)
    for (const [number, title] of behaviours) expect(passed.get(number), `${number}. ${title}\n${output}`).toBe(true)
  },
)

test('there are thirty behaviours, and a full run prints the table of languages and behaviours', () => {
  expect([...behaviours.keys()]).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
  if (figure(true, false)) return
  const cell = (name: string, number: number) => {
    const passed = runs.get(name)?.get(number)
    return passed === undefined ? '–' : passed ? 'passed' : 'failed'
  }
  const widths = names.map((name) => Math.max(name.length, 'passed'.length))
  const line = (cells: readonly string[]) => cells.map((text, index) => text.padEnd(widths[index] ?? 0)).join('  ')
  console.log(line(names))
  for (const [number, title] of behaviours)
    console.log(`${line(names.map((name) => cell(name, number)))}  ${String(number).padStart(2)}. ${title}`)
})
