/** A small model of the platform: expected balances, statuses and events, derived only from the interface and the decisions. */

import { type Operation, Pricing } from './model-pricing.js'

export type Name = 'merchant' | 'customer'
export type Money = 'BRL' | 'USDT' | 'BTC'

export interface Thing {
  kind: 'cashin' | 'cashout' | 'conversion' | 'dispute'
  id: string
  who: Name
  currency: Money
  amount: bigint
  fee: bigint
  status: string
  /** When it changes by itself, and its position among changes of the same moment. */
  dueMs: number | null
  turn: number
  createdMs: number
  /** A withdrawal to a key that does not exist. */
  isLost?: boolean
  /** Until when a dispute takes a reply. */
  deadlineMs?: number | undefined
  /** A dispute's charge. */
  charge?: Thing
  /** The part of a charge that goes to the other account: an amount, or parts per million of the net amount, rounded down. */
  split?: Split
  /** The bought amount of a conversion. */
  bought?: { currency: Money; amount: bigint }
}

export type Split = { to: Name; amount: bigint } | { to: Name; ppm: bigint }

/** An event as text: owner, name, subject, and the balances if the event contains them. */
export type Reported = string

export class Refused extends Error {}

const refuse = (code: string): never => {
  throw new Refused(code)
}

/** What settings change in the model. */
export interface Rules {
  pixLifeMs: number
  cryptoLifeMs: number
  /** null: a withdrawal stays pending until an action decides it. */
  settleMs: number | null
  /** The action on a dispute at its deadline, or null. */
  atDeadline: 'dispute.confirm' | 'dispute.lose' | null
  /** Whether expired charges and failed withdrawals no longer count towards the limit of their day. */
  returnsToLimit: boolean
  /** The HTTP status of the answer to a withdrawal. */
  withdrawalStatus: number
  belowMinimum: string
  equalCurrencies: string
}

export const usualRules: Rules = {
  pixLifeMs: 3_600_000,
  cryptoLifeMs: 1_800_000,
  settleMs: 2000,
  atDeadline: 'dispute.confirm',
  returnsToLimit: true,
  withdrawalStatus: 202,
  belowMinimum: 'BELOW_MIN_LIMIT',
  equalCurrencies: 'INVALID_CURRENCY',
}

const scaleOf: Record<Money, number> = { BRL: 2, USDT: 2, BTC: 8 }
/** The test's own rates in BRL, chosen so that every quotient has few digits. */
export const rates = { BRL: 1n, USDT: 5n, BTC: 500_000n } as const

