/** A small model of the platform, written from the interface and not from the code: what each step does to states and money. */
import type { Body } from './sandbox.js'

export type Currency = 'BRL' | 'MXN' | 'USDT' | 'SOL'
export const scales: Record<Currency, number> = { BRL: 2, MXN: 2, USDT: 2, SOL: 9 }

export interface Thing {
  kind: 'cashin' | 'cashout' | 'conversion' | 'wallet' | 'dispute'
  id: string
  status: string
  currency: Currency
  minor: bigint
  feeMinor: bigint
  /** A conversion's result in USDT; a dispute's charge. */
  resultMinor?: bigint
  charge?: Thing
  /** When it changes by itself, epoch milliseconds. */
  dueAtMs?: number
}

type Bucket = 'available' | 'blocked' | 'pending'

export const textOf = (minor: bigint, currency: Currency): string => {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(scales[currency] + 1, '0')
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -scales[currency])}.${digits.slice(-scales[currency])}`
}
export const minorOf = (text: string): bigint => BigInt(text.replace('.', ''))

/** One per cent of a cash-in, half a per cent of a conversion: rounded half up. */
export const percent = (minor: bigint, perThousand: bigint): bigint => (minor * perThousand + 500n) / 1000n

export class Model {
  readonly balances = new Map<string, bigint>()
  readonly things: Thing[] = []
  /** `kind from action` of every step that was taken. */
  readonly edges = new Set<string>()
  expectedEvents: string[] = []

  constructor(ledger: Body) {
    for (const row of ledger.accounts)
      for (const bucket of ['available', 'blocked', 'pending'])
        this.balances.set(`${row.username} ${row.currency} ${bucket}`, minorOf(row[bucket]))
  }

  get(username: string, currency: string, bucket: Bucket = 'available'): bigint {
    return this.balances.get(`${username} ${currency} ${bucket}`) ?? 0n
  }

  add(username: string, currency: string, bucket: Bucket, minor: bigint): void {
    this.balances.set(`${username} ${currency} ${bucket}`, this.get(username, currency, bucket) + minor)
  }

  merchant(currency: Currency, bucket: Bucket, minor: bigint): void {
    this.add('merchant', currency, bucket, minor)
  }

  /** Whether the action may be done to the thing now. */
  allows(action: string, thing: Thing): boolean {
    const [, on = ''] = action.split('.')
    if (action === 'wallet.deposit') return true
    if (action === 'dispute.open')
      return (
        thing.status === 'confirmed' &&
        thing.currency === 'BRL' &&
        !this.things.some((one) => one.charge === thing && one.status !== 'canceled')
      )
    if (
      action === 'cashin.refund' &&
      this.things.some((one) => one.charge === thing && /^(open|responded)$/.test(one.status))
    )
      return false
    if (action === 'conversion.refund' && this.get('merchant', 'USDT') < (thing.resultMinor ?? 0n)) return false
    return (after[`${thing.kind} ${thing.status} ${on}`] ?? null) !== null
  }

  /** Takes the step: state, money, events. */
  take(action: string, thing: Thing, made?: Thing): void {
    const [, on = ''] = action.split('.')
    if (action === 'wallet.deposit' || action === 'dispute.open') {
      if (made === undefined) throw new Error(`${action} made nothing`)
      this.things.push(made)
      this.edges.add(action === 'dispute.open' ? 'dispute null open' : 'cashin null deposit')
      if (action === 'dispute.open') {
        this.merchant('BRL', 'available', -made.minor)
        this.merchant('BRL', 'blocked', made.minor)
        this.expectedEvents.push('chargeback.opened')
      } else this.credit(made)
      return
    }
    this.edges.add(`${thing.kind} ${thing.status} ${on}`)
    thing.status = after[`${thing.kind} ${thing.status} ${on}`] ?? thing.status
    steps[`${thing.kind}.${on}`]?.(this, thing)
  }

  credit(thing: Thing): void {
    this.merchant(thing.currency, 'available', thing.minor - percent(thing.minor, 10n))
    this.expectedEvents.push('cashin.confirmed')
  }

  refundCharge(thing: Thing): void {
    this.edges.add('cashin confirmed lose_dispute')
    thing.status = 'refunded'
    this.merchant(thing.currency, 'available', -thing.minor)
    this.expectedEvents.push('cashin.refunded')
  }

  /** What happens by itself up to a moment, in order. */
  pass(toMs: number): void {
    for (;;) {
      const due = this.things.filter(
        (one) => one.dueAtMs !== undefined && one.dueAtMs <= toMs && /^(pending|open|responded)$/.test(one.status),
      )
      const next = due.sort((a, b) => (a.dueAtMs ?? 0) - (b.dueAtMs ?? 0))[0]
      if (next === undefined) return
      delete next.dueAtMs
      if (next.kind === 'cashin') this.take('cashin.expire', next)
      else if (next.status === 'open') this.take('dispute.confirm', next)
    }
  }
}

/** Part 3 of the interface as `kind from action` → to. */
const after: Record<string, string> = {
  'cashin pending pay': 'confirmed',
  'cashin pending expire': 'expired',
  'cashin confirmed refund': 'refunded',
  'cashout pending confirm': 'confirmed',
  'cashout pending fail': 'failed',
  'cashout confirmed refund': 'refunded',
  'conversion completed refund': 'refunded',
  'dispute open respond': 'responded',
  ...Object.fromEntries(
    ['open', 'responded'].flatMap((from) => [
      [`dispute ${from} confirm`, 'confirmed'],
      [`dispute ${from} win`, 'won'],
      [`dispute ${from} lose`, 'lost'],
      [`dispute ${from} cancel`, 'canceled'],
    ]),
  ),
}

const unblock = (model: Model, { minor }: Thing): void => {
  model.merchant('BRL', 'blocked', -minor)
  model.merchant('BRL', 'available', minor)
}

const steps: Record<string, (model: Model, thing: Thing) => void> = {
  'cashin.pay': (model, thing) => model.credit(thing),
  'cashin.expire': (model, thing) => void (thing.currency === 'BRL' && model.expectedEvents.push('cashin.expired')),
  'cashin.refund': (model, thing) => {
    model.merchant(thing.currency, 'available', -thing.minor)
    model.expectedEvents.push('cashin.refunded')
  },
  'cashout.confirm': (model, thing) => {
    model.merchant(thing.currency, 'pending', -(thing.minor + thing.feeMinor))
    model.expectedEvents.push('cashout.confirmed')
  },
  'cashout.fail': (model, thing) => {
    model.merchant(thing.currency, 'pending', -(thing.minor + thing.feeMinor))
    model.merchant(thing.currency, 'available', thing.minor + thing.feeMinor)
    model.expectedEvents.push('cashout.failed')
  },
  'cashout.refund': (model, thing) => {
    model.merchant(thing.currency, 'available', thing.minor)
    model.expectedEvents.push('cashout.refunded')
  },
  'conversion.refund': (model, thing) => {
    model.merchant('BRL', 'available', thing.minor)
    model.merchant('USDT', 'available', -(thing.resultMinor ?? 0n))
    model.expectedEvents.push('conversion.refunded')
  },
  'dispute.respond': (model) => void model.expectedEvents.push('chargeback.responded'),
  'dispute.win': (model, thing) => {
    unblock(model, thing)
    model.expectedEvents.push('chargeback.won')
  },
  'dispute.cancel': (model, thing) => {
    unblock(model, thing)
    model.expectedEvents.push('chargeback.canceled')
  },
  'dispute.lose': (model, thing) => {
    unblock(model, thing)
    model.expectedEvents.push('chargeback.lost')
    if (thing.charge !== undefined) model.refundCharge(thing.charge)
  },
  'dispute.confirm': (model, thing) => {
    unblock(model, thing)
    model.expectedEvents.push('chargeback.confirmed')
    if (thing.charge !== undefined) model.refundCharge(thing.charge)
  },
}
