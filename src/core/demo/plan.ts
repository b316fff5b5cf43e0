/**
 * What happens in a month of sample data: charges of all rails, withdrawals, disputes, transfers, conversions, wallets,
 * failures; and on its last days the problems that an integrator has to solve. The same seed gives the same month.
 */
import { seededRandom } from '../../base/crypto.js'
import { dayMs, hourMs, minuteMs, secondMs } from '../../base/duration.js'
import type { ActionName } from '../../protocol/actions/actions.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import type { EndpointName } from '../../protocol/platform/endpoints.js'
import type { Creatable } from '../../protocol/scenario/values.js'

type Fields = Record<string, unknown>

/** A call of the platform API, as the app of the first or the other account makes it; `scenario` applies to it. */
export interface PlannedCall {
  call: EndpointName
  fields: Fields
  scenario?: string
  account?: 'other'
}

/** A step of the plan and its follow-ups, each with its delay after the step that it follows. */
export interface PlannedStep {
  afterMs: number
  /** Creates an object, performs an action on the object of the step before, or makes a call. */
  operation:
    | { create: Creatable; fields: Fields; account?: 'other' }
    | { action: ActionName; params: Fields }
    | PlannedCall
  followUps: readonly PlannedStep[]
}

export interface DueStep {
  atMs: number
  step: PlannedStep
  /** The object of the step before. */
  id: string | null
}

/** Returns the steps that follow no other step, in order. `refusingUrl`: where a receiver rejects every event. */
export function planMonth(seed: string, fromMs: number, days: number, refusingUrl: string): DueStep[] {
  const chance = seededChoices(seed)
  const whole = Array.from({ length: days }, (_, day) => {
    const dayStartMs = fromMs + day * dayMs
    return stepsOfDay(day, chance).map((step, index) => ({
      ...{ atMs: dayStartMs + hourMs + step.afterMs, id: null },
      step: withReference(step, dayStartMs, index),
    }))
  })
  const endMs = fromMs + days * dayMs
  const problems = problemsOf(endMs, refusingUrl).map((step) => ({ atMs: endMs + step.afterMs, step, id: null }))
  return [...whole.flat(), ...problems].sort((one, other) => one.atMs - other.atMs)
}

/** `order-78403`: the day, and a number on it. Another month has other days. */
const referenceOf = (noun: 'order' | 'payout', atMs: number, number: number) =>
  `${noun}-${(Math.floor(atMs / dayMs) % 1000) * 100 + number}`

const nouns: Partial<Record<Creatable, 'order' | 'payout'>> = { cashin: 'order', cashout: 'payout' }

function withReference(step: PlannedStep, dayStartMs: number, index: number): PlannedStep {
  if (!('create' in step.operation)) return step
  const { create, fields } = step.operation
  const noun = nouns[create]
  if (noun === undefined) return step
  const external_id = referenceOf(noun, dayStartMs, index + 1)
  return { ...step, operation: { ...step.operation, fields: { ...fields, external_id } } }
}

/** What waits for the integrator at the end: delays count from there. */
function problemsOf(endMs: number, postback_url: string): PlannedStep[] {
  const order = (number: number, amount: number, more: Fields = {}) => ({
    ...{ amount, currency: 'BRL', external_id: referenceOf('order', endMs, number), payer: { name: payers[0] } },
    ...more,
  })
  const payout = (number: number, amount: number) => ({
    ...{ amount, currency: 'BRL', key: 'ana.souza@example.com', key_type: 'email' },
    external_id: referenceOf('payout', endMs, number),
  })
  const calling = (beforeMs: number, operation: PlannedCall, followUps: readonly PlannedStep[] = []): PlannedStep => ({
    ...{ afterMs: -beforeMs, operation, followUps },
  })
  const charging = (
    beforeMs: number,
    fields: Fields,
    followUps: readonly PlannedStep[] = [],
    more: Pick<PlannedCall, 'scenario' | 'account'> = {},
  ) => calling(beforeMs, { call: 'cashin', fields, ...more }, followUps)
  const paid = (followUps: readonly PlannedStep[] = []) => [
    actionStep('cashin.pay', 2 * minuteMs, { payer: { name: payers[0] } }, followUps),
  ]
  const lost = { call: 'cashout', fields: payout(91, 120) } as const
  return [
    // Two days are left for the reply.
    charging(
      5 * dayMs + 2 * minuteMs,
      order(91, 249),
      paid([actionStep('dispute.open', 0, { reason: 'The goods never came' })]),
    ),
    // The receiver of the other account answers 401: no retry is left, and retries are running.
    charging(26 * hourMs, order(92, 399.9, { postback_url }), paid(), { account: 'other' }),
    charging(3 * hourMs, order(93, 89.9), []),
    calling(2 * hourMs, { call: 'cashout', fields: payout(92, 45), scenario: 'cashout-pix-key-not-found' }),
    charging(50 * minuteMs, order(94, 149.9), paid(), { scenario: 'webhook-duplicate' }),
    // The app calls again, because it got no answer.
    calling(40 * minuteMs, { ...lost, scenario: 'lost-answer' }),
    calling(40 * minuteMs - 10 * secondMs, lost),
    charging(30 * minuteMs, { ...order(94, 159.9) }),
    calling(20 * minuteMs, { call: 'cashout', fields: payout(93, 80), scenario: 'cashout-slow' }),
    charging(12 * minuteMs, order(95, 59.9)),
    charging(6 * minuteMs, order(96, 799, { postback_url }), paid(), { account: 'other' }),
  ]
}

