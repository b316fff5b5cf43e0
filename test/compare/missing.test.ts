/** What the platform did not send, or sent without the id of its object: one finding that names it. */
import { expect, test } from 'vitest'
import { endpoints } from '../../src/protocol/platform/endpoints.js'
import {
  changeBody,
  compareEntries,
  copy,
  differences,
  eventOf,
  find,
  setHeader,
  without,
} from '../support/compared.js'
import { type Played, playCharges, playErrors, recordTraffic } from '../support/recorded-traffic.js'
import type { HarEntry } from '../support/recording.js'

const play = async (played: Played) => {
  const { sandbox, api } = played
  const step = (by: string) => sandbox.clock.advance(by)
  const paid = await api.cashin({ amount: 75, currency: 'BRL', external_id: 'order-1' })
  await step('1s')
  await sandbox.trigger('cashin.pay', { id: paid.transaction_id })
  await step('1s')
  await api.cashin({ amount: 15.5, currency: 'BRL', external_id: 'order-2' })
  const wallet = await api.wallet({ currency: 'USDT', chain: 'tron' })
  await step('1s')
  void wallet
  const sent = await api.cashout({ external_id: 'payout-1', amount: 20, currency: 'BRL', key: 'ana@example.com' })
  await step('12s')
  await sandbox.trigger('cashout.refund', { id: sent.transaction_id })
  await step('1s')
  const conversion = await api.conversion({ base_currency: 'BRL', destination_currency: 'USDT', amount: 100 })
  await step('1s')
  await sandbox.trigger('conversion.refund', { id: conversion.conversion_id })
  await step('1s')
  const { object } = await sandbox.trigger('dispute.open', { id: paid.transaction_id })
  await step('1s')
  await api.infractionList({ page: 1, page_size: 10 })
  await sandbox.trigger('dispute.win', { id: object.infraction_id })
  await step('2h')
  await api.balance()
  await api.transactionList({ page: 1, page_size: 50 })
}

const found = async (entries: readonly HarEntry[]) =>
  differences(await compareEntries(entries)).map(({ verdict, call, path }) => `${verdict} ${call} ${path}`)

let recorded: Promise<HarEntry[]> | undefined
async function recording(): Promise<HarEntry[]> {
  recorded ??= recordTraffic({}, play)
  return copy(await recorded)
}

test.each(['cashin.expired', 'cashin.confirmed', 'cashout.confirmed'])(
  'a webhook %s that was never sent is found, although only the list at the end shows the change',
  async (event) => {
    const entries = await recording()
    without(entries, find(entries, event))
    expect(await found(entries)).toContain(`documentation_wrong ${event} event`)
  },
)

test.each([
  ['chargeback.opened', 'infraction_id', null],
  ['chargeback.won', 'infraction_id', null],
  ['cashout.refunded', 'original_transaction_id', 12345],
  ['cashin.confirmed', 'transaction_id', 12345],
  ['conversion.refunded', 'original_conversion_id', undefined],
  ['cashin.expired', 'transaction_id', undefined],
])('%s with the %s %s is one finding about that field', async (event, field, value) => {
  const entries = await recording()
  changeBody(entries, event, ({ data }) => void Object.assign(data, { [field]: value }))
  expect(await found(entries)).toEqual([`documentation_wrong ${event} data.${field}`])
})

test('an envelope with another id than its data is one finding', async () => {
  const entries = await recording()
  changeBody(entries, 'cashout.refunded', (body) => void Object.assign(body, { transaction_id: 'env_1' }))
  expect(await found(entries)).toEqual(['documentation_wrong cashout.refunded transaction_id'])
})

test('values that the sandbox takes over are compared with its own: ids of wallets and names of banks', async () => {
  const entries = await recording()
  changeBody(entries, 'wallet.created', (body) => void Object.assign(body, { transaction_id: 'w_1' }))
  changeBody(entries, 'cashout.confirmed', ({ data }) => void Object.assign(data.receiver, { bank: 'Banco Um S.A.' }))
  expect(await found(entries)).toEqual(
    expect.arrayContaining([
      'assumption_wrong wallet.created transaction_id',
      'assumption_wrong cashout.confirmed data.receiver.bank',
    ]),
  )
})

test('one withdrawal that settles much later names the setting', async () => {
  const [one, ...more] = differences(await compareEntries(await recordTraffic({ cashoutSettle: '12s' }, play)))
  expect([one?.path, one?.setting, one?.value, more]).toEqual(['delay', 'cashout_settle', '12s', []])
})

