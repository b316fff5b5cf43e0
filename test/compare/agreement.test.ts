/** A recording of a sandbox agrees with another sandbox with the same settings; with other settings, the comparison names them. */
import { expect, test } from 'vitest'
import { assumptionIds } from '../../src/protocol/platform/assumptions.js'
import { compareEntries, compareTexts, differences, find, setHeader, shownIn } from '../support/compared.js'
import { playEverything, recordTraffic } from '../support/recorded-traffic.js'
import { type HarEntry, harOf } from '../support/recording.js'

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

test('what agrees with an assumption confirms it, with its first place and their number', async () => {
  const report = await compareEntries(await recordTraffic())
  expect(report.summary).toEqual({ assumption_confirmed: report.findings.length })
  const ids: readonly (string | null)[] = assumptionIds
  expect(report.findings.filter(({ assumption }) => !ids.includes(assumption))).toEqual([])
  const confirmed = { verdict: 'assumption_confirmed', setting: null, accepted: false }
  expect(report.findings.find(({ assumption }) => assumption === 'external_id_again')).toMatchObject({
    ...{ ...confirmed, call: 'POST /v2/transactions/cashin', path: 'error.code', places: 1 },
  })
  const ofProfile = report.findings.filter(({ call }) => call === 'GET /v2/account/profile')
  expect(ofProfile).toMatchObject([
    { ...confirmed, assumption: 'undocumented_fields', path: 'data.username', places: 5 },
  ])
})

test('a recording shows the documented sentences and the assumptions that its calls and webhooks are about', async () => {
  const entries = await recordTraffic()
  // Any answer with 2xx acknowledges a webhook.
  find(entries, 'cashout.failed').response.status = 299
  const shown = await shownIn(entries)
  expect(shown).toEqual(
    expect.arrayContaining([
      ...['external-id-repeated', 'withdrawal-failed', 'version-path', 'unsigned-routes'],
      ...['first_attempt', 'undocumented_fields', 'amount_types', 'amount_decimals', 'times_with_offset'],
    ]),
  )
  expect(shown.filter((id) => ['signature-text', 'withdrawal-options'].includes(id))).toEqual([])
})

test('errors show the assumptions about what is wrong with their calls, and nothing about calls that are accepted', async () => {
  const entries = await recordTraffic({}, async ({ api }) => {
    const charges = [
      ...[{ amount: 0.5 }, { amount: null }, {}].map((fields) => ({ ...fields, currency: 'BRL' })),
      { amount: 5, currency: 'brl' },
    ]
    for (const charge of charges) await api.cashin(charge as never).catch(() => undefined)
    await api.transactionList({ type: 'refund' as never }).catch(() => undefined)
  })
  expect(differences(await compareEntries(entries))).toEqual([])
  const shown = await shownIn(entries)
  expect(shown).toEqual(expect.arrayContaining(['null_fields', 'case_of_names', 'filter_values']))
  expect(shown).not.toContain('charge-no-chain')
})

test.each([
  ['in crypto without a chain', { amount: 5, currency: 'USDT' }],
  ['in BRL with a chain', { amount: 5, currency: 'BRL', chain: 'tron' }],
])('a rejected charge %s shows the rules for chains', async (_case, charge) => {
  const entries = await recordTraffic({}, async ({ api }) => {
    await api.cashin(charge as never).catch(() => undefined)
  })
  expect(await shownIn(entries)).toContain('chain_rules')
})

test('a balance alone shows nothing about times with an offset', async () => {
  const entries = await recordTraffic({}, async ({ api }) => void (await api.balance()))
  expect(await shownIn(entries)).not.toContain('times_with_offset')
})

test.each([
  ['a fee and the result of a conversion that are rounded show', 13, true],
  ['a fee that is rounded, and an exact result, do not show', 10, false],
])('%s how the platform rounds', async (_case, amount, isShown) => {
  const entries = await recordTraffic({}, async ({ api }) => {
    await api.cashin({ amount: 60.5, currency: 'BRL' })
    await api.simulate({ base_currency: 'USDT', destination_currency: 'BRL', amount })
  })
  expect((await shownIn(entries)).includes('rounding')).toBe(isShown)
})

/** A withdrawal as a probe records it: rejected with this code, and signed like this. */
function withWrongSignature(entries: readonly HarEntry[], signed: string, code: string): HarEntry[] {
  const right = find(entries, '/transactions/cashout')
  const wrong = structuredClone(right)
  wrong._signed = signed
  if (signed !== 'repeated') setHeader(wrong.request.headers, 'x-nonce', '6f1f0a3e-6f4b-4c7f-9f32-2f0a8f5c1a11')
  wrong.response.status = 401
  wrong.response.content.text = JSON.stringify({ success: false, error: { code } })
  return [...entries, wrong]
}

test.each([
  ['with_bad_nonce', 'REPLAY_DETECTED', 'assumption_wrong', 'signature_headers', /^Malformed signature headers: /],
  ['with_another_key', 'INVALID_TIMESTAMP', 'documentation_wrong', null, /responds with another documented code/],
])('a call that is signed %s and rejected with %s is %s', async (signed, code, verdict, assumption, about) => {
  const entries = await recordTraffic({}, async ({ api }) => {
    await api.cashout({ external_id: 'payout-1', amount: 20, currency: 'BRL', key: 'ana@example.com' })
  })
  const found = differences(await compareEntries(withWrongSignature(entries, signed, code)))
  const ofCode = found.filter(({ path }) => path === 'error.code')
  expect(ofCode).toMatchObject([{ verdict, assumption, about: expect.stringMatching(about) }])
})

test('a repeated nonce of a call that was not executed is about when a nonce counts as used', async () => {
  const entries = await recordTraffic({}, async ({ api }) => {
    await api.cashout({ external_id: 'payout-1', amount: 20, currency: 'BRL' } as never).catch(() => undefined)
  })
  expect(find(entries, '/transactions/cashout').response.status).toBe(400)
  const { last } = await compareTexts([harOf(withWrongSignature(entries, 'repeated', 'REPLAY_DETECTED'))])
  expect([last.shown.has('nonce_use'), last.shown.has('nonce-window')]).toEqual([true, false])
})
