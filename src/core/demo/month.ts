/** The plan of a sample month: charges of all rails, withdrawals, disputes, transfers, conversions, wallets, and failures. */
import { dayMs, hourMs, minuteMs } from '../../base/duration.js'
import type { ActionName } from '../../protocol/actions/actions.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import type { Creatable } from '../../protocol/scenario/calls.js'
import type { RandomChoices } from './random-choices.js'

type Fields = Record<string, unknown>

/** A step of the plan and its follow-ups, each with its delay after the step that it follows. */
export interface PlannedStep {
  afterMs: number
  /** Creates an object, or performs an action on the object of the step before. */
  operation: { create: Creatable; fields: Fields; account?: 'other' } | { action: ActionName; params: Fields }
  followUps: readonly PlannedStep[]
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
export function stepsOfDay(day: number, chance: RandomChoices): PlannedStep[] {
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
  const external_id = `order-${chance.integer(100_000, 999_999)}`
  const create = { create: 'cashin' as const, fields: { currency, amount, external_id, ...(disputed ? payer : {}) } }
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
