/** Balances and fees of the platform: a wrong movement is named, a fee schedule is inferred. */
import { expect, test } from 'vitest'
import { profileOf } from '../../src/features/compare/judge/calibrate.js'
import { configOf, platformSettings } from '../../src/protocol/settings/platform.js'
import { changeBody, compareEntries, copy, differences, eventOf, pathOf } from '../support/compared.js'
import { type Played, recordTraffic } from '../support/recorded-traffic.js'
import type { HarEntry } from '../support/recording.js'

const play = async ({ sandbox, api }: Played) => {
  const step = () => sandbox.clock.advance('1s')
  const ids: string[] = []
  for (const amount of [80, 90.5, 41]) {
    const { transaction_id: id } = await api.cashin({ amount, currency: 'BRL', external_id: `order-${amount}` })
    await sandbox.trigger('cashin.pay', { id })
    await step()
    ids.push(id)
  }
  await api.balance()
  const disputes: string[] = []
  for (const id of ids) disputes.push((await sandbox.trigger('dispute.open', { id })).object.infraction_id)
  await step()
  await api.balance()
  for (const [at, action] of (['dispute.win', 'dispute.cancel', 'dispute.lose'] as const).entries()) {
    await sandbox.trigger(action, { id: String(disputes[at]) })
    await step()
    await api.balance()
  }
  const sent = await api.cashout({ external_id: 'payout-1', amount: 55.5, currency: 'BRL', key: 'ana@example.com' })
  await sandbox.trigger('cashout.fail', { id: sent.transaction_id })
  await step()
  await api.balance()
}

let recorded: Promise<HarEntry[]> | undefined
async function recording(): Promise<HarEntry[]> {
  recorded ??= recordTraffic({}, play)
  return copy(await recorded)
}

/** Changes the BRL balance from the answer at `from` to the one before `to`. */
function changeBalances(
  entries: HarEntry[],
  [from, to]: readonly [number, number],
  change: (row: { available: number; blocked: number }) => void,
): void {
  const answers = entries.filter((one) => one._webhook !== true && pathOf(one).endsWith('/account/balance'))
  for (const answer of answers.slice(from, to))
    changeBody([answer], '/account/balance', ({ data }) =>
      change(data.balances.find(({ currency }: { currency: string }) => currency === 'BRL')),
    )
}

const found = async (entries: readonly HarEntry[]) =>
  differences(await compareEntries(entries)).map(({ verdict, call, path, platform, sandbox, documented }) => [
    `${verdict} ${call} ${path}`,
    `${platform} / ${sandbox}`,
    documented,
  ])

test.each([
  ['blocks nothing when disputes open', [1, 2], 211.5, 'dispute.open: Balance blocked', 'chargeback.opened'],
  ['does not block one of the disputes', [1, 2], 90.5, 'dispute.open: Balance blocked', 'chargeback.opened'],
  ['returns no failed withdrawal', [5, 6], -56.5, 'cashout.fail: Balance refunded automatically', 'cashout.failed'],
] as const)(
  'a platform that %s contradicts the documentation, with both balances',
  async (_case, range, by, said, event) => {
    const entries = await recording()
    const shown: number[] = []
    changeBalances(entries, range, (row) => {
      shown.push(row.available + by, row.available)
      row.available += by
      if (event === 'chargeback.opened') row.blocked -= by
    })
    const text = shown.map((amount) => `${amount.toFixed(2)} BRL`).join(' / ')
    expect(await found(entries)).toEqual([[`documentation_wrong ${event} balance`, text, said]])
  },
)

test('a movement that the platform did not make is not missed again when the sandbox reverses it', async () => {
  const entries = await recording()
  // The end of each dispute moves what the sandbox had blocked.
  for (const [at, blocked] of [211.5, 131.5, 41].entries())
    changeBalances(entries, [at + 1, at + 2], (row) => {
      row.available += blocked
      row.blocked = 0
    })
  expect(await found(entries)).toHaveLength(1)
})

test('a balance that no documented movement explains is a difference with the currency and its decimals', async () => {
  const entries = await recording()
  let is = ''
  changeBalances(entries, [1, 6], (row) => {
    is ||= `${(row.available + 0.37).toFixed(2)} BRL / ${row.available.toFixed(2)} BRL`
    row.available += 0.37
  })
  expect(await found(entries)).toEqual([
    ['assumption_wrong GET /v2/account/balance data.balances[].available', is, null],
  ])
})

