/** Properties of random histories against a small model, and amounts that stay exact on every path. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { formatAmount, maxAmountMinor, parseAmount } from '../../src/base/money.js'
import { actionNames } from '../../src/protocol/actions/actions.js'
import { transitions } from '../../src/protocol/platform/transitions.js'
import type { Api } from '../support/client.js'
import { figure, seedOf } from '../support/figures.js'
import type { Answer, Body } from '../support/http.js'
import { chainPairs, currencies, scales } from '../support/interface.js'
import { Model, type Money, type Name, Refused, rates, type Thing, textOf } from '../support/model.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'

const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-properties-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// Each run has another history; the printed number repeats it.
const seed = seedOf('PROPERTY_SEED')
console.info(`properties: PROPERTY_SEED=${seed}`)

type Command =
  | { do: 'charge' | 'transfer' | 'wallet'; who: Name; currency: Money; size: number }
  | { do: 'withdraw'; who: Name; currency: Money; size: number; lost: boolean }
  | { do: 'convert'; who: Name; currency: Money; to: Money; size: number }
  | { do: 'act'; action: string; pick: number; size: number }
  | { do: 'advance'; ms: number }
  | { do: 'restart' }

const who = fc.constantFrom<Name>('merchant', 'customer')
const currency = fc.constantFrom<Money>('BRL', 'USDT', 'BTC')
/** The amount as per mille of the usual range; above 1000 it exceeds most balances. */
const size = fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.constantFrom(0, 1, 1000, 30_000))
const command = (withRestarts: boolean): fc.Arbitrary<Command> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('charge' as const), who, currency, size }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('withdraw' as const), who, currency, size, lost: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('transfer' as const), who, currency, size }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('convert' as const), who, currency, to: currency, size }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wallet' as const), who, currency, size }) },
    {
      weight: 16,
      arbitrary: fc.record({
        do: fc.constant('act' as const),
        action: fc.constantFrom<string>(...actionNames),
        pick: fc.integer({ min: -5, max: -1 }),
        size,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('advance' as const),
        ms: fc.constantFrom(0, 1999, 2000, 60_000, 1800_000, 3600_000, 86_400_000, 604_800_000),
      }),
    },
    ...(withRestarts ? [{ weight: 2, arbitrary: fc.constant<Command>({ do: 'restart' }) }] : []),
  )

const usual: Record<Money, [min: bigint, span: bigint]> = {
  BRL: [100n, 50_000n],
  USDT: [200n, 20_000n],
  BTC: [10_000n, 1_000_000n],
}
const amountOf = (money: Money, perMille: number) => usual[money][0] + (usual[money][1] * BigInt(perMille)) / 1000n
const isFixed = (name: string): name is 'merchant' => name === 'merchant'

/** Plays a history on the sandbox and the model. */
class World {
  private apis = new Map<Name, Api>()
  private seen = { merchant: 0, customer: 0 }
  private count = 0

  private constructor(
    readonly sandbox: TestSandbox,
    readonly model: Model,
  ) {}

