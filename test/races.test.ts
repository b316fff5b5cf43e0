/** Many calls at the same moment: exactly as many succeed as may (decisions 4 and 13), in memory and on a durable file. */
import { createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Answer, openTestSandbox, secretsOf } from './support/sandbox.js'

const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-races-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const many = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

/** How often each outcome came: the status, or the code of a refusal. */
const tally = (answers: Answer[]) => {
  const counts: Record<string, number> = {}
  for (const { status, code } of answers) counts[code ?? status] = (counts[code ?? status] ?? 0) + 1
  return counts
}

describe.each([
  ['in memory', () => ':memory:'],
  ['on a durable file', () => join(folder, `${randomUUID()}.sqlite`)],
])('%s', (_name, db) => {
  test('a hundred charges of one external_id at once are one charge', async () => {
    const sandbox = await openTestSandbox({}, db())
    const api = await sandbox.api()
    const answers = await many(100, () => api.cashin({ amount: 10, currency: 'BRL', external_id: 'one' }))
    expect(tally(answers)).toEqual({ 200: 100 })
    expect(new Set(answers.map(({ data }) => data.transaction_id)).size).toBe(1)
    expect((await sandbox.control('GET', '/transactions')).body.data).toHaveLength(1)
  })

  test('of a hundred different charges under one external_id, one is made', async () => {
    const sandbox = await openTestSandbox({}, db())
    const api = await sandbox.api()
    const answers = await many(100, (index) => api.cashin({ amount: 10 + index, currency: 'BRL', external_id: 'one' }))
    expect(tally(answers)).toEqual({ 200: 1, DUPLICATE_EXTERNAL_ID: 99 })
  })

  test('of a hundred withdrawals against funds for ten, ten go through', async () => {
    const sandbox = await openTestSandbox({ cashoutSettle: 'manual' }, db())
    const api = await sandbox.api()
    await sandbox.control('PUT', '/accounts/merchant/balances', { BRL: '110.00' })
    const answers = await many(100, (index) =>
      api.cashout({ amount: 10, currency: 'BRL', key: '52998224725', key_type: 'cpf', external_id: `w${index}` }),
    )
    expect(tally(answers)).toEqual({ 202: 10, INSUFFICIENT_BALANCE: 90 })
    expect(await api.balance('BRL')).toEqual({ available: 0, blocked: 0, pending: 110 })
  })

  test('of a hundred calls with one nonce, exactly one passes', async () => {
    const sandbox = await openTestSandbox({}, db())
    const api = await sandbox.api()
    const body = JSON.stringify({ username: 'customer', amount: 1, currency: 'BRL' })
    const [timestamp, nonce] = [String(Math.floor(Date.now() / 1000)), randomUUID()]
    const signature = createHmac('sha256', secretsOf('merchant').signingKey)
      .update(`${timestamp}.${nonce}.${body}`)
      .digest('hex')
    const headers = { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature }
    const answers = await many(100, () => api.post('/v2/internal_transfers/payment', body, headers))
    expect(tally(answers)).toEqual({ 200: 1, REPLAY_DETECTED: 99 })
    expect((await api.balance('BRL')).available).toBe(9999)
  })

  test('of thirty simultaneous decisions of one dispute, one is taken', async () => {
    const sandbox = await openTestSandbox({}, db())
    const api = await sandbox.api()
    const { data: charge } = await api.cashin({ amount: 50, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', charge.transaction_id)
    const { body: opened } = await sandbox.trigger('dispute.open', charge.transaction_id)
    const decisions = ['win', 'lose', 'cancel']
    const answers = await many(30, (index) =>
      sandbox.trigger(`dispute.${decisions[index % 3]}`, opened.object.infraction_id),
    )
    expect(tally(answers)).toEqual({ 200: 1, INVALID_TRANSITION: 29 })
  })
})