test('another name of an event names the documented event', async () => {
  const entries = await recording()
  changeBody(entries, 'cashin.confirmed', (body) => void Object.assign(body, { event: 'cashin.paid' }))
  const hook = find(entries, 'cashin.paid')
  for (const header of hook.request.headers)
    if (header.name.toLowerCase() === 'x-webhook-event') header.value = 'cashin.paid'
  const [one, ...more] = differences(await compareEntries(entries))
  expect([one?.verdict, one?.path, one?.platform, one?.sandbox, more]).toEqual([
    ...['documentation_wrong', 'event', 'cashin.paid', 'cashin.confirmed'],
    [],
  ])
})

test('a postback_url that is null although webhooks arrive is found', async () => {
  const entries = await recording()
  changeBody(entries, '/transactions/cashin', ({ data }) => void Object.assign(data, { postback_url: null }))
  expect(await found(entries)).toEqual(['documentation_wrong POST /v2/transactions/cashin data.postback_url'])
})

/** Repeats the first webhook at these seconds, each attempt answered with 500, and ends the recording an hour later, or at `endSeconds`. */
const attempts = (entries: HarEntry[], seconds: readonly number[], endSeconds?: number) => {
  const first = entries.findIndex((one) => eventOf(one) === 'cashin.confirmed')
  const hook = entries[first]
  const at = (by: number) => new Date(Date.parse(hook.startedDateTime) + by * 1000).toISOString()
  for (const one of entries.slice(first + 1))
    if (endSeconds === undefined)
      one.startedDateTime = new Date(Date.parse(one.startedDateTime) + 3_600_000).toISOString()
    else Object.assign(one, { startedDateTime: at(endSeconds), time: 0 })
  hook.request.headers = hook.request.headers.filter(({ name }: { name: string }) => name.toLowerCase() !== 'x-sandbox')
  const again = seconds.map((by) => ({ ...structuredClone(hook), startedDateTime: at(by) }))
  for (const one of [hook, ...again]) {
    one.response.status = 500
    const sentAt = Math.floor(Date.parse(one.startedDateTime) / 1000)
    setHeader(one.request.headers, 'x-webhook-timestamp', String(sentAt))
  }
  entries.splice(first + 1, 0, ...again)
}

test.each<[string, number[], string | null, number?]>([
  ['retries that stop after the second attempt', [1], 'attempts.count'],
  ['retries that stop after the third attempt', [1, 6], 'attempts.count'],
  ['a fifth attempt after 60 s', [1, 6, 36, 96, 696], 'attempts.delay'],
  ['the documented attempts', [1, 6, 36, 156, 756], null],
  ['a recording that ends when the third attempt may still be late', [1], null, 21.5],
  ['a recording that ends a millisecond later', [1], 'attempts.count', 21.501],
])('%s: judged by the documented delays', async (_case, seconds, path, endSeconds) => {
  const entries = await recording()
  attempts(entries, seconds, endSeconds)
  const shown = (await found(entries)).filter((one) => one.includes('attempts.'))
  expect(shown).toEqual(path === null ? [] : [`documentation_wrong cashin.confirmed ${path}`])
})

test('a refund that also returns the fee is about what a refund takes', async () => {
  const entries = await recordTraffic({}, playCharges)
  changeBody(entries, 'cashin.refunded', ({ data }) => {
    data.new_balance = (Number(data.new_balance) + 1.51).toFixed(2)
  })
  const [one] = differences(await compareEntries(entries))
  expect([one?.assumption, one?.path]).toEqual(['refund_takes', 'data.new_balance'])
})

test('a provider error that is not retryable contradicts the documentation', async () => {
  const entries = await recording()
  const call = find(entries, '/transactions/cashin')
  const failed = structuredClone(call)
  const details = { code: 'PROVIDER_ERROR', message: 'x', group: 'system', retryable: false, details: {} }
  failed.response.status = 502
  failed.response.content.text = JSON.stringify({ success: false, error: details })
  entries.splice(entries.indexOf(call), 0, failed)
  expect(await found(entries)).toEqual(['documentation_wrong POST /v2/transactions/cashin error.retryable'])
})

test('a repeated call with another amount that returns the first charge is one finding', async () => {
  const entries = await recordTraffic({}, async ({ sandbox, api }) => {
    const { transaction_id: id } = await api.cashin({ amount: 10, currency: 'BRL', external_id: 'order-1' })
    await api.cashin({ amount: 11, currency: 'BRL', external_id: 'order-1' }).catch(() => undefined)
    await sandbox.trigger('cashin.pay', { id })
    await sandbox.clock.advance('1s')
    await api.transactionList({})
  })
  const [first, again] = entries.filter((one) => JSON.stringify(one.request).includes('order-1'))
  again.response = structuredClone(first.response)
  expect(await found(entries)).toEqual(['assumption_wrong POST /v2/transactions/cashin status'])
})