/** Formats minor units as a decimal text, or parts per million as a percentage. */
export const textOf = (minor: bigint, currency: Money | 'percent'): string => {
  const scale = currency === 'percent' ? 4 : scaleOf[currency]
  const digits = (minor < 0n ? -minor : minor).toString().padStart(scale + 1, '0')
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** Converts an amount with a spread of 1 %, rounded down. */
function bought(amount: bigint, from: Money, to: Money): bigint {
  const [up, down] = [10n ** BigInt(scaleOf[to]), 10n ** BigInt(scaleOf[from])]
  return (amount * rates[from] * 99n * up) / (rates[to] * 100n * down)
}

const shareOf = (split: Split, net: bigint) => ('amount' in split ? split.amount : (net * split.ppm) / 1_000_000n)

export class Model {
  readonly balances = new Map<string, { available: bigint; blocked: bigint; pending: bigint }>()
  readonly things: Thing[] = []
  readonly wallets: { id: string; who: Name; currency: Money }[] = []
  /** The events emitted since the last comparison. */
  reported: Reported[] = []
  /** Every transition that was made: `object from action`. */
  readonly steps = new Set<string>()
  readonly pricing = new Pricing()
  private turn = 0

  constructor(
    public nowMs: number,
    readonly rules: Rules = usualRules,
  ) {}

  of = (who: Name, currency: Money) => {
    const key = `${who} ${currency}`
    const held = this.balances.get(key) ?? { available: 0n, blocked: 0n, pending: 0n }
    this.balances.set(key, held)
    return held
  }

  charge(id: string, who: Name, currency: Money, amount: bigint, split?: Split): void {
    const fee = this.pricing.feeWithin(who, currency, 'cashin', amount)
    if (split !== undefined && shareOf(split, amount - fee) > amount - fee) refuse('INVALID_SPLIT_CONFIG')
    this.requireLimits(who, currency, 'cashin', amount)
    this.steps.add('cashin null create')
    const dueMs = this.nowMs + (currency === 'BRL' ? this.rules.pixLifeMs : this.rules.cryptoLifeMs)
    const thing = this.add({ kind: 'cashin', id, who, currency, amount, fee, status: 'pending', dueMs })
    if (split !== undefined) thing.split = split
    this.pricing.count(who, currency, 'cashin', amount, this.nowMs)
  }

  private requireLimits(who: Name, currency: Money, operation: Operation, amount: bigint): void {
    const code = this.pricing.refusal(who, currency, operation, amount, this.nowMs)
    if (code !== null) refuse(code === 'BELOW_MIN_LIMIT' ? this.rules.belowMinimum : code)
  }

  deposit(id: string, wallet: Model['wallets'][number], amount: bigint): void {
    const { who, currency } = wallet
    const thing = this.add({
      kind: 'cashin',
      id,
      who,
      currency,
      amount,
      fee: 0n,
      status: '',
      dueMs: null,
    })
    this.credit(thing, 'null deposit', amount)
  }

  createWallet(id: string, who: Name, currency: Money): void {
    this.steps.add('wallet null create')
    this.wallets.push({ id, who, currency })
    this.reported.push(`${who} wallet.created ${id}`)
  }

  withdraw(id: string, who: Name, currency: Money, amount: bigint, isLost: boolean): void {
    this.requireLimits(who, currency, 'cashout', amount)
    const fee = this.pricing.feeOf(who, currency, 'cashout', amount)
    this.take(who, currency, amount + fee)
    this.steps.add('cashout null create')
    this.pricing.count(who, currency, 'cashout', amount, this.nowMs)
    this.of(who, currency).pending += amount + fee
    const dueMs = this.rules.settleMs === null ? null : this.nowMs + this.rules.settleMs
    this.add({ kind: 'cashout', id, who, currency, amount, fee, status: 'pending', dueMs, isLost })
  }

  /** Throws `Refused` without changing anything if the available balance is too low. */
  private requireFunds(who: Name, currency: Money, amount: bigint): void {
    if (this.of(who, currency).available < amount) refuse('INSUFFICIENT_BALANCE')
  }

  transfer(id: string, who: Name, to: Name, currency: Money, amount: bigint): void {
    this.requireLimits(who, currency, 'transfer', amount)
    const total = amount + this.pricing.feeOf(who, currency, 'transfer', amount)
    this.requireFunds(who, currency, total)
    this.pricing.count(who, currency, 'transfer', amount, this.nowMs)
    this.steps.add('transfer null create').add('transfer null receive')
    this.tell(who, `transfer.confirmed sent ${id}`, currency, -total)
    this.tell(to, `transfer.confirmed received ${who}`, currency, amount)
  }

  convert(id: string, who: Name, from: Money, to: Money, amount: bigint): void {
    if (from === to) refuse(this.rules.equalCurrencies)
    this.requireLimits(who, from, 'conversion', amount)
    const fee = this.pricing.feeWithin(who, from, 'conversion', amount)
    const result = bought(amount - fee, from, to)
    if (result === 0n) refuse(this.rules.belowMinimum)
    this.take(who, from, amount)
    this.steps.add('conversion null create')
    this.pricing.count(who, from, 'conversion', amount, this.nowMs)
    this.of(who, to).available += result
    const thing = this.add({
      kind: 'conversion',
      id,
      who,
      currency: from,
      amount,
      fee,
      status: 'completed',
      dueMs: null,
    })
    thing.bought = { currency: to, amount: result }
    this.reported.push(`${who} conversion.confirmed ${id}`)
  }

  /** Performs an action on an object; throws `Refused` with the code, without changes, if it is not allowed. */
  act(action: string, thing: Thing, amount: bigint | undefined, id = ''): void {
    const on = action.slice(action.indexOf('.') + 1)
    const held = this.of(thing.who, thing.currency)
    const from = thing.status
    if (action === 'dispute.open') {
      this.openDispute(thing, amount ?? thing.amount, id)
      return
    }
    if (!isLegal(thing.kind, from, on)) refuse('INVALID_TRANSITION')
    // A dispute that nobody has decided at its deadline stays open, but takes no reply any more.
    if (on === 'respond' && this.nowMs > (thing.deadlineMs ?? this.nowMs)) refuse('INVALID_TRANSITION')
    if (action === 'cashin.refund' && this.runningDispute(thing) !== undefined) refuse('INVALID_TRANSITION')
    if (action === 'conversion.refund' && thing.bought !== undefined)
      this.requireFunds(thing.who, thing.bought.currency, thing.bought.amount)
    if (action === 'cashin.pay' && thing.currency === 'BRL' && (amount ?? thing.amount) !== thing.amount)
      refuse('INVALID_AMOUNT')
    this.steps.add(`${thing.kind} ${from} ${on}`)
    if (action === 'cashin.pay') this.credit(thing, undefined, amount ?? thing.amount)
    else if (action === 'cashin.expire') {
      thing.status = 'expired'
      this.giveBack(thing, 'cashin')
      if (thing.currency === 'BRL') this.reported.push(`${thing.who} cashin.expired ${thing.id}`)
    } else if (action === 'cashin.refund') this.reverse(thing, amount ?? thing.amount)
    else if (thing.kind === 'cashout') this.actOnCashout(on, thing, amount)
    else if (thing.kind === 'conversion' && thing.bought !== undefined) {
      this.of(thing.who, thing.bought.currency).available -= thing.bought.amount
      held.available += thing.amount - thing.fee
      thing.status = 'refunded'
      this.reported.push(`${thing.who} conversion.refunded ${thing.id}`)
    } else if (on === 'respond') {
      thing.status = 'responded'
      thing.dueMs = null
      this.reported.push(`${thing.who} chargeback.responded ${thing.charge?.id}`)
    } else this.decide(on, thing)
  }

  /** Returns a copy of the whole state, for `load`. */
  save(): unknown {
    const { balances, things, wallets, reported, nowMs, turn } = this
    const { fees, limits, used } = this.pricing
    return structuredClone({ balances, things, wallets, reported, nowMs, turn, pricing: { fees, limits, used } })
  }

  load(saved: unknown): void {
    const { balances, things, wallets, pricing, ...rest } = structuredClone(saved) as Pick<
      Model,
      'balances' | 'things' | 'wallets' | 'pricing'
    >
    Object.assign(this.pricing, pricing)
    this.balances.clear()
    for (const [key, held] of balances) this.balances.set(key, held)
    this.things.splice(0, this.things.length, ...things)
    this.wallets.splice(0, this.wallets.length, ...wallets)
    Object.assign(this, rest)
  }

  /** Whether the object's status allows the action; the balance may still be too low. */
  allows(action: string, thing: Thing): boolean {
    if (action === 'dispute.open') return thing.currency === 'BRL' && thing.status === 'confirmed'
    return isLegal(thing.kind, thing.status, action.slice(action.indexOf('.') + 1))
  }

  /** Advances time: due changes happen in order. */
  advance(byMs: number): void {
    const untilMs = this.nowMs + byMs
    for (;;) {
      const due = this.things.filter((thing) => thing.dueMs !== null && thing.dueMs <= untilMs)
      const [next] = due.sort((a, b) => (a.dueMs ?? 0) - (b.dueMs ?? 0) || a.turn - b.turn)
      if (next === undefined) break
      this.nowMs = next.dueMs ?? this.nowMs
      next.dueMs = null
      if (next.kind === 'dispute' && next.status === 'open' && this.rules.atDeadline !== null)
        this.act(this.rules.atDeadline, next, undefined)
      if (next.status !== 'pending') continue
      this.act(
        next.kind === 'cashin' ? 'cashin.expire' : next.isLost === true ? 'cashout.fail' : 'cashout.confirm',
        next,
        undefined,
      )
    }
    this.nowMs = untilMs
  }

  private add(thing: Omit<Thing, 'turn' | 'createdMs'>): Thing {
    const added = { ...thing, turn: this.turn++, createdMs: this.nowMs }
    this.things.push(added)
    return added
  }

  private take(who: Name, currency: Money, amount: bigint): void {
    this.requireFunds(who, currency, amount)
    this.of(who, currency).available -= amount
  }

  private tell(who: Name, what: string, currency: Money, change: bigint): void {
    const held = this.of(who, currency)
    const old = held.available
    held.available += change
    this.reported.push(`${who} ${what} ${textOf(old, currency)} ${textOf(held.available, currency)}`)
  }

  /** Credits the received amount with the current fee. */
  private credit(thing: Thing, step: string | undefined, received: bigint): void {
    if (step !== undefined) this.steps.add(`cashin ${step}`)
    const { who, currency, split } = thing
    thing.amount = received
    thing.fee = this.pricing.feeWithin(who, currency, 'cashin', received)
    thing.status = 'confirmed'
    const net = received - thing.fee
    const wanted = split === undefined ? 0n : shareOf(split, net)
    const given = wanted < net ? wanted : net
    if (split !== undefined) this.of(split.to, currency).available += given
    this.tell(who, `cashin.confirmed ${thing.id}`, currency, net - given)
  }

  private reverse(thing: Thing, amount: bigint): void {
    thing.status = 'refunded'
    this.tell(thing.who, `cashin.refunded ${thing.id}`, thing.currency, -amount)
  }

  private actOnCashout(on: string, thing: Thing, amount: bigint | undefined): void {
    const held = this.of(thing.who, thing.currency)
    const total = thing.amount + thing.fee
    if (on === 'refund') held.available += amount ?? thing.amount
    else held.pending -= total
    if (on === 'fail') {
      held.available += total
      this.giveBack(thing, 'cashout')
    }
    thing.status = { refund: 'refunded', fail: 'failed', confirm: 'confirmed' }[on] ?? ''
    this.reported.push(`${thing.who} cashout.${thing.status} ${thing.id}`)
  }

  /** Failed operations no longer count towards the limit of their day. */
  private giveBack({ who, currency, amount, createdMs }: Thing, operation: Operation): void {
    if (this.rules.returnsToLimit) this.pricing.count(who, currency, operation, -amount, createdMs)
  }

  private runningDispute = (charge: Thing) =>
    this.things.find((one) => one.charge === charge && (one.status === 'open' || one.status === 'responded'))

  private openDispute(charge: Thing, amount: bigint, id: string): void {
    const isDisputed = this.things.some((one) => one.charge === charge && one.status !== 'canceled')
    if (charge.status !== 'confirmed' || charge.currency !== 'BRL' || isDisputed) refuse('INVALID_TRANSITION')
    this.steps.add('dispute null open')
    const held = this.of(charge.who, charge.currency)
    held.available -= amount
    held.blocked += amount
    const { who, currency } = charge
    const dueMs = this.nowMs + 7 * 86_400_000
    this.add({ kind: 'dispute', id, who, currency, amount, fee: 0n, status: 'open', dueMs, deadlineMs: dueMs, charge })
    this.reported.push(`${who} chargeback.opened ${charge.id}`)
  }

  private decide(on: string, dispute: Thing): void {
    const held = this.of(dispute.who, dispute.currency)
    held.blocked -= dispute.amount
    held.available += dispute.amount
    dispute.status = { confirm: 'confirmed', win: 'won', lose: 'lost', cancel: 'canceled' }[on] ?? ''
    this.reported.push(`${dispute.who} chargeback.${dispute.status} ${dispute.charge?.id}`)
    if (dispute.charge === undefined || (on !== 'confirm' && on !== 'lose')) return
    this.steps.add('cashin confirmed lose_dispute')
    this.reverse(dispute.charge, dispute.amount)
  }
}

/** §3, and decision 26. */
const legal: Record<Thing['kind'], Record<string, readonly string[]>> = {
  cashin: { pending: ['pay', 'expire'], confirmed: ['refund'] },
  cashout: { pending: ['confirm', 'fail'], confirmed: ['refund'] },
  conversion: { completed: ['refund'] },
  dispute: { open: ['respond', 'confirm', 'win', 'lose', 'cancel'], responded: ['confirm', 'win', 'lose', 'cancel'] },
}
const isLegal = (kind: Thing['kind'], from: string, on: string) => legal[kind][from]?.includes(on) === true
