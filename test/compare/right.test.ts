/** Recordings of a platform that follows the documentation: nothing is found, whatever the network did to them. */
import { expect, test } from 'vitest'
import { apiClientFor } from '../../src/client/api.js'
import {
  changeBody,
  compareEntries,
  copy,
  differences,
  eventOf,
  find,
  setHeader,
  shownIn,
  without,
} from '../support/compared.js'
import { type Played, recordTraffic } from '../support/recorded-traffic.js'
import type { HarEntry } from '../support/recording.js'

/** Records with a clock that advances a second with each step. */
const record = (steps: (played: Played) => Promise<void>) => recordTraffic({}, steps)

const step = ({ sandbox }: Played) => sandbox.clock.advance('1s')

const rightly = async (entries: readonly HarEntry[]) =>
  expect(
    differences(await compareEntries(entries)).map(({ call, path, about }) => `${call} ${path}: ${about}`),
  ).toEqual([])

/** Lets the first webhook of an event arrive after the next entries. */
function delay(entries: HarEntry[], event: string): void {
  const from = entries.findIndex((one) => eventOf(one) === event)
  const [hook] = entries.splice(from, 1)
  hook.startedDateTime = entries[from + 2].startedDateTime
  entries.splice(from + 3, 0, hook)
}

const playLate = async (played: Played) => {
  const { sandbox, api } = played
  const ids: string[] = []
  for (const amount of [80, 90.5]) {
    const { transaction_id: id } = await api.cashin({ amount, currency: 'BRL' })
    ids.push(id)
    await step(played)
    await api.balance()
    await sandbox.trigger('cashin.pay', { id })
    await step(played)
    await api.balance()
    await api.balance()
  }
  for (const id of ids) {
    await sandbox.trigger('dispute.open', { id })
    await step(played)
  }
  await api.balance()
  await api.infractionList({ page: 1, page_size: 50 })
  await api.wallet({ currency: 'USDT', chain: 'tron' })
  await api.wallet({ currency: 'BTC', chain: 'bitcoin' })
  await api.wallet({ currency: 'USDT', chain: 'tron' })
  await step(played)
  await api.balance()
  const customer = apiClientFor(sandbox.url, async () => {
    const { client_id: clientId, client_secret: clientSecret, signing_key: signingKey } = sandbox.accounts.customer
    return { clientId, clientSecret, signingKey }
  })
  await customer.transfer({ username: 'merchant', amount: 40, currency: 'BRL' })
  await step(played)
  await api.conversion({ base_currency: 'BRL', destination_currency: 'USDT', amount: 30 })
  await step(played)
  await api.balance()
}

test.each(['cashin.confirmed', 'chargeback.opened', 'wallet.created', 'transfer.confirmed'])(
  'a webhook %s that arrives after the next calls is compared at the time in its body',
  async (event) => {
    const entries = copy(await record(playLate))
    delay(entries, event)
    await rightly(entries)
  },
)

test.each([-40, 40])(
  'a clock of the recorder that is wrong by %d s, and a first response without a time, change nothing',
  async (seconds) => {
    const entries = copy(
      await record(async (played) => {
        await fetch(`${played.recorder.url}/v2/account/balance`)
        await playLate(played)
      }),
    )
    expect(entries[0].response.status).toBe(401)
    for (const one of entries)
      one.startedDateTime = new Date(Date.parse(one.startedDateTime) + seconds * 1000).toISOString()
    await rightly(entries)
  },
)

test('time that passes on the recorder while the clock of the platform stands still changes nothing', async () => {
  const entries = copy(
    await record(async (played) => {
      await playLate(played)
      // A call whose response states no time comes between two that do.
      await fetch(`${played.recorder.url}/v2/account/balance`)
      await played.api.cashin({ amount: 70, currency: 'BRL' })
    }),
  )
  let calls = 0
  for (const one of entries) {
    if (eventOf(one) === undefined) calls++
    one.startedDateTime = new Date(Date.parse(one.startedDateTime) + calls * 7000).toISOString()
  }
  await rightly(entries)
})

test('a withdrawal to an address or a CLABE that the platform created is compared', async () => {
  const entries = await record(async ({ api }) => {
    const { address: tron } = await api.wallet({ currency: 'USDT', chain: 'tron' })
    const { address: clabe } = await api.wallet({ currency: 'MXN' })
    await api.cashout({ external_id: 'payout-1', amount: 20, currency: 'USDT', network: 'tron', key: String(tron) })
    await api.cashout({ external_id: 'payout-2', amount: 200, currency: 'MXN', key: String(clabe), name: 'Ana Souza' })
  })
  await rightly(entries)
})

