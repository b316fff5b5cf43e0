/**
 * Sample data: the plan of a month (charges of all rails, withdrawals, disputes, transfers, conversions, wallets,
 * failures; the same seed gives the same month), played through the code of the API and the actions.
 */

import { seededRandom } from '../../base/crypto.js'
import { dayMs, hourMs, minuteMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import type { ActionName } from '../../protocol/actions/actions.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { newUuid } from '../../protocol/rails/pix-key.js'
import type { Creatable } from '../../protocol/scenario/calls.js'
import { listAccounts, updateCredential } from '../auth/account.js'
import { credentialsOf } from '../auth/authenticate.js'
import { advanceClock, type Caller } from '../clock/advance.js'
import { createObject, withDefaultFields } from '../endpoints/create-object.js'
import { subjectId } from '../operations/transition.js'
import { trigger } from '../operations/trigger.js'
import type { Unit, Workspace } from '../unit/unit.js'

interface PlayResult {
  from: string
  to: string
  /** `happened` counts performed steps, `refused` those that the platform's rules did not allow at the time. */
  happened: number
  refused: number
}

interface PlayOptions {
  days: number
  /** The address for credentials that have none. */
  postbackUrl: string
}

interface DueStep {
  atMs: number
  step: PlannedStep
  /** The object of the step before. */
  id: string | null
}

/** Advances business time by `days`. Disconnecting cancels it; the changes until then are kept. */
export async function playMonth(
  ws: Workspace,
  { days, postbackUrl }: PlayOptions,
  whenGone?: Caller['onDisconnect'],
): Promise<PlayResult> {
  const { memory } = ws
  const fromMs = ws.clock.now()
  const seed = await ws.unit((unit) => {
    setMissingPostbackUrls(unit, postbackUrl)
    return newUuid(unit.ids.draw('demo'))
  })
  const agenda = planMonth(seed, fromMs, days)
  const counts = { happened: 0, refused: 0 }
  const endMs = fromMs + days * dayMs
  let isDisconnected = false
  const stopWatching = whenGone?.(() => {
    isDisconnected = true
  })
  /** Returns false after a reset, a restore or a cancellation: the plan cannot continue. */
  const advanceTo = async (atMs: number): Promise<boolean> => {
    const target = (nowMs: number) => ({ toMs: Math.max(atMs, nowMs) })
    const isThere =
      atMs <= ws.clock.now() || (await advanceClock(ws, target, { waitMs: null, onDisconnect: whenGone })).isComplete
    return isThere && !isDisconnected && !ws.closed && ws.memory === memory
  }
  let canContinue = true
  for (let due = agenda.shift(); due !== undefined && due.atMs <= endMs; due = agenda.shift()) {
    const { atMs, step: happening, id } = due
    canContinue = await advanceTo(atMs)
    if (!canContinue) break
    const result = await ws.unit((unit) => attempt(unit, happening, id))
    if (result === null) {
      counts.refused++
      continue
    }
    counts.happened++
    for (const next of happening.followUps) insert(agenda, { atMs: atMs + next.afterMs, step: next, id: result })
  }
  if (canContinue) await advanceTo(endMs)
  stopWatching?.()
  return { from: isoUtc(fromMs), to: isoUtc(ws.clock.now()), ...counts }
}

function setMissingPostbackUrls(unit: Unit, postbackUrl: string): void {
  for (const account of listAccounts(unit.db))
    for (const credential of credentialsOf(unit.db, account.seq))
      if (credential.postbackUrl === null && unit.config.webhookUrl === null)
        updateCredential(unit, credential.seq, { postbackUrl })
}

/** Returns the steps that follow no other step, in order. */
function planMonth(seed: string, fromMs: number, days: number): DueStep[] {
  const chance = seededChoices(seed)
  const whole = Array.from({ length: days }, (_, day) =>
    stepsOfDay(day, chance).map((happening) => ({
      atMs: fromMs + day * dayMs + hourMs + happening.afterMs,
      step: happening,
      id: null,
    })),
  )
  return whole.flat().sort((one, other) => one.atMs - other.atMs)
}

function insert(agenda: DueStep[], due: DueStep): void {
  const at = agenda.findIndex((one) => one.atMs > due.atMs)
  agenda.splice(at === -1 ? agenda.length : at, 0, due)
}

/** Returns the id of the step's object, or null if the step was rejected, for example for lack of balance. */
function attempt(unit: Unit, happening: PlannedStep, id: string | null): string | null {
  try {
    return unit.attempt(() => play(unit, happening, id))
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null
    throw error
  }
}

function play(unit: Unit, { operation: does }: PlannedStep, id: string | null): string {
  if ('action' in does) return subjectId(trigger(unit, does.action, id ?? undefined, does.params).subject)
  const [first, second] = listAccounts(unit.db)
  const account = does.account === 'other' ? (second ?? first) : first
  if (account === undefined) throw new ApiError('NOT_FOUND', { object: 'account' })
  const fields = withDefaultFields(unit, account, does.create, does.fields)
  return createObject(unit, account, does.create, fields, () => newUuid(unit.ids.draw('external-id'))).id
}

type Fields = Record<string, unknown>

/** A step of the plan and its follow-ups, each with its delay after the step that it follows. */
interface PlannedStep {
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
