/** What happens in a believable month: charges of all rails, withdrawals, disputes, transfers, conversions, wallets, and what goes wrong. */
import { dayMs, hourMs, minuteMs } from '../../base/duration.js'
import type { ActionName } from '../../protocol/actions/actions.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import type { Creatable } from '../../protocol/scenario/create.js'
import type { Chance } from './chance.js'

type Fields = Record<string, unknown>

/** One thing that happens, and what follows from it, each so long after what it follows from. */
export interface Happening {
  afterMs: number
  /** An object is made, or an action is done to the one that it follows from. */
  does: { create: Creatable; fields: Fields; account?: 'other' } | { action: ActionName; params: Fields }
  followUps: readonly Happening[]
}

interface Good {
  currency: Currency
  /** How often it is charged, in a hundred. */
  share: number
  /** What one costs, in the currency. */
  prices: readonly [number, ...number[]]
  /** The charge names its payer, and the payer may dispute it. */
  disputed?: true
  /** Some pay less than they should. */
  underpaid?: true
  /** What a withdrawal has on top of half a price, so that it is worth its fee. */
  payout: number
}

const sold: readonly [Good, ...Good[]] = [
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

const converted: readonly [Pair, ...Pair[]] = [
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

const act = (
  action: ActionName,
  afterMs: number,
  params: Fields = {},
  followUps: readonly Happening[] = [],
): Happening => ({
  afterMs,
  does: { action, params },
  followUps,
})

/** What happens on one day, counted from its first hour of business. */
export function dayOf(day: number, chance: Chance): Happening[] {
  const times = (least: number, most: number, make: (chance: Chance) => Happening) =>
    Array.from({ length: chance.whole(least, most) }, () => make(chance))
  const weekday = day % 7 < 5
  return [
    ...times(weekday ? 8 : 4, weekday ? 14 : 8, charge),
    ...times(1, weekday ? 4 : 1, withdrawal),
    ...times(0, 1, transfer),
    ...times(0, 1, conversion),
    ...(day % 6 === 1 ? [wallet(chance)] : []),
  ]
}

const inTheDay = (chance: Chance) => Math.floor(chance.part() * 13 * hourMs)

function good(chance: Chance): Good {
  let left = chance.part() * 100
  const found = sold.find(({ share }) => {
    left -= share
    return left < 0
  })
  return found ?? sold[0]
}

function charge(chance: Chance): Happening {
  const { currency, prices, disputed, underpaid } = good(chance)
  const amount = chance.pick(prices)
  const fate = chance.part() * 100
  const name = chance.pick(payers)
  const payer = { payer: { name } }
  const soon = chance.whole(1, 25) * minuteMs
  const pay = (followUps: readonly Happening[]) => [act('cashin.pay', soon, payer, followUps)]
  const external_id = `order-${chance.whole(100_000, 999_999)}`
  const create = { create: 'cashin' as const, fields: { currency, amount, external_id, ...(disputed ? payer : {}) } }
  const begun = { afterMs: inTheDay(chance), does: create }
  // Left to expire, or (where nothing expires) unpaid for good.
  if (fate < 11) return { ...begun, followUps: [] }
  if (fate < 16)
    return {
      ...begun,
      followUps: pay([act('cashin.refund', chance.whole(2, 60) * hourMs, { reason: 'CUSTOMER_REQUEST' })]),
    }
  if (fate < 19 && disputed) return { ...begun, followUps: pay([dispute(chance)]) }
  if (fate < 22 && underpaid)
    return { ...begun, followUps: [act('cashin.pay', soon, { amount: Number((amount * 0.9).toPrecision(2)) })] }
  return { ...begun, followUps: pay([]) }
}

function dispute(chance: Chance): Happening {
  const reason = chance.pick(['I did not make this payment', 'The goods never came', 'I was charged twice'])
  const decided = chance.whole(1, 4) * dayMs
  const defence = { message: 'Delivered and signed for; the receipt is attached.' }
  const ways: readonly [readonly Happening[], ...(readonly Happening[])[]] = [
    // Nobody answers: the deadline decides.
    [],
    [act('dispute.respond', 20 * hourMs, defence, [act('dispute.win', decided)])],
    [act('dispute.respond', 30 * hourMs, defence, [act('dispute.lose', decided)])],
    [act('dispute.cancel', 2 * dayMs)],
  ]
  return act('dispute.open', chance.whole(5, 70) * hourMs, { reason }, chance.pick(ways))
}

/** Most settle by themselves. */
function withdrawal(chance: Chance): Happening {
  const { currency, prices, payout } = good(chance)
  const fate = chance.part() * 100
  const followUps: readonly Happening[] =
    fate < 12
      ? [act('cashout.fail', 1000, { error_code: chance.pick(['PROVIDER_TIMEOUT', 'UNKNOWN']) })]
      : fate < 16
        ? [act('cashout.confirm', 1000, {}, [act('cashout.refund', chance.whole(3, 40) * hourMs)])]
        : []
  const fields = { currency, amount: Number((chance.pick(prices) / 2).toPrecision(2)) + payout }
  return { afterMs: inTheDay(chance), does: { create: 'cashout', fields }, followUps }
}

function transfer(chance: Chance): Happening {
  const fields = { currency: 'BRL', amount: chance.whole(10, 90), description: 'Share of the week' }
  const account = chance.percent(30) ? ({ account: 'other' } as const) : {}
  return { afterMs: inTheDay(chance), does: { create: 'transfer', fields, ...account }, followUps: [] }
}

function conversion(chance: Chance): Happening {
  const fields = { ...chance.pick(converted), amount: chance.whole(20, 120) }
  const followUps = chance.percent(10) ? [act('conversion.refund', 6 * hourMs)] : []
  return { afterMs: inTheDay(chance), does: { create: 'conversion', fields }, followUps }
}

/** A fixed wallet, and what arrives there. */
function wallet(chance: Chance): Happening {
  const { currency, prices } = good(chance)
  const deposits = Array.from({ length: chance.whole(2, 5) }, (_, index) =>
    act('wallet.deposit', (index + 1) * chance.whole(10, 60) * hourMs, {
      amount: String(chance.pick(prices)),
      payer: { name: chance.pick(payers) },
    }),
  )
  return { afterMs: inTheDay(chance), does: { create: 'wallet', fields: { currency } }, followUps: deposits }
}