interface Product {
  currency: Currency
  /** Share of the charges, in percent. */
  share: number
  /** Typical prices, in the currency. */
  prices: readonly [number, ...number[]]
  /** The charge names its payer, who may dispute it. */
  disputed?: true
  /** Some payers pay too little. */
  underpaid?: true
  /** Added to half a price for a withdrawal, so that it exceeds its fee. */
  payout: number
}

const products: readonly [Product, ...Product[]] = [
  {
    currency: 'BRL',
    share: 68,
    prices: [19.9, 29.9, 49.9, 89.9, 120, 149.9, 249, 399.9, 799],
    disputed: true,
    payout: 10,
  },
  { currency: 'MXN', share: 9, prices: [199, 349, 499.5, 899], payout: 10 },
  { currency: 'USDT', share: 12, prices: [12, 25, 49.5, 120], underpaid: true, payout: 0 },
  { currency: 'USDC', share: 4, prices: [20, 75], underpaid: true, payout: 0 },
  { currency: 'BTC', share: 3, prices: [0.0008, 0.0021], underpaid: true, payout: 0 },
  { currency: 'ETH', share: 2, prices: [0.012, 0.05], underpaid: true, payout: 0 },
  { currency: 'SOL', share: 1, prices: [0.35, 1.2], underpaid: true, payout: 0 },
  { currency: 'BNB', share: 1, prices: [0.08, 0.25], underpaid: true, payout: 0 },
]

interface Pair {
  base_currency: Currency
  destination_currency: Currency
}

const conversionPairs: readonly [Pair, ...Pair[]] = [
  { base_currency: 'BRL', destination_currency: 'USDT' },
  { base_currency: 'BRL', destination_currency: 'BTC' },
  { base_currency: 'USDT', destination_currency: 'BRL' },
  { base_currency: 'MXN', destination_currency: 'BRL' },
]

const payers = [
  'Ana Souza',
  'Bruno Carvalho',
  'Carla Mendes',
  'Diego Ramírez',
  'Elisa Nogueira',
  'Fernanda Lima',
  'Gustavo Prado',
  'Helena Castro',
  'Ignacio Torres',
  'Júlia Barbosa',
] as const

const actionStep = (
  action: ActionName,
  afterMs: number,
  params: Fields = {},
  followUps: readonly PlannedStep[] = [],
): PlannedStep => ({
  afterMs,
  operation: { action, params },
  followUps,
})

/** Returns the steps of one day; delays count from its first business hour. */
function stepsOfDay(day: number, chance: RandomChoices): PlannedStep[] {
  const times = (least: number, most: number, make: (chance: RandomChoices) => PlannedStep) =>
    Array.from({ length: chance.integer(least, most) }, () => make(chance))
  const weekday = day % 7 < 5
  return [
    ...times(weekday ? 8 : 4, weekday ? 14 : 8, charge),
    ...times(1, weekday ? 4 : 1, withdrawal),
    ...times(0, 1, transfer),
    ...times(0, 1, conversion),
    ...(day % 6 === 1 ? [wallet(chance)] : []),
  ]
}

const randomStartMs = (chance: RandomChoices) => Math.floor(chance.fraction() * 13 * hourMs)

function pickProduct(chance: RandomChoices): Product {
  let weightLeft = chance.fraction() * 100
  const found = products.find(({ share }) => {
    weightLeft -= share
    return weightLeft < 0
  })
  return found ?? products[0]
}