test('withdrawals to a wrong PIX key and with the code of another bank fail as assumed', async () => {
  const entries = await record(async ({ sandbox, api }) => {
    await api.cashout({ external_id: 'payout-1', amount: 3, currency: 'BRL', key: 'nobody', key_type: 'cpf' })
    const clabe = { amount: 200, currency: 'MXN', key: '032180000118359719', bank_code: '40012' } as const
    await api.cashout({ external_id: 'payout-2', name: 'Ana Souza', ...clabe })
    await sandbox.clock.advance('10s')
  })
  await rightly(entries)
  const { findings } = await compareEntries(entries)
  expect(findings.map(({ assumption }) => assumption)).toContain('bank_code_mismatch')
  changeBody(entries, 'cashout.failed', ({ data }) => void Object.assign(data, { error_code: 'BLACKLISTED' }))
  const [one, ...more] = differences(await compareEntries(entries))
  expect([one?.assumption, one?.path, more]).toEqual(['wrong_destination', 'destination', []])
})

test('a withdrawal after one that the balance did not cover is compared', async () => {
  const entries = await record(async (played) => {
    const { api } = played
    const plain = { currency: 'BRL', key: 'ana@example.com' } as const
    await api.cashout({ external_id: 'payout-1', amount: 99_000, ...plain }).catch(() => undefined)
    await api.cashout({ external_id: 'payout-2', amount: 20, ...plain })
    await step(played)
    await api.balance()
  })
  await rightly(entries)
  const { request, response } = find(entries, '/transactions/cashout')
  request.postData.text = request.postData.text.replace('"currency":"BRL",', '')
  response.content.text = response.content.text.replace(/"details":\{[^}]*\}/, '"details":{}')
  expect(differences(await compareEntries(entries)).map(({ path }) => path)).toEqual(['error.code'])
})

test('without webhooks, payments can be missing, so balances show no difference', async () => {
  const entries = (await record(playLate)).filter(({ _webhook }) => _webhook !== true)
  await rightly(entries)
})

test.each([
  ['the reason of a single dispute', ['Item not received']],
  ['different reasons of two disputes', ['Item not received', 'Charged twice']],
])('%s is that of the payer, not a default of the platform', async (_what, reasons) => {
  const entries = await record(async (played) => {
    for (const reason of reasons) {
      const { transaction_id: id } = await played.api.cashin({ amount: 80, currency: 'BRL' })
      await played.sandbox.trigger('cashin.pay', { id })
      await step(played)
      await played.sandbox.trigger('dispute.open', { id, reason })
      await step(played)
    }
    await played.api.infractionList({ page: 1, page_size: 50 })
  })
  await rightly(entries)
})

test('a rate whose last decimal is rounded instead of cut is the same rate', async () => {
  const entries = await record(async ({ api }) => {
    await api.rate({ base_currency: 'BRL', destination_currency: 'USDT', amount: 100 })
  })
  const [quote] = entries.filter(({ request }) => request.url.endsWith('/rate'))
  quote.response.content.text = quote.response.content.text.replace(/("rate":0\.\d{11})3/, '$14')
  expect(quote.response.content.text).toMatch(/"rate":0\.\d{11}4/)
  await rightly(entries)
})

test('a charge whose external_id was used before the recording shows no wrong side', async () => {
  const entries = await record(async ({ api }) => {
    await api.cashin({ amount: 10, currency: 'BRL', external_id: 'order-1' })
    await api.cashin({ amount: 11, currency: 'BRL', external_id: 'order-1' }).catch(() => undefined)
  })
  expect(differences(await compareEntries(entries.slice(-1))).map(({ verdict, path }) => [verdict, path])).toEqual([
    ['unexplained', 'status'],
  ])
})

test('a charge from before the recording is compared without its values', async () => {
  const entries = await record(async (played) => {
    const { sandbox, api } = played
    const { transaction_id: id } = await api.cashin({ amount: 10, currency: 'BRL', external_id: 'order-1' })
    await sandbox.clock.advance('20s')
    await sandbox.trigger('cashin.pay', { id })
    await step(played)
    await api.transactionList({})
  })
  without(entries, find(entries, '/transactions/cashin'))
  await rightly(entries)
})

test('a recording that begins with the decision of a dispute shows no difference', async () => {
  const entries = await record(async (played) => {
    const { sandbox, api } = played
    const { transaction_id: id } = await api.cashin({ amount: 60, currency: 'BRL', external_id: 'order-1' })
    await sandbox.trigger('cashin.pay', { id })
    await step(played)
    const { object } = await sandbox.trigger('dispute.open', { id })
    await step(played)
    await sandbox.trigger('dispute.lose', { id: object.infraction_id })
    await step(played)
    await api.balance()
  })
  await rightly(entries.slice(entries.findIndex((one) => eventOf(one) === 'chargeback.lost')))
})

test('pages that do not hold the whole list can count older transactions', async () => {
  const entries = await record(async ({ api }) => {
    for (const amount of [10, 11, 12]) await api.cashin({ amount, currency: 'BRL' })
    for (const page of [1, 2]) await api.transactionList({ page, page_size: 2 })
  })
  for (const one of entries.filter(({ request }) => request.url.endsWith('/list')))
    changeBody([one], '/transactions/list', ({ data }) => {
      data.pagination.total += 5
    })
  await rightly(entries)
})

