/** A recording of a sandbox agrees with another sandbox with the same settings; with other settings, the comparison names them. */
import { expect, test } from 'vitest'
import { compareEntries, differences } from '../support/compared.js'
import { playEverything, recordTraffic } from '../support/recorded-traffic.js'

test('a recording of a sandbox with default settings shows no difference', async () => {
  const report = await compareEntries(await recordTraffic())
  expect(differences(report)).toEqual([])
  expect(report.exchanges).toBeGreaterThan(40)
  expect(report.webhooks).toBeGreaterThan(20)
})

test('a comparison names exactly the settings that differ, and their values', async () => {
  const entries = await recordTraffic({ belowMinimum: 'INVALID_AMOUNT', pixChargeLife: '15m', disputeDeadline: 'lose' })
  const found = differences(await compareEntries(entries))
  expect(
    found.map(({ verdict, setting, value }) => [verdict, setting, value]).sort(),
    JSON.stringify(found, null, 1),
  ).toEqual([
    ['assumption_wrong', 'below_minimum', 'INVALID_AMOUNT'],
    ['assumption_wrong', 'dispute_deadline', 'lose'],
    ['assumption_wrong', 'pix_charge_life', '15m'],
  ])
  const calibrated = { belowMinimum: 'INVALID_AMOUNT', pixChargeLifeMs: 900_000, disputeDeadline: 'lose' } as const
  expect(differences(await compareEntries(entries, calibrated))).toEqual([])
})

test('the webhooks of both accounts at one address show no difference, whatever the balances of the other account are', async () => {
  const entries = await recordTraffic({}, async (played) => {
    await played.sandbox.configure('customer', { postback_url: played.recorder.hooksUrl })
    await playEverything(played)
    await played.api.transfer({ username: 'customer', amount: 3, currency: 'BRL' })
    await played.sandbox.clock.advance(0)
  })
  expect(differences(await compareEntries(entries))).toEqual([])
})