function charge(chance: RandomChoices): PlannedStep {
  const { currency, prices, disputed, underpaid } = pickProduct(chance)
  const amount = chance.pick(prices)
  const roll = chance.fraction() * 100
  const name = chance.pick(payers)
  const payer = { payer: { name } }
  const soon = chance.integer(1, 25) * minuteMs
  const pay = (followUps: readonly PlannedStep[]) => [actionStep('cashin.pay', soon, payer, followUps)]
  const create = { create: 'cashin' as const, fields: { currency, amount, ...(disputed ? payer : {}) } }
  const begun = { afterMs: randomStartMs(chance), operation: create }
  // Left to expire, or unpaid for good where charges do not expire.
  if (roll < 11) return { ...begun, followUps: [] }
  if (roll < 16)
    return {
      ...begun,
      followUps: pay([actionStep('cashin.refund', chance.integer(2, 60) * hourMs, { reason: 'CUSTOMER_REQUEST' })]),
    }
  if (roll < 19 && disputed) return { ...begun, followUps: pay([dispute(chance)]) }
  if (roll < 22 && underpaid)
    return { ...begun, followUps: [actionStep('cashin.pay', soon, { amount: Number((amount * 0.9).toPrecision(2)) })] }
  return { ...begun, followUps: pay([]) }
}

function dispute(chance: RandomChoices): PlannedStep {
  const reason = chance.pick(['I did not make this payment', 'The goods never came', 'I was charged twice'])
  const decided = chance.integer(1, 4) * dayMs
  const defence = { message: 'Delivered and signed for; the receipt is attached.' }
  const ways: readonly [readonly PlannedStep[], ...(readonly PlannedStep[])[]] = [
    // No reply: the deadline decides.
    [],
    [actionStep('dispute.respond', 20 * hourMs, defence, [actionStep('dispute.win', decided)])],
    [actionStep('dispute.respond', 30 * hourMs, defence, [actionStep('dispute.lose', decided)])],
    [actionStep('dispute.cancel', 2 * dayMs)],
  ]
  return actionStep('dispute.open', chance.integer(5, 70) * hourMs, { reason }, chance.pick(ways))
}

/** Most withdrawals settle without an action. */
function withdrawal(chance: RandomChoices): PlannedStep {
  const { currency, prices, payout } = pickProduct(chance)
  const fate = chance.fraction() * 100
  const followUps: readonly PlannedStep[] =
    fate < 12
      ? [actionStep('cashout.fail', 1000, { error_code: chance.pick(['PROVIDER_TIMEOUT', 'UNKNOWN']) })]
      : fate < 16
        ? [actionStep('cashout.confirm', 1000, {}, [actionStep('cashout.refund', chance.integer(3, 40) * hourMs)])]
        : []
  const fields = { currency, amount: Number((chance.pick(prices) / 2).toPrecision(2)) + payout }
  return { afterMs: randomStartMs(chance), operation: { create: 'cashout', fields }, followUps }
}

function transfer(chance: RandomChoices): PlannedStep {
  const fields = { currency: 'BRL', amount: chance.integer(10, 90), description: 'Share of the week' }
  const account = chance.isWithPercent(30) ? ({ account: 'other' } as const) : {}
  return { afterMs: randomStartMs(chance), operation: { create: 'transfer', fields, ...account }, followUps: [] }
}

function conversion(chance: RandomChoices): PlannedStep {
  const fields = { ...chance.pick(conversionPairs), amount: chance.integer(20, 120) }
  const followUps = chance.isWithPercent(10) ? [actionStep('conversion.refund', 6 * hourMs)] : []
  return { afterMs: randomStartMs(chance), operation: { create: 'conversion', fields }, followUps }
}

/** A fixed wallet, and its deposits. */
function wallet(chance: RandomChoices): PlannedStep {
  const { currency, prices } = pickProduct(chance)
  const deposits = Array.from({ length: chance.integer(2, 5) }, (_, index) =>
    actionStep('wallet.deposit', (index + 1) * chance.integer(10, 60) * hourMs, {
      amount: String(chance.pick(prices)),
      payer: { name: chance.pick(payers) },
    }),
  )
  return { afterMs: randomStartMs(chance), operation: { create: 'wallet', fields: { currency } }, followUps: deposits }
}

interface RandomChoices {
  /** A number from 0 up to, but not including, 1. */
  fraction(): number
  integer(least: number, most: number): number
  /** True in `cases` of 100 cases. */
  isWithPercent(cases: number): boolean
  pick<T>(list: readonly [T, ...T[]]): T
}

function seededChoices(seed: string): RandomChoices {
  const draw = seededRandom(seed).stream('demo')
  const part = () => {
    const [high = 0, middle = 0, low = 0] = draw(3)
    return (high * 65_536 + middle * 256 + low) / 16_777_216
  }
  return {
    fraction: part,
    integer: (least, most) => least + Math.floor(part() * (most - least + 1)),
    isWithPercent: (cases) => part() * 100 < cases,
    pick: (list) => list[Math.floor(part() * list.length)] ?? list[0],
  }
}
