/** What single calls of a recording show or leave open, besides the differences in their answers. */
import { expect, test } from 'vitest'
import type { Config } from '../../src/protocol/settings/platform.js'
import {
  changeBody,
  compareEntries,
  compareTexts,
  copy,
  differences,
  eventOf,
  find,
  shownIn,
  without,
} from '../support/compared.js'
import { type Played, recordTraffic } from '../support/recorded-traffic.js'
import { type HarEntry, harOf } from '../support/recording.js'

const record = (steps: (played: Played) => Promise<void>) => recordTraffic({}, steps)
const payout = { external_id: 'payout-1', amount: 20, currency: 'BRL', key: 'ana@example.com' } as const

test('a right signature that a probe has made shows the rules about signatures', async () => {
  const entries = await record(async ({ api }) => void (await api.cashout(payout)))
  const ofSignatures = async () => (await shownIn(entries)).filter((id) => id.startsWith('signature-'))
  expect(await ofSignatures()).toEqual([])
  find(entries, '/transactions/cashout')._signed = 'rightly'
  expect(await ofSignatures()).toEqual(
    expect.arrayContaining(['signature-text', 'signature-raw-body', 'signature-timestamp', 'signature-nonce']),
  )
})

test.each([
  ['is not a path', '/v2/account/balances', 404, true],
  ['does not take the method', '/v2/account/balance', 405, false],
])(
  'a path that %s shows what is assumed about unknown paths only if it is unknown',
  async (_what, path, status, isShown) => {
    const entries = await record(async ({ raw, api }) => {
      await raw(path, {})
      await api.balance()
    })
    expect(entries[0].response.status).toBe(status)
    expect((await shownIn(entries)).includes('unknown_path')).toBe(isShown)
  },
)

test('a repeated nonce of a call that was not executed is the same after a call without a signature', async () => {
  const entries = await record(async ({ api }) => {
    await api.cashout({ external_id: 'payout-1', amount: 20, currency: 'BRL' } as never).catch(() => undefined)
    await api.balance()
  })
  const right = find(entries, '/transactions/cashout')
  const { startedDateTime } = find(entries, '/account/balance')
  const again: HarEntry = { ...structuredClone(right), startedDateTime, _signed: 'repeated' }
  again.response.status = 401
  again.response.content.text = JSON.stringify({ success: false, error: { code: 'REPLAY_DETECTED' } })
  const { last } = await compareTexts([harOf([...entries, again])])
  expect([last.shown.has('nonce_use'), last.shown.has('nonce-window')]).toEqual([true, false])
})

test('calls about a dispute whose charge is not in the recording are left out', async () => {
  const entries = copy(
    await record(async ({ sandbox, api }) => {
      const { transaction_id: id } = await api.cashin({ amount: 80, currency: 'BRL' })
      await sandbox.trigger('cashin.pay', { id })
      await sandbox.clock.advance('1s')
      const { object } = await sandbox.trigger('dispute.open', { id })
      await sandbox.clock.advance('1s')
      await api.infractionDetail({ id: object.infraction_id })
    }),
  )
  without(entries, find(entries, '/transactions/cashin'))
  for (const event of ['cashin.confirmed', 'chargeback.opened']) without(entries, find(entries, event))
  const report = await compareEntries(entries)
  expect(differences(report)).toEqual([])
  expect(report.left_out.map(({ reason }) => reason)).toEqual([
    'not compared: calls about a dispute whose charge is not in the recording',
  ])
})

test('balances are not compared after a payment that only the platform accepted', async () => {
  const entries = copy(
    await record(async ({ api }) => {
      await api.balance()
      await api.cashin({ amount: 10, currency: 'BRL' })
      await api.cashout(payout)
      await api.cashout({ ...payout, external_id: 'payout-2', amount: 30 })
      await api.balance()
    }),
  )
  const leftOutWith = async (what: string, from: string) => {
    const changed = copy(entries)
    const { request } = find(changed, what)
    request.postData.text = request.postData.text.replace(from, '"amount":0.001')
    const report = await compareEntries(changed)
    expect(differences(report).map(({ path, sandbox }) => [path, sandbox])).toEqual([['status', '422 INVALID_AMOUNT']])
    return report.left_out.map(({ reason }) => reason)
  }
  expect(await leftOutWith('/transactions/cashout', '"amount":20')).toEqual([
    'balances are not compared, because the sandbox rejected a payment that the platform made',
  ])
  expect(await leftOutWith('/transactions/cashin', '"amount":10')).toEqual([])
})

