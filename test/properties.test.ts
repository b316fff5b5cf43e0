/** Chance against the rules: amounts of every scale survive, and random stories agree with a small model after every step. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatAmount, parseAmount } from '../src/base/money.js'
import { transitions } from '../src/spec/transitions.js'
import { type Currency, Model, minorOf, percent, type Thing, textOf } from './support/model.js'
import { type Api, type Body, openTestSandbox, type TestSandbox } from './support/sandbox.js'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
console.log(`properties: SEED=${seed}`)

test('amounts of every scale survive reading, keeping and printing', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.constantFrom(0, 2, 8, 9), (minor, scale) => {
      const text = formatAmount(minor, scale)
      expect(parseAmount(text, scale)).toEqual({ ok: true, minor })
      expect(parseAmount(String(Number(text)), scale).ok || Math.abs(Number(text)) >= 1e15).toBe(true)
    }),
    { seed, numRuns: 2000 },
  )
})

test('an amount with one decimal more than the scale is refused, unless that decimal is a zero', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 12n }),
      fc.constantFrom(2, 8, 9),
      fc.integer({ min: 0, max: 9 }),
      (minor, scale, digit) => {
        expect(parseAmount(`${formatAmount(minor, scale)}${digit}`, scale)).toEqual(
          digit === 0 ? { ok: true, minor } : { ok: false, reason: 'too_many_decimals' },
        )
      },
    ),
    { seed, numRuns: 1000 },
  )
})

const actions = [
  'cashin.pay',
  'cashin.expire',
  'cashin.refund',
  'cashout.confirm',
  'cashout.fail',
  'cashout.refund',
  'conversion.refund',
  'wallet.deposit',
  'dispute.open',
  'dispute.respond',
  'dispute.confirm',
  'dispute.win',
  'dispute.lose',
  'dispute.cancel',
] as const

type Step =
  | { do: 'cashin'; currency: Currency; minor: number }
  | { do: 'cashout' | 'transfer' | 'conversion'; minor: number }
  | { do: 'wallet'; currency: Currency }
  | { do: 'act'; action: (typeof actions)[number]; pick: number }
  | { do: 'advance'; minutes: number }

const currency = fc.constantFrom<Currency>('BRL', 'MXN', 'USDT', 'SOL')
const minor = fc.integer({ min: 1_000_000, max: 9_000_000 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('cashin' as const), currency, minor }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('cashout' as const, 'transfer' as const, 'conversion' as const),
      minor: fc.integer({ min: 200, max: 400_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wallet' as const), currency }) },
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('act' as const), action: fc.constantFrom(...actions), pick: fc.nat(5) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('advance' as const), minutes: fc.constantFrom(1, 45, 120, 3000, 11_000) }),
  },
)

const charge: Step = { do: 'cashin', currency: 'BRL', minor: 1_000_000 }
const act = (action: (typeof actions)[number]): Step => ({ do: 'act', action, pick: 0 })
/** Every edge of the state table once, so that chance only has to find the odd combinations. */
const tour: Step[] = [
  charge,
  act('cashin.pay'),
  act('cashin.refund'),
  charge,
  act('cashin.expire'),
  { do: 'wallet', currency: 'SOL' },
  act('wallet.deposit'),
  ...(['cashout.confirm', 'cashout.fail'] as const).flatMap((one): Step[] => [
    { do: 'cashout', minor: 1000 },
    act(one),
    act('cashout.refund'),
  ]),
  { do: 'conversion', minor: 5000 },
  act('conversion.refund'),
  { do: 'transfer', minor: 700 },
  ...[false, true].flatMap((answered) =>
    (['dispute.confirm', 'dispute.win', 'dispute.lose', 'dispute.cancel'] as const).flatMap((end): Step[] => [
      charge,
      act('cashin.pay'),
      act('dispute.open'),
      ...(answered ? [act('dispute.respond')] : []),
      act(end),
    ]),
  ),
]

const edges = new Set<string>()

test('random stories agree with the model after every step, and every edge of the state table is walked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (story) => {
      const sandbox = await openTestSandbox({ cashoutSettle: 'manual', rateLimits: false })
      let api = await sandbox.api()
      const model = new Model((await sandbox.control('GET', '/ledger')).body)
      for (const one of story) {
        await take(one, sandbox, api, model)
        await compare(sandbox, model)
        // A token lives on the sandbox's clock as well.
        if (one.do === 'advance') api = await sandbox.api()
      }
      await sandbox.settle()
      expect(sandbox.hooks.names().sort()).toEqual([...model.expectedEvents].sort())
      for (const edge of model.edges) edges.add(edge)
    }),
    { seed, numRuns: 12, examples: [[tour]] },
  )
  expect(
    transitions.map(({ object, from, on }) => `${object} ${from} ${on}`).filter((edge) => !edges.has(edge)),
  ).toEqual([])
})

/** Balances as recomputed from the postings, and as the model has them. */
async function compare(sandbox: TestSandbox, model: Model): Promise<void> {
  const { body } = await sandbox.control('GET', '/ledger')
  expect(body.balanced).toBe(true)
  for (const row of body.accounts)
    for (const bucket of ['available', 'blocked', 'pending'] as const)
      expect(minorOf(row[bucket]), `${row.username} ${row.currency} ${bucket}`).toBe(
        model.get(row.username, row.currency, bucket),
      )
}