test('a failed withdrawal that keeps its fee is one finding about what returns, without a setting', async () => {
  const entries = await recording()
  changeBalances(entries, [5, 6], (row) => {
    row.available -= 1
  })
  const expected = ['assumption_wrong', 'refunded_amount', null]
  const foundIn = async () =>
    differences(await compareEntries(entries)).map(({ verdict, assumption, setting }) => [verdict, assumption, setting])
  expect(await foundIn()).toEqual([expected])
  changeBody(entries, 'cashout.failed', ({ data }) => void Object.assign(data, { refunded_amount: '55.50' }))
  expect(await foundIn()).toEqual([expected])
})

test('amounts of a coin that are cut to two decimals are one finding, wherever they show', async () => {
  const entries = await recordTraffic({}, async ({ sandbox, api }) => {
    const { transaction_id: id } = await api.cashin({ amount: 0.01234567, currency: 'BTC', chain: 'bitcoin' })
    await sandbox.trigger('cashin.pay', { id })
    await sandbox.clock.advance('1s')
  })
  changeBody(entries, '/transactions/cashin', ({ data }) => void Object.assign(data, { amount: 0.01, fee: 0 }))
  changeBody(
    entries,
    'cashin.confirmed',
    ({ data }) => void Object.assign(data, { amount: '0.01', fee: '0.00', amount_net: '0.01', new_balance: '0.01' }),
  )
  const [one, ...others] = differences(await compareEntries(entries))
  expect(others).toEqual([])
  expect(one).toMatchObject({
    ...{ verdict: 'assumption_wrong', call: 'POST /v2/transactions/cashin', path: 'data.amount' },
    ...{ assumption: 'decimals_of_coins', setting: null, platform: 0.01, sandbox: 0.01234567 },
  })
})

test('an amount of a coin that differs by a whole hundredth is not cut', async () => {
  const entries = await recordTraffic(
    {},
    async ({ api }) => void (await api.cashin({ amount: 0.02, currency: 'BTC', chain: 'bitcoin' })),
  )
  changeBody(entries, '/transactions/cashin', ({ data }) => void Object.assign(data, { amount: 0.01 }))
  expect((await found(entries)).map(([what]) => what)).toEqual([
    'documentation_wrong POST /v2/transactions/cashin data.amount',
  ])
})

const pay = async ({ sandbox, api }: Played) => {
  for (const [at, amount] of [100, 33.33, 2500, 47.15].entries()) {
    const { transaction_id: id } = await api.cashin({ amount, currency: 'BRL', external_id: `order-${at}` })
    await sandbox.trigger('cashin.pay', { id })
    await sandbox.clock.advance('1s')
    await api.cashout({ external_id: `payout-${at}`, amount, currency: 'BRL', key: 'ana@example.com' })
    await sandbox.clock.advance('5s')
  }
  const { transaction_id: coin } = await api.cashin({ amount: 0.0125, currency: 'BTC', chain: 'bitcoin' })
  await sandbox.trigger('cashin.pay', { id: coin })
  await sandbox.clock.advance('1s')
  await api
    .cashout({ external_id: 'too-much', amount: 900_000, currency: 'BRL', key: 'ana@example.com' })
    .catch(() => null)
  await sandbox.clock.advance('1s')
  await api.balance()
}

test.each([
  { BRL: { cashout: { fixed: '2.50' } } },
  { BRL: { cashin: { percent: '1.5' } } },
  { BRL: { cashin: { fixed: '0.35', percent: '0.99' }, cashout: { percent: '0.125' } } },
  { BRL: { cashin: { fixed: '0.75', percent: '0' } }, BTC: { cashin: { percent: '0.4' } } },
  { BRL: { cashout: { percent: '100' } } },
])('the fees %j are inferred from amounts: one finding, and the profile removes it', async (fees) => {
  const entries = await recordTraffic({ fees }, pay)
  const report = await compareEntries(entries)
  expect(
    differences(report).map(({ assumption, setting, value }) => [assumption, setting, value]),
    JSON.stringify(differences(report), null, 1),
  ).toEqual([['fees', 'fees', fees]])
  const { platform: _platform, ...settings } = profileOf(report)
  const config = configOf({ fees: platformSettings.fees.schema.parse(settings.fees) })
  expect(differences(await compareEntries(entries, config))).toEqual([])
})

