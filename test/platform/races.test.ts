/** Concurrent calls: exactly as many succeed as allowed, in memory and on a file. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { figure, note, timeShare } from '../support/figures.js'
import { type Answer, type Body, send } from '../support/http.js'
import { closeChecked, openForFile, type TestSandbox } from '../support/sandbox.js'
import { secretsOf, signatureOf } from '../support/signing.js'

const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-races-'))
/** The two kinds of databases. */
const rounds = figure(1, Number(process.env.RACE_ROUNDS ?? 500))
let raced = 0
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  if (rounds > 1) note(`${raced} races`)
})

const places = [
  { place: 'in memory', database: () => ':memory:' },
  { place: 'on a file', database: () => join(folder, `${randomUUID()}.db`) },
]

const atOnce = <T>(count: number, call: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => call(n)))

/** Counts the responses of each status or error code. */
function tally(answers: Pick<Answer, 'status' | 'code'>[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, code } of answers) counts[code ?? status] = (counts[code ?? status] ?? 0) + 1
  return counts
}

const key = 'maria@example.com'

describe.each(places)('$place', ({ database }) => {
  /** Repeats a race in the long tests, each time in a new sandbox. */
  const race = (title: string, run: (sandbox: TestSandbox) => Promise<void>) =>
    test(
      title,
      async () => {
        const hasTime = timeShare(20)
        for (let round = 0; round < rounds && hasTime(); round++) {
          const sandbox = await openForFile({ cashoutSettle: 'manual' }, database())
          await run(sandbox)
          await closeChecked(sandbox)
          raced++
        }
      },
      60_000 + rounds * 5000,
    )

  race('100 charges of one external_id are one transaction, and all answers name it', async (sandbox) => {
    const api = await sandbox.api()
    const answers = await atOnce(100, () => api.cashin({ amount: 10, currency: 'BRL', external_id: 'one' }))
    expect(tally(answers)).toEqual({ 200: 100 })
    expect(new Set(answers.map(({ data }) => data.transaction_id)).size).toBe(1)
    expect((await sandbox.control('GET', '/transactions')).body.data).toHaveLength(1)
  })

  race('100 calls of one external_id with 100 contents are one transaction and 99 refusals', async (sandbox) => {
    const api = await sandbox.api()
    const answers = await atOnce(100, (n) => api.cashin({ amount: 10 + n, currency: 'BRL', external_id: 'one' }))
    expect(tally(answers)).toEqual({ 200: 1, DUPLICATE_EXTERNAL_ID: 99 })
  })

  race('100 withdrawals, transfers and conversions of one external_id each move money once', async (sandbox) => {
    const api = await sandbox.api()
    await atOnce(100, () => api.cashout({ external_id: 'w', amount: 10, currency: 'BRL', key }))
    await atOnce(100, () =>
      api.signed('/v2/internal_transfers/payment', {
        external_id: 't',
        username: 'customer',
        amount: 10,
        currency: 'BRL',
      }),
    )
    await atOnce(100, () =>
      api.signed('/v2/conversions/new', {
        external_id: 'c',
        base_currency: 'BRL',
        destination_currency: 'USDT',
        amount: 10,
      }),
    )
    expect(await api.balance('BRL')).toEqual({ available: 10000 - 11 - 10 - 10, blocked: 0, pending: 11 })
  })

  race('ten of 100 concurrent withdrawals succeed when the balance covers ten', async (sandbox) => {
    const api = await sandbox.api()
    await sandbox.control('PUT', '/accounts/merchant/balances', { BRL: '110.99' })
    const answers = await atOnce(100, (n) => api.cashout({ external_id: `w${n}`, amount: 10, currency: 'BRL', key }))
    expect(tally(answers)).toEqual({ 202: 10, INSUFFICIENT_BALANCE: 90 })
    expect(await api.balance('BRL')).toEqual({ available: 0.99, blocked: 0, pending: 110 })
  })

  race('one of 100 concurrent uses of a nonce is accepted', async (sandbox) => {
    const api = await sandbox.api()
    const body = '{"username":"customer","amount":1,"currency":"BRL"}'
    const headers = { ...api.bearer, ...signatureOf(secretsOf('merchant').signingKey, body) }
    const answers = await atOnce(100, () => send('POST', `${sandbox.url}/v2/internal_transfers/payment`, body, headers))
    expect(tally(answers)).toEqual({ 200: 1, REPLAY_DETECTED: 99 })
    expect((await api.balance('BRL')).available).toBe(9999)
  })

  race('one of 30 concurrent decisions of a dispute is made, and its events are sent once', async (sandbox) => {
    const api = await sandbox.api()
    const { data } = await api.cashin({ amount: 100, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', data.transaction_id)
    const { infraction_id: id } = (await sandbox.trigger('dispute.open', data.transaction_id)).body.object
    await sandbox.settle()
    const actions = ['dispute.win', 'dispute.lose', 'dispute.confirm', 'dispute.cancel'] as const
    const answers = await atOnce(30, (n) => sandbox.trigger(String(actions[n % 4]), id))
    expect(tally(answers)).toEqual({ 200: 1, INVALID_TRANSITION: 29 })
    await sandbox.settle()
    const decided = answers.find((answer) => answer.status === 200)?.body
    expect(sandbox.hooks.names().slice(2)).toEqual(decided.events.map((event: Body) => event.event))
    expect((await api.balance('BRL')).blocked).toBe(0)
  })

  race('one of 30 concurrent replies to a dispute is stored', async (sandbox) => {
    const api = await sandbox.api()
    const { data } = await api.cashin({ amount: 100, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', data.transaction_id)
    const { infraction_id: id } = (await sandbox.trigger('dispute.open', data.transaction_id)).body.object
    const statuses = await atOnce(30, async (n) => {
      const body = new FormData()
      body.append('id', id)
      body.append('message', `reply ${n}`)
      const url = `${sandbox.url}/v2/account/infractions/reply`
      return (await fetch(url, { method: 'POST', headers: api.bearer, body })).status
    })
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(29)
    expect((await api.get(`/v2/account/infractions/detail?id=${id}`)).data.replies).toHaveLength(1)
  })

  race(
    '40 concurrent payments, refunds and expiries of a charge succeed only as the state table allows',
    async (sandbox) => {
      const api = await sandbox.api()
      const { data } = await api.cashin({ amount: 100, currency: 'BRL' })
      const actions = ['cashin.pay', 'cashin.refund', 'cashin.expire'] as const
      const answers = await atOnce(40, (n) => sandbox.trigger(String(actions[n % 3]), data.transaction_id))
      const done = answers.filter((answer) => answer.status === 200).map((answer) => answer.body.action)
      await sandbox.settle()
      const history = (await sandbox.control('GET', `/transactions/${data.transaction_id}`)).body.history
      expect(history.slice(1).map((row: Body) => `cashin.${row.action}`)).toEqual(
        done.length === 1 ? done : ['cashin.pay', 'cashin.refund'],
      )
      expect(sandbox.hooks.names()).toHaveLength(done.length)
      expect((await api.balance('BRL')).available).toBe(done.includes('cashin.expire') ? 10000 : 9999)
    },
  )

  race('one of 20 concurrent accounts with the same name is created', async (sandbox) => {
    const answers = await atOnce(20, () => sandbox.control('POST', '/accounts', { username: 'one' }))
    expect(tally(answers)).toEqual({ 200: 1, CONFLICT: 19 })
  })

  race('ten of 50 concurrent charges succeed when the daily limit covers ten', async (sandbox) => {
    const api = await sandbox.api()
    const limits = [{ currency: 'BRL', operation: 'cashin', daily_limit: '100' }]
    await sandbox.control('PATCH', '/accounts/merchant', { limits })
    expect(tally(await atOnce(50, () => api.cashin({ amount: 10, currency: 'BRL' })))).toEqual({
      200: 10,
      LIMIT_EXCEEDED: 40,
    })
  })
})