test('a list that is filtered by a currency has the conversions to it', async () => {
  const entries = await record(async (played) => {
    await played.api.conversion({ base_currency: 'BRL', destination_currency: 'USDT', amount: 30 })
    await step(played)
    await played.api.transactionList({ currency: 'USDT' })
  })
  expect(JSON.parse(entries.at(-1).response.content.text).data.items).toHaveLength(1)
  await rightly(entries)
})

test('a path that does not exist, and a method that a path does not have, are rejected on both sides', async () => {
  const entries = await record(async ({ raw, api }) => {
    await raw('/v2/account/balances', {})
    await raw('/v2/account/balance', {})
    await api.balance()
  })
  expect(entries.map(({ response }) => response.status).slice(0, 2)).toEqual([404, 405])
  await rightly(entries)
  expect(await shownIn(entries)).toContain('unknown_path')
})

test('a credential that is not active yet is rejected on both sides', async () => {
  const entries = await record(async ({ sandbox, raw }) => {
    const { client_id: id, client_secret: secret } = sandbox.accounts.merchant
    const authorization = `Basic ${btoa(`${id}:${secret}`)}`
    for (const active of [false, true]) {
      await sandbox.control.call('PATCH', `/credentials/${id}`, { active })
      await raw('/v2/oauth/token', { grant_type: 'client_credentials' }, { authorization })
    }
  })
  expect(entries.map(({ response }) => response.status)).toEqual([403, 200])
  expect(differences(await compareEntries(entries)).map(({ path }) => path)).not.toContain('status')
})

test.each([-300, 300])('a webhook whose timestamp is %d s off is in the documented window', async (seconds) => {
  const entries = copy(await record(playLate))
  const { request, startedDateTime } = find(entries, 'cashin.confirmed')
  const sentAt = Math.floor(Date.parse(startedDateTime) / 1000) + seconds
  setHeader(request.headers, 'x-webhook-timestamp', String(sentAt))
  await rightly(entries)
})

test.each([
  ['+00:00 instead of Z', (text: string) => text.replaceAll(/(T[\d:.]+)Z/g, '$1+00:00')],
  ['no fractions of seconds', (text: string) => text.replaceAll(/(T\d\d:\d\d:\d\d)\.\d+/g, '$1')],
])('times with %s are the documented times', async (_form, write) => {
  const entries = copy(await record(playLate))
  for (const { _webhook, request, response } of entries) {
    const holder = _webhook === true ? request.postData : response.content
    holder.text = write(holder.text)
  }
  await rightly(entries)
})

const tokenCalls = (count: number) =>
  record(async ({ sandbox, raw }) => {
    const { client_id: id, client_secret: secret } = sandbox.accounts.merchant
    const authorization = `Basic ${btoa(`${id}:${secret}`)}`
    for (let at = 0; at < count; at++)
      await raw('/v2/oauth/token', { grant_type: 'client_credentials' }, { authorization })
  })

test('a token call above the documented rate is rejected with the header that the sandbox sends', async () => {
  const entries = await tokenCalls(31)
  expect(entries.at(-1).response.status).toBe(429)
  await rightly(entries)
})

test.each([null, 'Sat, 21 Nov 2026 07:28:00 GMT'])(
  'a token call above the rate with the time to wait written as %s is found',
  async (value) => {
    const entries = await tokenCalls(31)
    setHeader(entries.at(-1).response.headers, 'retry-after', value)
    const found = differences(await compareEntries(entries))
    expect(found.map(({ assumption, path }) => [assumption, path])).toEqual([['rate_exceeded', 'headers.Retry-After']])
  },
)

test('a token call that is rejected below the documented rate is found', async () => {
  const entries = await tokenCalls(31)
  const found = differences(await compareEntries(entries.slice(-9)))
  expect(found.map(({ verdict, path, about }) => [verdict, path, about.slice(0, 45)])).toEqual([
    ['unexplained', 'status', 'The platform rejects call 9 within a minute; '],
  ])
})

test('transfers in both directions between two accounts whose webhooks go to one address show no difference', async () => {
  const entries = await record(async (played) => {
    const { sandbox, api, recorder } = played
    await sandbox.configure('customer', { postback_url: recorder.hooksUrl })
    await api.transfer({ username: 'customer', amount: 30, currency: 'BRL' })
    await step(played)
    await sandbox.client('customer').transfer({ username: 'merchant', amount: 12, currency: 'BRL' })
    await step(played)
    await api.balance()
  })
  await rightly(entries)
  // A difference of the webhook to the other account is found.
  const toOther = '"counterparty":"merchant"'.replaceAll('"', '\\"')
  changeBody(entries, 'transfer.confirmed', ({ data }) => void Object.assign(data, { note: 'x' }), toOther)
  const found = differences(await compareEntries(entries))
  expect(found.map(({ verdict, path }) => [verdict, path])).toEqual([['unknown_field', 'data.note']])
})
