/**
 * The events that a receiver is tested with: real ones, of transactions in a separate workspace, and a few that no
 * transaction can produce.
 */

import type { Creatable } from '../../../inside/control.js'
import type { ActionName } from '../../../inside/platform.js'
import { fieldsIn, isoOffset } from '../../../inside/values.js'
import {
  createObject as create,
  credentialForEvents,
  events,
  reader,
  requireAccount,
  selector,
  subjectId,
  trigger,
  type Unit,
  type Workspace,
} from '../../../inside/workspace.js'

/** An event as it is sent; `data` is the field of the body. */
export interface TestEvent {
  id: string
  event: string
  transactionId: string
  body: string
  data: Record<string, unknown>
}

export interface Refund {
  confirmed: TestEvent
  refunded: TestEvent
}

/** Creates transactions in a test workspace. */
export type Work = (unit: Unit) => unknown

type Fields = Readonly<Record<string, unknown>>

export const payerOf = (name: string) => ({ name, document: '52998224725' })

const lastEvent = reader<{ seq: number }>('select seq from events order by seq desc limit 1')
const eventsSince = selector(events, 'where seq > ? and account_seq = ? order by seq')

export const merchant = 'merchant'
const customer = 'customer'

/** The credential that signs the webhooks of the merchant. */
export const merchantCredential = ({ db }: Workspace) => credentialForEvents(db, requireAccount(db, merchant).seq, null)

const defaultAmount = '25.50'

export class TestEvents {
  #count = 0

  constructor(readonly ws: Workspace) {}

  /** Runs `work` and returns the events that it causes for the merchant, in order. */
  captureEvents(work: Work): Promise<TestEvent[]> {
    return this.ws.unit((unit) => {
      const before = lastEvent(unit.db)[0]?.seq ?? 0
      work(unit)
      return eventsSince(unit.db, before, requireAccount(unit.db, merchant).seq).map(testEventOf)
    })
  }

  async captureAll(works: readonly Work[]): Promise<TestEvent[]> {
    const captured: TestEvent[] = []
    for (const work of works) captured.push(...(await this.captureEvents(work)))
    return captured
  }

