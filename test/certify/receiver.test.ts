/** Certification of receivers: what is right is never accused, and each fault is found by the rule that it breaks. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checks } from '../../src/features/certify/receiver/checks/index.js'
import { receiverRuleIds, receiverRules } from '../../src/features/certify/receiver/rules.js'
import type { Report, RuleRow } from '../../src/features/certify/report/rules.js'
import { afterMs, certifyTimeless, certifyTried, describeReport, runs, withResult } from '../support/certify.js'
import { figure } from '../support/figures.js'
import { busyMachine } from '../support/own-time.js'
import { closeChecked, openForFile, type TestSandbox } from '../support/sandbox.js'
import { mutants, rights } from './mutants.js'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await openForFile()
})
afterAll(() => closeChecked(sandbox))

const inProduction = ['production.sandbox', 'production.https']

function expectRight(report: Report): void {
  expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
  expect(withResult(report, 'inconclusive'), describeReport(report)).toEqual([])
  expect(withResult(report, 'skipped')).toEqual(inProduction)
  expect(report.verdict).toBe('passed')
  expect(report.rules.map(({ id }) => id)).toEqual(receiverRuleIds)
}

describe('a correct receiver', () => {
  for (const { difference, edits } of rights)
    test(`passes every requirement: ${difference}`, async () => expectRight(await certifyTimeless(edits)))

  test('passes in production, where it rejects events of a sandbox', async () => {
    const report = await certifyTimeless([], { production: true })
    expect(withResult(report, 'skipped'), describeReport(report)).toEqual(['production.https'])
    expect(report.verdict).toBe('passed')
  })
})

test('a correct receiver is not accused by a machine that stands still for up to three seconds again and again', async () => {
  const [first] = rights
  for (let seed = 1; seed <= figure(4, 100); seed++)
    expectRight(
      await certifyTimeless([...afterMs(30), ...(first?.edits ?? [])], { busyMs: busyMachine(seed, 40, 3000) }),
    )
})

describe.concurrent.each(runs)('run %i: over real sockets a correct receiver', () => {
  // One is enough where the others are certified in a time of their own; `npm run torture` takes all.
  for (const { difference, edits } of runs.length > 1 ? rights : rights.slice(0, 1))
    test(`passes every requirement: ${difference}`, async () => expectRight(await certifyTried(sandbox, edits)))
})

const oneOfEachRule = new Set(new Map(mutants.toReversed().map((one) => [one.breaks, one])).values())
/** Where it has to be quick: one for each rule, and those that need a fix or an observation of their own. */
const tried = figure(
  mutants.filter((one) => oneOfEachRule.has(one) || one.fix !== undefined || one.says !== undefined),
  mutants,
)

describe('a receiver with one fault', () => {
  for (const { fault, edits, breaks, fix = /./, says = /./, production = false } of tried)
    test(`rule ${breaks} fails for this fault: ${fault}`, async () => {
      const report = await certifyTimeless(edits, { production })
      expect(withResult(report, 'failed'), describeReport(report)).toEqual([breaks])
      const rule = report.rules.find(({ id }) => id === breaks)
      expect(rule?.fix).toMatch(fix)
      expect(rule?.observed).toMatch(says)
    })
})

test('each rule is checked after the rules that it depends on', () => {
  const tried = Object.keys(checks)
  expect([...tried].sort()).toEqual([...receiverRuleIds].sort())
  const early = Object.entries<RuleRow>(receiverRules).flatMap(([id, { after = [] }]) =>
    after
      .filter((name) => tried.indexOf(name) === -1 || tried.indexOf(name) > tried.indexOf(id))
      .map((name) => `${id} before ${name}`),
  )
  expect(early).toEqual([])
})

test('there are at least forty planted faults, and one for every rule that a receiver can fail by itself', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(40)
  const broken = new Set(mutants.map(({ breaks }) => breaks))
  expect(receiverRuleIds.filter((id) => !broken.has(id))).toEqual(['answer.in-time', 'production.https'])
})

test('a receiver that reports withdrawals only is judged by them, and not accused of ignoring charges', async () => {
  const withdrawalsOnly = [
    ['const change = changes[event.event]', "const change = event.event.startsWith('cashout') && changes[event.event]"],
    ['if (change === undefined) return', 'if (!change) return'],
  ] as const
  const report = await certifyTimeless(withdrawalsOnly)
  expect(report.verdict, describeReport(report)).toBe('incomplete')
  expect(withResult(report, 'failed')).toEqual([])
  expect(report.rules.find(({ id }) => id === 'effect.applied')?.observed).toBe(
    'the state URL reports withdrawals, but nothing about charges',
  )
  expect(report.rules.find(({ id }) => id === 'effect.withdrawal')?.result).toBe('passed')
  const back = "book(withdrawal, 'failed', refunded_amount)"
  const wrong = await certifyTimeless([...withdrawalsOnly, [back, back.replace('refunded_amount', "'1.00'")]])
  expect(withResult(wrong, 'failed'), describeReport(wrong)).toEqual(['effect.withdrawal'])
})