  static async open(db: string): Promise<World> {
    const rateTexts = Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, String(rate)]))
    const all = { MXN: '1', USDC: '5', ETH: '1', SOL: '1', BNB: '1', ...rateTexts } as never
    const sandbox = await openWithReceivers({ rateLimits: false, rates: all, spreadPercent: '1' }, db)
    const { now } = (await sandbox.control('GET', '/clock')).body
    const model = new Model(Date.parse(now))
    for (const name of ['merchant', 'customer'] as const)
      await sandbox.control('PUT', `/accounts/${name}/balances`, { BRL: '500.00', USDT: '100.00', BTC: '0.01' })
    for (const name of ['merchant', 'customer'] as const) {
      model.of(name, 'BRL').available = 50_000n
      model.of(name, 'USDT').available = 10_000n
      model.of(name, 'BTC').available = 1_000_000n
    }
    return new World(sandbox, model)
  }

  async run(step: Command): Promise<void> {
    if (step.do === 'restart') {
      await this.sandbox.restart()
      this.apis.clear()
    } else if (step.do === 'advance') {
      await this.sandbox.advance(`${step.ms}ms`)
      this.model.advance(step.ms)
      this.apis.clear()
    } else if (step.do === 'act') await this.act(step)
    else await this.call(step)
    await this.compare()
  }

  private async api(name: Name): Promise<Api> {
    const api = this.apis.get(name) ?? (await this.sandbox.api(name))
    this.apis.set(name, api)
    return api
  }

  private async call(step: Exclude<Command, { do: 'act' | 'advance' | 'restart' }>): Promise<void> {
    const { model } = this
    const { who: name, currency: money } = step
    const amount = amountOf(money, step.size)
    const api = await this.api(name)
    const external = `e${this.count++}`
    const chain = { BRL: {}, USDT: { chain: 'tron' }, BTC: { chain: 'bitcoin' } }[money]
    const body = `"amount":${textOf(amount, money)},"external_id":"${external}"`
    if (step.do === 'charge') {
      const text = `{${body},"currency":"${money}"${money === 'BRL' ? '' : `,"chain":"${'chain' in chain ? chain.chain : ''}"`}}`
      const answer = await api.post('/v2/transactions/cashin', text)
      model.charge(idOf(answer), name, money, amount)
    } else if (step.do === 'wallet') {
      const answer = await api.post('/v2/transactions/wallet', { currency: money, ...chain })
      model.createWallet(String(answer.data.wallet_id), name, money)
    } else if (step.do === 'transfer') {
      const to = isFixed(name) ? 'customer' : 'merchant'
      const text = `{${body},"currency":"${money}","username":"${to}"}`
      await this.same(await api.signed('/v2/internal_transfers/payment', text), 200, (id) =>
        model.transfer(id, name, to, money, amount),
      )
    } else if (step.do === 'withdraw') {
      const key = step.lost
        ? 'nowhere'
        : {
            BRL: 'maria@example.com',
            USDT: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
            BTC: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
          }[money]
      const network = { BRL: '', USDT: ',"network":"tron"', BTC: '' }[money]
      const text = `{${body},"currency":"${money}","key":"${key}"${network}}`
      await this.same(await api.signed('/v2/transactions/cashout', text), 202, (id) =>
        model.withdraw(id, name, money, amount, step.lost),
      )
    } else if (step.do === 'convert') await this.convert(step, amount, body, api)
  }

  private async convert(
    step: Extract<Command, { do: 'convert' }>,
    amount: bigint,
    body: string,
    api: Api,
  ): Promise<void> {
    const { model } = this
    const { who: name, currency: from, to } = step
    const text = `{${body},"base_currency":"${from}","destination_currency":"${to}"}`
    await this.same(await api.signed('/v2/conversions/new', text), 200, (id) =>
      model.convert(id, name, from, to, amount),
    )
  }

  private async act({ action, pick, size: perMille }: Extract<Command, { do: 'act' }>): Promise<void> {
    if (action === 'wallet.deposit') {
      const wallet = this.model.wallets.at(Math.max(pick, -this.model.wallets.length))
      if (wallet === undefined) return
      const amount = amountOf(wallet.currency, perMille)
      const answer = await this.sandbox.trigger(action, wallet.id, { amount: textOf(amount, wallet.currency) })
      this.model.deposit(answer.body.object.transaction_id, wallet, amount)
      return
    }
    const kind = action === 'dispute.open' ? 'cashin' : action.slice(0, action.indexOf('.'))
    const things = this.model.things.filter((one) => one.kind === kind)
    const thing = things.at(Math.max(pick, -things.length))
    if (thing === undefined) return
    const takesPart = ['cashin.refund', 'cashout.refund', 'dispute.open'].includes(action) && perMille % 2 === 1
    const part = takesPart ? (thing.amount + 1n) / 2n : undefined
    const params = part === undefined ? {} : { amount: textOf(part, thing.currency) }
    const answer = await this.sandbox.trigger(action, thing.id, params)
    await this.same(answer, 200, () => this.model.act(action, thing, part, answer.body.object?.infraction_id))
  }

  /** Requires that the sandbox succeeds or rejects exactly as the model does. */
  private async same(answer: Answer, status: number, work: (id: string) => void): Promise<void> {
    let expected: string | undefined
    const [before, reported] = [this.available(), this.model.reported.length]
    try {
      work(idOf(answer))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      expected = error.message
    }
    expect(answer.code, answer.text).toBe(expected)
    if (expected !== undefined) {
      expect(this.available()).toEqual(before)
      expect(this.model.reported).toHaveLength(reported)
    } else expect(answer.status).toBe(status)
  }

  private available = () => [...this.model.balances].map(([key, held]) => `${key} ${held.available}`)

  /** Compares balances, statuses and new events, with the balances in the events. */
  private async compare(): Promise<void> {
    const { sandbox, model } = this
    await sandbox.settle()
    const [accounts, transactions, disputes] = await Promise.all(
      ['/accounts', '/transactions?limit=500', '/disputes?limit=500'].map((path) => sandbox.control('GET', path)),
    )
    const held = Object.fromEntries(accounts?.body.data.map((row: Body) => [row.username, row.balances]))
    for (const [key, balance] of model.balances) {
      const [name = '', money = ''] = key.split(' ')
      const texts = Object.entries(balance).map(([bucket, minor]) => [bucket, textOf(minor, money as Money)])
      expect(held[name][money], key).toEqual(Object.fromEntries(texts))
    }
    const rows: Body[] = [...(transactions?.body.data ?? []), ...(disputes?.body.data ?? [])]
    const statuses = new Map(
      rows.map((row) => [row.infraction_id ?? row.conversion_id ?? row.transaction_id, row.status]),
    )
    const differing = model.things.filter((thing: Thing) => statuses.get(thing.id) !== thing.status)
    expect(differing).toEqual([])
    const reported = [...this.newsOf('merchant'), ...this.newsOf('customer')]
    expect(reported.sort()).toEqual(model.reported.sort())
    model.reported = []
  }

  private newsOf(name: Name): string[] {
    const { hooks } = name === 'merchant' ? this.sandbox.hooks : this.sandbox.customerHooks
    const news = hooks.slice(this.seen[name])
    this.seen[name] = hooks.length
    return news.map(({ event, body, data }) => {
      const subject = data.original_transaction_id ?? data.original_conversion_id ?? body.transaction_id
      const direction = data.direction === undefined ? '' : ` ${data.direction}`
      const about = data.direction === 'received' ? data.counterparty : subject
      const balances = data.new_balance === undefined ? '' : ` ${data.old_balance} ${data.new_balance}`
      return `${name} ${event}${direction} ${about}${balances}`
    })
  }
}