  /** Creates a PIX charge and pays it; returns its `cashin.confirmed`. */
  async createPaidCharge(fields: Record<string, unknown> = {}): Promise<TestEvent> {
    const [confirmed] = await this.captureEvents((unit) => this.#createPaidCharge(unit, fields))
    return requireEvent(confirmed)
  }

  /** Creates, pays and refunds a charge; returns both events. */
  async createRefundedCharge(): Promise<Refund> {
    const [confirmed, refunded] = await this.captureEvents((unit) =>
      performAction(unit, 'cashin.refund', this.#createPaidCharge(unit, {})),
    )
    return { confirmed: requireEvent(confirmed), refunded: requireEvent(refunded) }
  }

  /** The interface shows refunds with a `transaction_id` of their own; this one has that of its charge, and is built by hand. */
  async createRefundUnderSameId(): Promise<Refund> {
    const { confirmed, refunded } = await this.createRefundedCharge()
    const { transactionId } = confirmed
    const data = { ...refunded.data, transaction_id: transactionId }
    return { confirmed, refunded: this.createEvent(refunded.event, transactionId, data) }
  }

  /** Creates an event with a new id and the given data. */
  createEvent(event: string, transactionId: string, data: Record<string, unknown>): TestEvent {
    const timestamp = isoOffset(this.ws.clock.now())
    const body = JSON.stringify({ event, timestamp, transaction_id: transactionId, data })
    return { id: this.ws.memory.ids.next('events').id, event, transactionId, body, data }
  }

  #createPaidCharge(unit: Unit, fields: Record<string, unknown>): string {
    const external_id = `order-${++this.#count}`
    const charge = { amount: defaultAmount, currency: 'BRL', external_id, payer: payerOf('Ana Souza'), ...fields }
    return performAction(unit, 'cashin.pay', createObject(unit, 'cashin', charge))
  }
}

/** Creates an object as an API call would, and returns its id. Amounts are decimal text. */
const createObject = (unit: Unit, kind: Creatable, fields: Fields, username = merchant): string =>
  create(unit, requireAccount(unit.db, username), kind, fields, () => externalId(unit)).id

/** Performs an action and returns the id of the object that it changed or created. */
export const performAction = (unit: Unit, action: ActionName, id: string, params: Fields = {}): string =>
  subjectId(trigger(unit, action, id, params).subject)

/** Transfers money from another account to the merchant. */
export const receiveTransfer: Work = (unit) =>
  createObject(unit, 'transfer', { username: merchant, amount: '5.00', currency: 'BRL' }, customer)
/** Transfers money from the merchant to another account. */
export const sendTransfer: Work = (unit) =>
  createObject(unit, 'transfer', { username: customer, amount: '5.00', currency: 'BRL', description: 'Lunch' })

/** A new id: request ids are the only sequence of the workspace that no object uses. */
export const externalId = (unit: Unit) => unit.ids.next('requests').id

/** A charge of these fields that is paid; `payment` are parameters of the payment. */
export const paid =
  (fields: Fields, payment: Fields = {}) =>
  (unit: Unit): string =>
    performAction(unit, 'cashin.pay', createObject(unit, 'cashin', fields), payment)

export const deposited =
  (fields: Fields, amount: string): Work =>
  (unit) =>
    performAction(unit, 'wallet.deposit', createObject(unit, 'wallet', fields), { amount })

const chargeFields = (unit: Unit, fields: Fields = {}) => ({
  ...{ amount: '12.30', currency: 'BRL', external_id: externalId(unit) },
  ...fields,
})
const charge = (unit: Unit) => paid(chargeFields(unit), { payer: payerOf('Ana Souza') })(unit)

/** A charge with an `external_id` of full length, paid by this person. */
export const chargeOf =
  (name: string): Work =>
  (unit) =>
    paid(chargeFields(unit, { external_id: externalId(unit).padEnd(150, '-') }), { payer: payerOf(name) })(unit)

const payout = (unit: Unit, fields: Fields = {}) =>
  createObject(unit, 'cashout', { ...chargeFields(unit), amount: '10.00', key: 'ana@example.com', ...fields })
export const confirmedPayout = (unit: Unit, fields: Fields = {}) =>
  performAction(unit, 'cashout.confirm', payout(unit, fields))
export const failWithdrawal: Work = (unit) =>
  performAction(unit, 'cashout.fail', payout(unit), { error_code: 'PIX_KEY_NOT_FOUND' })

/** Opens a dispute and performs the steps on it. */
const dispute = (unit: Unit, ...steps: ('respond' | 'confirm' | 'win' | 'lose' | 'cancel')[]) => {
  const id = performAction(unit, 'dispute.open', charge(unit))
  for (const step of steps) performAction(unit, `dispute.${step}`, id)
}

/** Together they produce every event. */
export const worksOfAllEvents: readonly Work[] = [
  (unit) => performAction(unit, 'cashin.refund', charge(unit)),
  (unit) => performAction(unit, 'cashin.expire', createObject(unit, 'cashin', chargeFields(unit))),
  (unit) => performAction(unit, 'cashout.refund', confirmedPayout(unit)),
  failWithdrawal,
  sendTransfer,
  (unit) => performAction(unit, 'conversion.refund', conversion(unit, 'BRL', 'USDT')),
  (unit) => createObject(unit, 'wallet', { currency: 'BRL' }),
  (unit) => dispute(unit, 'respond', 'win'),
  (unit) => dispute(unit, 'confirm'),
  (unit) => dispute(unit, 'lose'),
  (unit) => dispute(unit, 'cancel'),
]

export const conversion = (unit: Unit, base: string, destination: string) =>
  createObject(unit, 'conversion', {
    amount: base === 'BRL' ? '30.00' : '0.01',
    ...(base === 'BRL' ? { external_id: externalId(unit) } : {}),
    base_currency: base,
    destination_currency: destination,
  })

export const crypto: [currency: string, chain: string, amount: string][] = [
  ['USDT', 'tron', '15.00'],
  ['USDC', 'polygon', '20.00'],
  ['BTC', 'bitcoin', '0.00012345'],
  ['ETH', 'ethereum', '0.00234567'],
  ['SOL', 'solana', '0.123456789'],
  ['BNB', 'bsc', '0.01000001'],
]

/** The other rails, and transactions without optional fields. */
export const worksOfOtherRails: readonly Work[] = [
  (unit) => performAction(unit, 'cashin.refund', paid({ amount: '3.21', currency: 'BRL' })(unit)),
  paid({ amount: '150.00', currency: 'MXN' }),
  ...crypto.map(([currency, chain, amount]) => paid({ currency, chain, amount })),
  deposited({ currency: 'BRL' }, '7.77'),
  deposited({ currency: 'MXN' }, '70.00'),
  deposited({ currency: 'USDT', chain: 'tron' }, '7.77'),
  (unit) =>
    confirmedPayout(unit, {
      currency: 'USDT',
      network: 'tron',
      amount: '12.00',
      key: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    }),
  (unit) => {
    const id = payout(unit, { currency: 'MXN', amount: '120.00', key: '002010077777777771' })
    return performAction(unit, 'cashout.fail', id, { error_code: 'PROVIDER_TIMEOUT' })
  },
  receiveTransfer,
  (unit) => conversion(unit, 'ETH', 'BRL'),
]

function testEventOf(row: typeof events.$inferSelect): TestEvent {
  const data = fieldsIn(fieldsIn(JSON.parse(row.body)).data)
  return { id: row.id, event: row.event, transactionId: row.transactionId, body: row.body, data }
}

/** Throws if a transaction emitted no event. */
export function requireEvent(event: TestEvent | undefined): TestEvent {
  if (event === undefined) throw new Error('the transaction emitted no event')
  return event
}