const settingsIn = async (entries: readonly HarEntry[], config: Parameters<typeof compareEntries>[1] = {}) =>
  differences(await compareEntries(entries, config)).map(({ assumption, setting, value }) => [
    assumption,
    setting,
    value,
  ])

test.each([
  [10, '0'],
  [10, '0.1'],
  [10, '1.5'],
  [100, '1.11'],
  [50_000, '0.1235'],
])(
  'a percentage is inferred from one charge, with as few decimals as fit: %d BRL and %s %',
  async (amount, percent) => {
    const fees = { BRL: { cashin: { percent } } }
    const entries = await recordTraffic(
      { fees },
      async ({ api }) => void (await api.cashin({ amount, currency: 'BRL' })),
    )
    expect(await settingsIn(entries)).toEqual([['fees', 'fees', fees]])
  },
)

test('fees are inferred from the webhooks of deposits alone', async () => {
  const fees = { USDT: { cashin: { percent: '1.5' } } }
  const entries = await recordTraffic({ fees }, async ({ sandbox, api }) => {
    const { wallet_id: id } = await api.wallet({ currency: 'USDT', chain: 'tron' })
    await sandbox.trigger('wallet.deposit', { id: String(id), amount: 12.5 })
    await sandbox.clock.advance('1s')
  })
  expect(await settingsIn(entries)).toEqual([['fees', 'fees', fees]])
})

test('the fee of conversions is inferred from simulations alone', async () => {
  const fees = { BRL: { conversion: { percent: '0.5' } } }
  const entries = await recordTraffic({ fees }, async ({ api }) => {
    for (const amount of [100, 200]) await api.simulate({ base_currency: 'BRL', destination_currency: 'USDT', amount })
  })
  expect(await settingsIn(entries)).toEqual([['conversion_fee', 'fees', fees]])
})

test('a fee that is null is no price, so the others show the fees', async () => {
  const fees = { BRL: { cashin: { percent: '1.5' } } }
  const entries = await recordTraffic({ fees }, pay)
  changeBody(entries, 'cashin.confirmed', ({ data }) => void Object.assign(data, { fee: null }))
  expect(await settingsIn(entries)).toEqual([
    [null, null, null],
    ['fees', 'fees', fees],
  ])
})

test('fees are named although the result of a conversion differs for another reason', async () => {
  const fees = { BRL: { cashin: { percent: '1.5' } } }
  const entries = await recordTraffic({ fees }, async (played) => {
    await pay(played)
    await played.api.simulate({ base_currency: 'BRL', destination_currency: 'USDT', amount: 100 })
  })
  changeBody(entries, '/conversions/simulate', ({ data }) => {
    data.to_amount += 5
  })
  expect((await settingsIn(entries)).sort()).toEqual([
    ['conversion_fee', null, null],
    ['fees', 'fees', fees],
  ])
})

test('the fees of the configuration stay beside those that are named', async () => {
  const cashout = { fixed: '2.50' }
  const fees = { BRL: { cashin: { percent: '1.5' }, cashout } }
  const entries = await recordTraffic({ fees }, pay)
  const config = configOf({ fees: platformSettings.fees.schema.parse({ BRL: { cashout } }) })
  expect(await settingsIn(entries, config)).toEqual([['fees', 'fees', { BRL: { cashin: { percent: '1.5' } } }]])
})