test('a chain that the platform lists as supported, and has rejected, is one finding', async () => {
  const entries = copy(
    await record(async ({ api }) => {
      await api.cashin({ amount: 5, currency: 'USDT', chain: 'bitcoin' } as never).catch(() => undefined)
    }),
  )
  changeBody(entries, '/transactions/cashin', ({ error }) => void error.details.supported.push('bitcoin'))
  const found = differences(await compareEntries(entries))
  expect(found.map(({ verdict, path, about }) => [verdict, path, about])).toEqual([
    ['documentation_wrong', 'error.details.supported', expect.stringMatching(/: it lists a chain that is rejected\.$/)],
  ])
})

test('the next payment is compared after one that the small balance of the platform did not cover', async () => {
  const entries = await record(async ({ sandbox, api }) => {
    await sandbox.control.call('PUT', '/accounts/merchant/balances', { BRL: '10.00' })
    for (const amount of [50, 5]) {
      const creditParty = { key: '52998224725', keyType: 'cpf' } as const
      await api.pixPayment({ amount, external_id: `payout-${amount}`, creditParty }).catch(() => undefined)
      await sandbox.clock.advance('1s')
    }
    await api.balance()
  })
  expect(entries.map(({ response }) => response.status)).toContain(422)
  expect(differences(await compareEntries(entries))).toEqual([])
})

const settings: [setting: string, known: Partial<Config>, value: string][] = [
  ['empty_fields', { emptyFields: 'absent' }, 'null'],
  ['second_wallet', { secondWallet: 'same' }, 'new'],
  ['reverted_currency', { revertedCurrency: 'source' }, 'destination'],
]
test.each(settings)(
  'a comparison with another value of %s names the value of the recording',
  async (setting, known, value) => {
    const entries = await recordTraffic({}, async (played) => {
      const { sandbox, api } = played
      for (const _time of [1, 2]) await api.wallet({ currency: 'USDT', chain: 'tron' })
      await api.cashin({ amount: 10, currency: 'BRL' })
      const { conversion_id: id } = await api.conversion({
        base_currency: 'BRL',
        destination_currency: 'USDT',
        amount: 30,
      })
      await sandbox.clock.advance('1s')
      await sandbox.trigger('conversion.refund', { id })
      await sandbox.clock.advance('1s')
    })
    const found = differences(await compareEntries(entries, known))
    expect(found.map((one) => [one.verdict, one.setting, one.value])).toEqual([['assumption_wrong', setting, value]])
  },
)

test('what has no time or no known currency is compared in all else', async () => {
  const entries = copy(await recordTraffic())
  const [decided = fail('no dispute was decided')] = entries.filter((one) =>
    /chargeback\.(confirmed|lost)/.test(eventOf(one) ?? ''),
  )
  changeBody([decided], String(eventOf(decided)), (body) => void delete body.timestamp)
  changeBody(entries, '/account/balance', ({ data }) => void Object.assign(data.balances[0], { currency: 'XXX' }))
  const found = differences(await compareEntries(entries))
  expect(found.map(({ call, path }) => [call, path])).toEqual([
    [eventOf(decided), 'timestamp'],
    ['GET /v2/account/balance', 'data.balances[]'],
    ['GET /v2/account/balance', 'data.balances[]'],
  ])
})

test('a currency that the balance of the platform lacks is found', async () => {
  const entries = copy(await record(async ({ api }) => void (await api.balance())))
  changeBody(entries, '/account/balance', ({ data }) => void data.balances.pop())
  const found = differences(await compareEntries(entries))
  expect(found.map(({ verdict, path, about }) => [verdict, path, about])).toEqual([
    ['documentation_wrong', 'data.balances[]', expect.stringMatching(/: it is missing\.$/)],
  ])
})

const fail = (text: string): never => {
  throw new Error(text)
}