test('a repeated charge with a new id is one finding, although lists show the new charge', async () => {
  const entries = await recordTraffic({}, async ({ sandbox, api }) => {
    await api.cashin({ amount: 10, currency: 'BRL', external_id: 'order-1' })
    await sandbox.clock.advance('20s')
    await api.cashin({ amount: 10, currency: 'BRL', external_id: 'order-1' })
    await sandbox.clock.advance('30m')
    await api.transactionList({})
  })
  const [, again] = entries.filter((one) => JSON.stringify(one.request).includes('order-1'))
  changeBody([again], '/transactions/cashin', ({ data }) => void Object.assign(data, { transaction_id: 'tx_new' }))
  changeBody(entries, '/transactions/list', ({ data }) => {
    const [item] = data.items
    data.items.unshift({ ...item, transaction_id: 'tx_new', created_at: item.created_at.replace(/:\d\d\./, ':59.') })
    data.pagination.total = 2
  })
  expect(await found(entries)).toEqual(['documentation_wrong POST /v2/transactions/cashin data.transaction_id'])
})

test('errors without an object are one finding', async () => {
  const entries = await recordTraffic({}, playErrors)
  for (const { response } of entries) {
    const body = JSON.parse(response.content.text)
    if (body.error !== undefined) response.content.text = JSON.stringify({ ...body, error: body.error.message })
  }
  expect((await found(entries)).filter((one) => one.includes('error'))).toEqual([
    'documentation_wrong POST /v2/transactions/cashin error.code',
  ])
})

test('an amount of a dispute that the charge does not allow is one finding', async () => {
  const entries = await recording()
  changeBody(entries, 'chargeback.opened', ({ data }) => void Object.assign(data, { amount: '75.50', reason: 'LATE' }))
  changeBody(entries, '/account/infractions', ({ data }) => void Object.assign(data.items[0], { reason: 'LATE' }))
  const shown = await found(entries)
  expect(shown.filter((one) => !one.includes('balance'))).toEqual(['documentation_wrong chargeback.opened data.amount'])
})

test('fields within another field are one finding, and the ids in them are known', async () => {
  const entries = await recording()
  for (const entry of entries.filter((one) => one.request.url.endsWith('/cashin')))
    changeBody([entry], '/transactions/cashin', (body) => ({ ...body, data: { transaction: body.data } }))
  expect(await found(entries)).toEqual(['documentation_wrong POST /v2/transactions/cashin data'])
})

test('a platform that ignores page_size is one finding', async () => {
  const entries = await recordTraffic({}, async ({ api }) => {
    for (const amount of [10, 11, 12]) await api.cashin({ amount, currency: 'BRL' })
    await api.transactionList({ page_size: 50 })
    await api.transactionList({ page_size: 2 })
  })
  const [all, part] = entries.filter((one) => one.request.url.endsWith('/list'))
  part.response.content = structuredClone(all.response.content)
  expect(await found(entries)).toEqual([
    'assumption_wrong POST /v2/account/transactions/list data.pagination.page_size',
  ])
})

test('a detail that no error has is one finding, with the number of its places', async () => {
  const entries = await recordTraffic({}, playErrors)
  let places = 0
  for (const entry of entries) {
    const { content } = entry.response
    const body = entry._webhook === true ? {} : JSON.parse(content.text)
    if (body.error?.details?.field === undefined) continue
    delete body.error.details.field
    content.text = JSON.stringify(body)
    places++
  }
  expect(places).toBeGreaterThan(1)
  const found = differences(await compareEntries(entries))
  expect(found.map((one) => [one.verdict, one.path, one.absent, one.places])).toEqual([
    ['assumption_wrong', 'error.details.field', 'platform', places],
  ])
})

test.each([{ message: 'Forbidden' }, { success: false, error: 'Forbidden' }, { success: true, data: {} }])(
  'a rejection whose body is not the documented error, %j, is one of the platform alone',
  async (body) => {
    const entries = await recording()
    const { response } = find(entries, endpoints.balance.path)
    response.status = 403
    response.content.text = JSON.stringify(body)
    const outcomes = differences(await compareEntries(entries)).filter(({ about }) =>
      about?.includes('rejects the call'),
    )
    expect(outcomes.map(({ about }) => about)).toEqual([
      'Only the platform rejects the call, with an error that is not documented.',
    ])
  },
)