async function take(one: Step, sandbox: TestSandbox, api: Api, model: Model): Promise<void> {
  if (one.do === 'act') return trigger(one.action, one.pick, sandbox, model)
  if (one.do === 'advance') {
    const { now } = await sandbox.advance(`${one.minutes}m`)
    return model.pass(Date.parse(now))
  }
  if (one.do === 'wallet') {
    const chain = { BRL: {}, MXN: {}, USDT: { chain: 'tron' }, SOL: { chain: 'solana' } }[one.currency]
    const { data } = await api.post('/v2/transactions/wallet', { currency: one.currency, ...chain })
    model.things.push({
      kind: 'wallet',
      id: String(data.wallet_id),
      status: 'created',
      currency: one.currency,
      minor: 0n,
      feeMinor: 0n,
    })
    model.edges.add('wallet null create')
    model.expectedEvents.push('wallet.created')
  } else if (one.do === 'cashin') await makeCharge(one, sandbox, api, model)
  else await spend(one.do, BigInt(one.minor), api, model)
}

async function makeCharge(
  { currency, minor: wanted }: Step & { do: 'cashin' },
  sandbox: TestSandbox,
  api: Api,
  model: Model,
): Promise<void> {
  const amount = currency === 'SOL' ? BigInt(wanted) : BigInt(wanted % 90_000) + 1000n
  const chain = { BRL: {}, MXN: {}, USDT: { chain: 'tron' }, SOL: { chain: 'solana' } }[currency]
  const { data, status } = await api.cashin({ amount: Number(textOf(amount, currency)), currency, ...chain })
  expect(status).toBe(200)
  const nowMs = Date.parse((await sandbox.control('GET', '/clock')).body.now)
  const lifeMs = { BRL: 3_600_000, USDT: 1_800_000, SOL: 1_800_000, MXN: undefined }[currency]
  model.edges.add('cashin null create')
  model.things.push({
    kind: 'cashin',
    id: data.transaction_id,
    status: 'pending',
    currency,
    minor: amount,
    feeMinor: 0n,
    ...(lifeMs === undefined ? {} : { dueAtMs: nowMs + lifeMs }),
  })
}

let withdrawals = 0

/** A user's own operation: refused exactly where the funds do not cover it. */
async function spend(
  kind: 'cashout' | 'transfer' | 'conversion',
  amount: bigint,
  api: Api,
  model: Model,
): Promise<void> {
  const feeMinor = { cashout: 100n, transfer: 0n, conversion: percent(amount, 5n) }[kind]
  const number = Number(textOf(amount, 'BRL'))
  const answer = await {
    cashout: () =>
      api.cashout({
        amount: number,
        currency: 'BRL',
        key: '52998224725',
        key_type: 'cpf',
        external_id: `w${++withdrawals}`,
      }),
    transfer: () =>
      api.signed('/v2/internal_transfers/payment', { username: 'customer', amount: number, currency: 'BRL' }),
    conversion: () =>
      api.signed('/v2/conversions/new', { base_currency: 'BRL', destination_currency: 'USDT', amount: number }),
  }[kind]()
  if (model.get('merchant', 'BRL') < amount + feeMinor) {
    expect(answer.code).toBe('INSUFFICIENT_BALANCE')
    return
  }
  expect(answer.code).toBeUndefined()
  model.merchant('BRL', 'available', -(amount + feeMinor))
  expect(model.get('merchant', 'BRL')).toBeGreaterThanOrEqual(0n)
  if (kind === 'transfer') {
    model.add('customer', 'BRL', 'available', amount)
    for (const edge of ['transfer null create', 'transfer null receive']) model.edges.add(edge)
    model.expectedEvents.push('transfer.confirmed')
    return
  }
  model.edges.add(`${kind} null create`)
  const thing: Thing = {
    kind,
    id: answer.data.transaction_id ?? answer.data.conversion_id,
    status: kind === 'cashout' ? 'pending' : 'completed',
    currency: 'BRL',
    minor: amount,
    feeMinor,
  }
  if (kind === 'cashout') model.merchant('BRL', 'pending', amount + feeMinor)
  else {
    thing.resultMinor = minorOf(Number(answer.data.amount_to).toFixed(2))
    model.merchant('USDT', 'available', thing.resultMinor)
    model.expectedEvents.push('conversion.confirmed')
  }
  model.things.push(thing)
}

async function trigger(action: string, pick: number, sandbox: TestSandbox, model: Model): Promise<void> {
  const kind = action === 'dispute.open' ? 'cashin' : action.split('.')[0]
  const candidates = model.things.filter((one) => one.kind === kind)
  const thing = candidates[candidates.length - 1 - (pick % Math.max(1, candidates.length))]
  if (thing === undefined) return
  const amount = thing.currency === 'SOL' ? 1_500_000n : 12_345n
  const params = action === 'wallet.deposit' ? { amount: textOf(amount, thing.currency) } : {}
  const { status, body, code } = await sandbox.trigger(action, thing.id, params)
  if (!model.allows(action, thing)) {
    expect([status, code], `${action} on a ${thing.status} ${thing.kind}`).toEqual(
      action === 'conversion.refund' && thing.status === 'completed'
        ? [422, 'INSUFFICIENT_BALANCE']
        : [409, 'INVALID_TRANSITION'],
    )
    return
  }
  expect(status, `${action} on a ${thing.status} ${thing.kind}: ${code}`).toBe(200)
  const made = madeBy(action, thing, body.object, amount)
  model.take(action, thing, made)
  if (made === undefined) expect(body.object.status).toBe(thing.status)
}

function madeBy(action: string, thing: Thing, object: Body, amount: bigint): Thing | undefined {
  if (action === 'wallet.deposit')
    return {
      kind: 'cashin',
      id: object.transaction_id,
      status: 'confirmed',
      currency: thing.currency,
      minor: amount,
      feeMinor: 0n,
    }
  if (action !== 'dispute.open') return undefined
  return {
    kind: 'dispute',
    id: object.infraction_id,
    status: 'open',
    currency: 'BRL',
    minor: thing.minor,
    feeMinor: 0n,
    charge: thing,
    dueAtMs: Date.parse(object.deadline_at),
  }
}