const idOf = ({ data }: Answer): string => data?.transaction_id ?? data?.conversion_id ?? ''

/** A history with every transition of the state table, so that the test does not depend on chance. */
function everyEdge(): Command[] {
  const charge: Command = { do: 'charge', who: 'merchant', currency: 'BRL', size: 500 }
  const withdraw: Command = { do: 'withdraw', who: 'merchant', currency: 'BRL', size: 10, lost: false }
  const act = (action: string): Command => ({ do: 'act', action, pick: -1, size: 101 })
  const decided = ['dispute.confirm', 'dispute.win', 'dispute.lose', 'dispute.cancel'].flatMap((decision) => [
    ...[charge, act('cashin.pay'), act('dispute.open'), act(decision)],
    ...[charge, act('cashin.pay'), act('dispute.open'), act('dispute.respond'), act(decision), act(decision)],
  ])
  return [
    ...[charge, act('cashin.pay'), act('cashin.refund'), act('cashin.refund'), charge, act('cashin.expire')],
    ...[withdraw, act('cashout.confirm'), act('cashout.refund'), withdraw, act('cashout.fail')],
    { do: 'transfer', who: 'merchant', currency: 'USDT', size: 5 },
    { do: 'convert', who: 'merchant', currency: 'BRL', to: 'USDT', size: 5 },
    act('conversion.refund'),
    { do: 'wallet', who: 'customer', currency: 'BTC', size: 0 },
    act('wallet.deposit'),
    ...decided,
  ]
}

const steps = new Set<string>()

async function play(db: string, history: readonly Command[]): Promise<void> {
  const world = await World.open(db)
  for (const step of history) await world.run(step)
  expect((await world.sandbox.control('GET', '/ledger')).body.balanced).toBe(true)
  for (const step of world.model.steps) steps.add(step)
}

