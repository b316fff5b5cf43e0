/** What the platform did not send, or sent without the id of its object: one finding that names it. */
import { expect, test } from 'vitest'
import { endpoints } from '../../src/protocol/platform/endpoints.js'
import {
  changeBody,
  compareEntries,
  compareTexts,
  copy,
  differences,
  eventOf,
  find,
  setHeader,
  shownIn,
  without,
} from '../support/compared.js'
import { type Played, playCharges, playErrors, recordTraffic } from '../support/recorded-traffic.js'
import { type HarEntry, harOf } from '../support/recording.js'

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

test.each(['cashout.refunded', 'cashin.confirmed'])(
  'an envelope of %s with another id than its data is one finding',
  async (event) => {
    const entries = await recording()
    changeBody(entries, event, (body) => void Object.assign(body, { transaction_id: 'env_1' }))
    expect(await found(entries)).toEqual([`documentation_wrong ${event} transaction_id`])
  },
)

test('a refund that does not name its charge is that of the paid one, although another has the same amount', async () => {
  const entries = await recordTraffic({}, async ({ sandbox, api }) => {
    const { transaction_id: id } = await api.cashin({ amount: 80, currency: 'BRL' })
    await api.cashin({ amount: 80, currency: 'BRL' })
    for (const action of ['cashin.pay', 'cashin.refund'] as const) {
      await sandbox.trigger(action, { id })
      await sandbox.clock.advance('10s')
    }
    await api.transactionList({})
  })
  changeBody(entries, 'cashin.refunded', ({ data }) => void delete data.original_transaction_id)
  expect(await found(entries)).toEqual(['documentation_wrong cashin.refunded data.original_transaction_id'])
})

test('an object that only a list shows as changed is compared by its other fields', async () => {
  const entries = await recording()
  without(entries, find(entries, 'cashin.expired'))
  changeBody(entries, '/transactions/list', ({ data }) => {
    data.items.find(({ status }: HarEntry) => status === 'expired').installments = 1
  })
  expect(await found(entries)).toEqual([
    'documentation_wrong cashin.expired event',
    'unknown_field POST /v2/account/transactions/list data.items[].installments',
  ])
})

test('a charge whose webhook is missing is not taken for a deposit that arrives later', async () => {
  const entries = await recordTraffic({}, async ({ sandbox, api }) => {
    const { transaction_id: id } = await api.cashin({ amount: 80, currency: 'BRL', external_id: 'order-1' })
    const { wallet_id: wallet } = await api.wallet({ currency: 'USDT', chain: 'tron' })
    await sandbox.trigger('cashin.pay', { id })
    await sandbox.clock.advance('5s')
    await api.transactionList({})
    await sandbox.trigger('wallet.deposit', { id: String(wallet), amount: 12.5 })
    await sandbox.clock.advance('5s')
    await api.transactionList({})
  })
  without(entries, find(entries, 'cashin.confirmed'))
  expect(await found(entries)).toEqual(['documentation_wrong cashin.confirmed event'])
})

test('a deposit that names its wallet is compared with that wallet', async () => {
  const wallets: number[] = []
  const entries = await recordTraffic({}, async ({ sandbox, api }) => {
    for (const _ of [1, 2]) wallets.push((await api.wallet({ currency: 'USDT', chain: 'tron' })).wallet_id)
    await sandbox.trigger('wallet.deposit', { id: String(wallets[0]), amount: 12.5 })
    await sandbox.clock.advance('5s')
    await api.transactionList({})
  })
  changeBody(entries, 'cashin.confirmed', ({ data }) => void Object.assign(data, { wallet_id: wallets[0] }))
  changeBody(entries, '/transactions/list', ({ data }) => void Object.assign(data.items[0], { wallet_id: wallets[1] }))
  expect(await found(entries)).toEqual([
    'assumption_wrong POST /v2/account/transactions/list data.items[].wallet_id',
    'unknown_field cashin.confirmed data.wallet_id',
  ])
})

