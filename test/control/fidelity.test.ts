/** The figures of how far the sandbox is known to agree with the platform. */
import { expect, test } from 'vitest'
import { assumptionIds } from '../../src/protocol/platform/assumptions.js'
import { documentedSentences, fidelityTiers } from '../../src/protocol/platform/documented-sentences.js'
import { emulatedInterface } from '../../src/protocol/platform/emulated-interface.js'
import { control } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'

const readFidelity = async (options: Parameters<typeof openSandbox>[0] = {}) => {
  const { url } = await openSandbox(options)
  return (await control(url)('GET', '/fidelity')).body
}

test('coverage counts every documented sentence and every assumption once, by tier', async () => {
  const { interface: emulated, coverage, dates } = await readFidelity()
  expect(emulated).toEqual(emulatedInterface)
  expect(Object.keys(coverage)).toEqual(fidelityTiers)
  expect(dates).toEqual({ coverage: emulatedInterface.date, divergence: null })
  const rows: { observed: number; of: number }[] = Object.values(coverage)
  const sum = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0)
  expect(sum(rows.map(({ of }) => of))).toBe(documentedSentences.length + assumptionIds.length)
  for (const { observed, of } of rows) expect(observed).toBeLessThanOrEqual(of)
})

test('without a recording of the platform divergence is unknown and every assumption is assumed, and no figure is a percentage', async () => {
  const answer = await readFidelity()
  expect(answer.divergence).toBe('unknown')
  expect(answer.assumptions).toEqual(assumptionIds.map((name) => ({ name, state: 'assumed' })))
  expect(JSON.stringify(answer)).not.toContain('%')
})

test('the profile of a workspace confirms and refutes assumptions with its date', async () => {
  const { assumptions } = await readFidelity({
    platform: {
      fees: { verdict: 'assumption_confirmed', recordings: 2, last_seen: '2026-11-21' },
      pages: { verdict: 'assumption_wrong', recordings: 1 },
    },
  })
  const stateOf = (name: string) => assumptions.find((one: { name: string }) => one.name === name)
  expect(stateOf('fees')).toEqual({ name: 'fees', state: 'confirmed', date: '2026-11-21' })
  expect(stateOf('pages')).toEqual({ name: 'pages', state: 'refuted' })
  expect(stateOf('limits')).toEqual({ name: 'limits', state: 'assumed' })
})
