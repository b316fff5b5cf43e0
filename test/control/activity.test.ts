/** Activity over business time: sums by hour and day, and links to the objects. */
import { expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/testing/index.js'

async function withSandbox(work: (sandbox: Sandbox) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox({ clock: 'manual', rateLimits: false })
  try {
    // The middle of an hour, so that the seconds of the test do not reach the next hour.
    await sandbox.clock.set('2031-05-06T10:20:00Z')
    await work(sandbox)
  } finally {
    await sandbox.close()
  }
}

const activity = (sandbox: Sandbox, by: 'hour' | 'day', spans: number) =>
  sandbox.control.call('GET /activity', { query: { by, spans } })

test('incoming and outgoing money is summed for each hour and day', () =>
  withSandbox(async (sandbox) => {
    const api = sandbox.client()
    const paid = async (amount: number) => {
      const { transaction_id: id } = await api.cashin({ amount, currency: 'BRL' })
      await sandbox.trigger('cashin.pay', { id })
      return id
    }
    const begun = await sandbox.clock.now()
    const first = await paid(100)
    await paid(20.5)
    await api.cashin({ amount: 999, currency: 'BRL' })
    const wallet = await api.wallet({ currency: 'BTC', chain: 'bitcoin' })
    await sandbox.trigger('wallet.deposit', { id: wallet.wallet_id, amount: '0.0125' })
    await sandbox.clock.advance('25h')
    await sandbox.trigger('cashin.refund', { id: first, amount: 30 })
    const { transaction_id: out } = await api.cashout({
      amount: 8,
      currency: 'BRL',
      key: 'maria@example.com',
      external_id: 'p-1',
    })
    await sandbox.clock.advance('5s')
    await sandbox.trigger('cashout.refund', { id: out })
    await api.conversion({ base_currency: 'BRL', destination_currency: 'USDT', amount: 50 })
    await api.transfer({ username: 'customer', amount: 1, currency: 'BRL' })

    const days = await activity(sandbox, 'day', 3)
    expect(days.data).toHaveLength(3)
    expect(days.data.find(({ at }) => at.slice(0, 10) === begun.slice(0, 10))).toMatchObject({
      in: { BRL: '120.50', BTC: '0.01250000' },
      out: {},
    })
    expect(days.data.at(-1)).toMatchObject({ in: { BRL: '8.00' }, out: { BRL: '38.00' } })
    const hours = await activity(sandbox, 'hour', 26)
    expect(hours.data).toHaveLength(26)
    expect(hours.data[0]).toMatchObject({ at: `${begun.slice(0, 13)}:00:00.000Z`, in: { BRL: '120.50' } })
    expect(hours.data.slice(1, -1).every((span) => Object.keys({ ...span.in, ...span.out }).length === 0)).toBe(true)

    const { data: deposits } = await sandbox.control.call('GET /transactions', {
      query: { wallet_id: wallet.wallet_id },
    })
    expect(deposits.map(({ amount }) => amount)).toEqual(['0.01250000'])
    expect((await sandbox.control.call('GET /transactions', { query: { wallet_id: 77 } })).data).toEqual([])
  }))

test('delivery attempts count as delivered or failed, and each event has its amount', () =>
  withSandbox(async (sandbox) => {
    const receiver = await sandbox.receiver()
    receiver.respond(500, 500, 200)
    const { transaction_id: id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL', external_id: 'o-1' })
    await sandbox.trigger('cashin.pay', { id })
    await sandbox.clock.advance('10s')
    const { data } = await activity(sandbox, 'hour', 1)
    expect(data).toMatchObject([{ delivered: 1, failed: 2 }])
    await sandbox.trigger('cashin.refund', { id, amount: 10 })
    await sandbox.client().conversion({ base_currency: 'BRL', destination_currency: 'USDT', amount: 50 })
    await sandbox.client().wallet({ currency: 'BTC', chain: 'bitcoin' })
    const hooks = await sandbox.control.call('GET /webhooks', {})
    expect(hooks.data.map(({ event, amount, currency }) => [event, amount, currency])).toEqual([
      ['wallet.created', null, 'BTC'],
      ['conversion.confirmed', '50.00', 'BRL'],
      ['cashin.refunded', '10.00', 'BRL'],
      ['cashin.confirmed', '25.00', 'BRL'],
    ])
    for (const status of ['pending', 'queued', 'failed', 'delivered'] as const)
      for (const { id: found, ...hook } of (await sandbox.control.call('GET /webhooks', { query: { status } })).data)
        expect([hook.status, found]).toEqual([status, expect.any(String)])
  }))

test('activity belongs to the state: a reset clears it, a snapshot restores it', () =>
  withSandbox(async (sandbox) => {
    const sum = async () => (await activity(sandbox, 'day', 1)).data[0]?.in
    await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    await sandbox.trigger('cashin.pay')
    await sandbox.snapshot('paid')
    await sandbox.reset()
    expect(await sum()).toEqual({})
    await sandbox.restore('paid')
    expect(await sum()).toEqual({ BRL: '25.00' })
  }))

test('every scenario has a description and a source that can be uploaded unchanged', () =>
  withSandbox(async (sandbox) => {
    const { control } = sandbox
    const { data } = await control.call('GET /scenarios')
    const problems = Object.fromEntries(data.map(({ name, problem }) => [name, problem]))
    expect(problems).toMatchObject({
      'pix-paid': 'none',
      'slow-payer': 'payment',
      'tron-energy-fail': 'withdrawal',
      'conversion-refunded': 'refund',
      'med-dispute-lost': 'dispute',
      'lost-answer': 'response',
      'slow-answer': 'error',
      'webhook-duplicate': 'delivery',
      'webhook-tampered': 'forgery',
      'magic-values': 'outcomes',
    })
    expect(data.find(({ name }) => name === 'slow-payer')?.outline).toEqual(['create cashin', 'wait 55m', 'cashin.pay'])
    expect(data.find(({ name }) => name === 'lost-request')?.outline).toEqual(['create cashout', 'disconnect before'])
    const oneOfEach = [...new Map(data.map(({ name, problem }) => [problem, name])).values()]
    expect(oneOfEach).toHaveLength(10)
    for (const name of oneOfEach) {
      const { yaml, ...shown } = await control.call('GET /scenarios/{name}', { params: { name } })
      const again = await control.call('POST /scenarios', { body: yaml, contentType: 'application/yaml' })
      expect({ ...again, origin: shown.origin }).toEqual({ ...shown, yaml })
    }
    expect((await control.call('GET /scenarios/{name}', { params: { name: 'pix-paid' } })).yaml).toMatch(
      /^ {2}- cashin\.pay$/m,
    )
    const run = await sandbox.scenarios.run('tron-energy-fail', { fast_forward: true, params: { delay: '3s' } })
    const { steps } = await control.call('GET /runs/{id}', { params: { id: run.id } })
    expect(steps.find(({ step }) => step === 'cashout.fail')?.params).toEqual({ error_code: 'TRON_ENERGY_FAIL' })
  }))

test('a renamed snapshot replaces another one with the same name', () =>
  withSandbox(async ({ control }) => {
    await control.call('POST /snapshots', { body: { name: 'old' } })
    await control.call('POST /snapshots', { body: { name: 'taken' } })
    const rename = (name: string, to: string) =>
      control.call('PATCH /snapshots/{name}', { params: { name }, body: { name: to } })
    expect((await rename('old', 'taken')).name).toBe('taken')
    expect((await rename('taken', 'taken')).name).toBe('taken')
    expect((await control.call('GET /snapshots')).data.map(({ name }) => name)).toEqual(['taken'])
    await expect(rename('old', 'other')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(rename('taken', '../x')).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  }))