test.each([{}, { pixChargeLife: '15m' }])(
  'a balance that differs because of a fee is a place of the fee, beside the settings %j',
  async (settings) => {
    const fees = { BRL: { cashout: { fixed: '2.50' } } }
    const entries = await recordTraffic({ fees, ...settings }, async ({ sandbox, api }) => {
      await api.cashin({ amount: 20, currency: 'BRL' })
      await api.balance()
      await api.cashout({ external_id: 'payout-1', amount: 30, currency: 'BRL', key: 'ana@example.com' })
      await sandbox.clock.advance('10s')
      await api.balance()
    })
    const placesIn = async (some: readonly HarEntry[]): Promise<Record<string, number>> =>
      Object.fromEntries(
        differences(await compareEntries(some)).map(({ setting, places }) => [String(setting), places]),
      )
    const [all, part] = [await placesIn(entries), await placesIn(entries.slice(0, -1))]
    expect(Object.keys(all)).toEqual(Object.keys(part))
    expect(all.fees).toBeGreaterThan(part.fees ?? 0)
    expect(all.pix_charge_life).toBe(part.pix_charge_life)
  },
)

test('a net amount from which the fee is not deducted is found, although the fee differs too', async () => {
  const entries = await recordTraffic({ fees: { BRL: { cashin: { percent: '1.5' } } } }, pay)
  for (const entry of entries.filter((one) => eventOf(one) === 'cashin.confirmed'))
    changeBody([entry], 'cashin.confirmed', ({ data }) => void Object.assign(data, { amount_net: data.amount }))
  expect((await found(entries)).map(([what]) => what)).toEqual([
    'documentation_wrong cashin.confirmed data.amount_net',
    'assumption_wrong POST /v2/transactions/cashin data.fee',
  ])
})

test('a payment that is not credited contradicts the documentation', async () => {
  const entries = await recordTraffic({}, async ({ sandbox, api }) => {
    const { transaction_id: id } = await api.cashin({ amount: 0.0125, currency: 'BTC', chain: 'bitcoin' })
    await sandbox.trigger('cashin.pay', { id })
    await sandbox.clock.advance('1s')
  })
  changeBody(entries, 'cashin.confirmed', ({ data }) => void Object.assign(data, { new_balance: data.old_balance }))
  expect((await found(entries)).map(([what, , documented]) => [what, documented])).toEqual([
    ['documentation_wrong cashin.confirmed balance', 'cashin.pay: Balance credited'],
  ])
})

test('the missing webhook of a change shortly before the end is a note, and a finding once others were much faster', async () => {
  const entries = await recordTraffic({}, async ({ sandbox, api }) => {
    for (const at of [1, 2]) {
      const { transaction_id: id } = await api.cashin({ amount: 20, currency: 'BRL', external_id: `order-${at}` })
      await sandbox.trigger('cashin.pay', { id })
      await sandbox.clock.advance(at === 1 ? '1s' : 0)
    }
    await api.transactionList({ page: 1, page_size: 10 })
  })
  const last = entries.filter((one) => eventOf(one) === 'cashin.confirmed').at(-1)
  const rest = entries.filter((one) => one !== last)
  const notes = (report: Awaited<ReturnType<typeof compareEntries>>) => report.left_out.map(({ reason }) => reason)
  const early = await compareEntries(rest)
  expect([differences(early), notes(early)]).toEqual([
    [],
    [expect.stringMatching(/^the recording ends .* cashin\.confirmed$/)],
  ])
  const list = rest.at(-1)
  const changed = list.response.content.text.replace(
    /"timestamp":"([^"]+)"\}$/,
    (_all: string, at: string) => `"timestamp":"${new Date(Date.parse(at) + 2_500).toISOString()}"}`,
  )
  list.response.content.text = changed
  const late = await compareEntries(rest)
  expect(differences(late).map(({ verdict, call, path }) => `${verdict} ${call} ${path}`)).toEqual([
    'documentation_wrong cashin.confirmed event',
  ])
  // A webhook that took longer makes the same time too short again.
  const slow = copy(rest)
  const first = slow.find((one) => eventOf(one) === 'cashin.confirmed')
  first.startedDateTime = new Date(Date.parse(first.startedDateTime) + 400).toISOString()
  expect(differences(await compareEntries(slow))).toEqual([])
  const without = await compareEntries(rest.filter((one) => one._webhook !== true))
  expect([differences(without), notes(without)]).toEqual([
    [],
    ['the recording has no webhooks, so missing ones are not reported, and balances are not compared'],
  ])
})

test('a recording in which nothing changes needs no webhooks', async () => {
  const entries = await recordTraffic({}, async ({ api }) => void (await api.balance()))
  expect((await compareEntries(entries)).left_out).toEqual([])
})