test('an id of a dispute that is no UUID is one finding, wherever it shows', async () => {
  const entries = await recording()
  const { infraction_id: id } = JSON.parse(find(entries, 'chargeback.opened').request.postData.text).data
  const report = await compareEntries(JSON.parse(JSON.stringify(entries).replaceAll(id, 'dispute-1')))
  expect(differences(report).map(({ call, path, about }) => [call, path, about])).toEqual([
    [...['chargeback.opened', 'data.infraction_id'], 'The platform contradicts the documentation: it is not a UUID.'],
  ])
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

/** Writes the time of an attempt into its header. */
function sayWhen({ request, startedDateTime }: HarEntry): void {
  setHeader(request.headers, 'x-webhook-timestamp', String(Math.floor(Date.parse(startedDateTime) / 1000)))
}

/** Repeats the first webhook at these seconds, each attempt answered with `status`, and ends the recording an hour later, or at `endSeconds`. */
const attempts = (entries: HarEntry[], seconds: readonly number[], endSeconds?: number, status = 500) => {
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
    one.response.status = status
    sayWhen(one)
  }
  entries.splice(first + 1, 0, ...again)
}

test.each<[string, number[], string | null, (number | undefined)?, number?]>([
  ['retries that stop after the second attempt', [1], 'attempts.count'],
  ['retries that stop after the third attempt', [1, 6], 'attempts.count'],
  ['a fifth attempt after 60 s', [1, 6, 36, 96, 696], 'attempts.delay'],
  ['the documented attempts', [1, 6, 36, 156, 756], null],
  ['a recording that ends when the third attempt may still be late', [1], null, 21.5],
  ['a recording that ends a millisecond later', [1], 'attempts.count', 21.501],
  ['a second attempt that is as late as one may be', [4.5, 9.5, 39.5, 159.5, 759.5], null],
  ['a fourth attempt that is 15 s late', [1, 6, 51, 171, 771], null],
  ['a second attempt shortly before 100 minutes', [5999.999], 'attempts.delay'],
  ['a second attempt after 100 minutes, as someone asked for it', [6000], null],
  ['retries that stop after an answer with 300', [1], 'attempts.count', undefined, 300],
  ['a fifth attempt after 60 s, each answered with 300', [1, 6, 36, 96, 696], 'attempts.delay', undefined, 300],
  ['another delivery of what was answered with 200', [60], null, undefined, 200],
  ['another delivery of what was answered with 299', [60], null, undefined, 299],
])('%s: judged by the documented delays', async (_case, seconds, path, endSeconds, status) => {
  const entries = await recording()
  attempts(entries, seconds, endSeconds, status)
  const shown = (await found(entries)).filter((one) => one.includes('attempts.'))
  expect(shown).toEqual(path === null ? [] : [`documentation_wrong cashin.confirmed ${path}`])
})

test('a recording with the documented attempts shows that their delays hold', async () => {
  const entries = await recording()
  attempts(entries, [1, 6, 36, 156, 756])
  expect(await shownIn(entries)).toEqual(expect.arrayContaining(['webhook-delays', 'webhook-long-delays']))
})

test.each([
  ['with the timestamp of the first attempt is late', 0, ['attempts.delay', 'attempts.timestamp']],
  ['with a timestamp one second after the first attempt is in time, as the recorder can stand still', 1, []],
])('a retry that is recorded after a minute %s', async (_case, seconds, expected) => {
  const entries = await recording()
  attempts(entries, [60])
  const [first, again] = entries.filter((one) => eventOf(one) === 'cashin.confirmed')
  again.response.status = 200
  const sentAt = Math.floor(Date.parse(first.startedDateTime) / 1000) + seconds
  setHeader(again.request.headers, 'x-webhook-timestamp', String(sentAt))
  const paths = differences(await compareEntries(entries)).map(({ path }) => path)
  expect(paths.filter((one) => one.startsWith('attempts.'))).toEqual(expected)
})

/** Repeats a webhook of each event once, after these seconds: one after the other, or all at the same time. */
function retryEach(entries: HarEntry[], seconds: Readonly<Record<string, number>>, isApart: boolean): void {
  let untilMs: number | null = null
  const again: HarEntry[] = []
  for (const [event, delay] of Object.entries(seconds)) {
    const hook = find(entries, event)
    const shiftMs = !isApart || untilMs === null ? 0 : untilMs - Date.parse(hook.startedDateTime)
    for (const one of entries.slice(entries.indexOf(hook)))
      one.startedDateTime = new Date(Date.parse(one.startedDateTime) + shiftMs).toISOString()
    hook.request.headers = hook.request.headers.filter(
      ({ name }: { name: string }) => name.toLowerCase() !== 'x-sandbox',
    )
    untilMs = Date.parse(hook.startedDateTime) + delay * 1000
    const retry = { ...structuredClone(hook), startedDateTime: new Date(untilMs).toISOString() }
    hook.response.status = 500
    for (const one of [hook, retry]) sayWhen(one)
    again.push(retry)
  }
  entries.push(...again)
}

const threeEvents = (one: number, two: number, three: number) => ({
  ...{ 'cashin.confirmed': one, 'wallet.created': two, 'cashout.confirmed': three },
})

test.each<[string, Record<string, number>, boolean, string[]]>([
  ['three retries, one after the other, of which the quickest is 2 s late,', threeEvents(3, 3, 4), true, ['3 s']],
  ['two such retries', { 'cashin.confirmed': 3, 'wallet.created': 3 }, true, []],
  ['three such retries at the same time', threeEvents(3, 3, 3), false, []],
  ['three retries of which none waits long enough', threeEvents(0.1, 0.5, 0.3), false, ['0.5 s']],
])('%s: a difference only if it is no chance', async (_case, seconds, isApart, expected) => {
  const entries = await recording()
  retryEach(entries, seconds, isApart)
  const report = differences(await compareEntries(entries))
  expect(report.filter(({ path }) => path === 'attempts.delay').map(({ platform }) => platform)).toEqual(expected)
})

test('late retries in two recordings are one finding', async () => {
  const texts: string[] = []
  for (const [event, delay] of [
    ['cashin.confirmed', 60],
    ['wallet.created', 70],
  ] as const) {
    const entries = await recording()
    retryEach(entries, { [event]: delay }, true)
    texts.push(harOf(entries))
  }
  const { report } = await compareTexts(texts)
  const shown = differences(report).filter(({ path }) => path === 'attempts.delay')
  expect(shown.map(({ platform, places }) => [platform, places])).toEqual([['60 s', 2]])
})

/** Charges that are paid one after the other. */
const playPaid =
  (charges: number) =>
  async ({ sandbox, api }: Played) => {
    for (let at = 1; at <= charges; at++) {
      const { transaction_id: id } = await api.cashin({ amount: 20 + at, currency: 'BRL', external_id: `order-${at}` })
      await sandbox.trigger('cashin.pay', { id })
      await sandbox.clock.advance('1s')
    }
  }

test.each([
  [30_000, []],
  [30_001, ['documentation_wrong cashin.confirmed delay']],
])('a single webhook that arrives %d ms after its event: late after half a minute', async (ms, expected) => {
  const entries = await recordTraffic({}, playPaid(1))
  const hook = find(entries, 'cashin.confirmed')
  const call = find(entries, '/transactions/cashin')
  const aheadMs = Date.parse(JSON.parse(call.response.content.text).timestamp) - Date.parse(call.startedDateTime)
  const atMs = Date.parse(JSON.parse(hook.request.postData.text).timestamp)
  hook.startedDateTime = new Date(atMs - aheadMs + ms).toISOString()
  expect(await found(entries)).toEqual(expected)
})

test('webhooks that all arrive ten seconds after their events are one finding about the first attempt', async () => {
  const entries = await recordTraffic({}, playPaid(3))
  for (const one of entries.filter(({ _webhook }) => _webhook === true))
    one.startedDateTime = new Date(Date.parse(one.startedDateTime) + 10_000).toISOString()
  const { report, first } = await compareTexts([harOf(entries)])
  expect(differences(report).map(({ call, path, platform }) => [call, path, String(platform).slice(0, 2)])).toEqual([
    ['cashin.confirmed', 'delay', '10'],
  ])
  expect([...first.byEntry.values()].flat().map(({ sentence }) => sentence)).toEqual(['webhook-first'])
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
    await sandbox.clock.advance('10s')
    await api.transactionList({})
  })
  const [first, again] = entries.filter((one) => JSON.stringify(one.request).includes('order-1'))
  again.response = structuredClone(first.response)
  expect(await found(entries)).toEqual(['assumption_wrong POST /v2/transactions/cashin status'])
})

test('a charge that only the platform accepts is one finding, and a later call that names it cannot be repeated', async () => {
  const entries = await recordTraffic({}, async ({ sandbox, api }) => {
    await api.cashin({ amount: 10, currency: 'BRL', external_id: 'order-1' })
    const { transaction_id: id } = await api.cashin({ amount: 11, currency: 'BRL', external_id: 'order-2' })
    await sandbox.trigger('cashin.pay', { id })
    await sandbox.clock.advance('10s')
    await api.cashin({ amount: 12, currency: 'BRL', external_id: id })
    await api.transactionList({})
  })
  expect(await found(JSON.parse(JSON.stringify(entries).replaceAll('order-2', 'order-1')))).toEqual([
    'assumption_wrong POST /v2/transactions/cashin status',
    'unexplained POST /v2/transactions/cashin status',
  ])
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