test('balances, statuses and events match the model after any history', async () => {
  const history = fc.array(command(false), { minLength: 10, maxLength: 45 })
  const property = fc.asyncProperty(history, (one) => play(':memory:', one))
  await fc.assert(property, { seed, numRuns: figure(8, 100), examples: [[everyEdge()]], endOnFailure: true })
})

test('restarts on the same file change no history', async () => {
  const history = fc.array(command(true), { minLength: 10, maxLength: 30 })
  const property = fc.asyncProperty(history, (one) => play(join(folder, `${randomUUID()}.db`), one))
  await fc.assert(property, { seed: seed + 1, numRuns: figure(3, 30), endOnFailure: true })
})

test('every transition of the state table occurred', async () => {
  const edges = transitions.map((row) => `${row.object} ${row.from} ${row.on}`)
  expect([...steps].sort()).toEqual([...new Set(edges)].sort())
})

const amounts = fc.record({
  currency: fc.constantFrom(...currencies),
  minor: fc.oneof(fc.bigInt({ min: 1n, max: maxAmountMinor }), fc.bigInt({ min: 1n, max: 100_000n })),
})

test('a printed amount of any scale is parsed exactly, in every JSON notation', () => {
  const property = fc.property(
    amounts,
    fc.integer({ min: -9, max: 9 }),
    fc.nat(5),
    ({ currency: name, minor }, shift, zeros) => {
      const scale = scales[name] ?? 0
      const text = formatAmount(minor, scale)
      expect(parseAmount(text, scale)).toEqual({ ok: true, minor })
      expect(parseAmount(text + '0'.repeat(zeros), scale)).toEqual({ ok: true, minor })
      const moved = formatAmount(minor, scale + Math.max(shift, 0))
      expect(parseAmount(`${moved}e${Math.max(shift, 0)}`, scale)).toEqual({ ok: true, minor })
      expect(parseAmount(`${minor}E-${scale}`, scale)).toEqual({ ok: true, minor })
      expect(parseAmount(String(Number(text)), scale)).toEqual({ ok: true, minor })
      expect(parseAmount(`${text}1`, scale)).toEqual({ ok: false, reason: 'too_many_decimals' })
    },
  )
  fc.assert(property, { seed, numRuns: 2000 })
})

test('an amount is unchanged by parsing, the store and every output', async () => {
  const sandbox = await openWithReceivers({ rateLimits: false })
  const api = await sandbox.api()
  const limits = currencies.map((name) => ({
    currency: name,
    operation: 'cashin',
    min_amount: '0',
    max_amount: formatAmount(maxAmountMinor, scales[name] ?? 0),
    daily_limit: formatAmount(maxAmountMinor, scales[name] ?? 0),
  }))
  expect((await sandbox.control('PATCH', '/accounts/merchant', { limits })).status).toBe(200)
  const small = fc.record({
    currency: fc.constantFrom(...currencies),
    minor: fc.bigInt({ min: 1n, max: 999_999_999_999n }),
  })
  const property = fc.asyncProperty(small, async ({ currency: name, minor }) => {
    await sandbox.control('PATCH', '/accounts/merchant', { limits })
    const text = formatAmount(minor, scales[name] ?? 0)
    const chain = chainPairs.find(([one]) => one === name)?.[1]
    const body = `{"amount":${text},"currency":"${name}"${chain === undefined ? '' : `,"chain":"${chain}"`}}`
    const answer = await api.post('/v2/transactions/cashin', body)
    expect(answer.text).toContain(`"amount":${Number(text)},`)
    const id = answer.data.transaction_id
    expect((await sandbox.control('GET', `/transactions/${id}`)).body.amount).toBe(text)
    await sandbox.trigger('cashin.pay', id)
    await sandbox.settle()
    const event = sandbox.hooks.dataOf('cashin.confirmed').at(-1)
    expect([event.transaction_id, event.amount]).toEqual([id, text])
    const { items } = (await api.post('/v2/account/transactions/list', { page_size: 1 })).data
    expect(formatAmount(minor, scales[name] ?? 0)).toBe(Number(items[0].amount).toFixed(scales[name]))
  })
  await fc.assert(property, { seed, numRuns: 40 })
})
