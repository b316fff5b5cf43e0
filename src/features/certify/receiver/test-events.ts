/**
 * The events that a receiver is tested with: real ones, of transactions in a separate workspace, and a few that no
 * transaction can produce.
 */

import type { Creatable } from '../../../inside/control.js'
import type { ActionName } from '../../../inside/platform.js'
import { fieldsIn, isoOffset, JsonNumber } from '../../../inside/values.js'
import {
  credentialForEvents,
  events,
  objectRefOf,
  prepareCall,
  reader,
  requireAccount,
  selector,
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
  captureEvents(work: (unit: Unit) => unknown): Promise<TestEvent[]> {
    return this.ws.unit((unit) => {
      const before = lastEvent(unit.db)[0]?.seq ?? 0
      work(unit)
      return eventsSince(unit.db, before, requireAccount(unit.db, merchant).seq).map(testEventOf)
    })
  }

  /** Creates a PIX charge and pays it; returns its `cashin.confirmed`. */
  async createPaidCharge(fields: Record<string, unknown> = {}): Promise<TestEvent> {
    const [confirmed] = await this.captureEvents((unit) => this.#createPaidCharge(unit, fields))
    return requireEvent(confirmed)
  }

  /** Creates, pays and refunds a charge; returns both events. */
  async createRefundedCharge(): Promise<{ confirmed: TestEvent; refunded: TestEvent }> {
    const [confirmed, refunded] = await this.captureEvents((unit) =>
      performAction(unit, 'cashin.refund', this.#createPaidCharge(unit, {})),
    )
    return { confirmed: requireEvent(confirmed), refunded: requireEvent(refunded) }
  }

  /** Creates an event with a new id and the given data. */
  createEvent(event: string, transactionId: string, data: Record<string, unknown>): TestEvent {
    const timestamp = isoOffset(this.ws.clock.now())
    const body = JSON.stringify({ event, timestamp, transaction_id: transactionId, data })
    return { id: this.ws.memory.ids.next('events').id, event, transactionId, body, data }
  }

  #createPaidCharge(unit: Unit, fields: Record<string, unknown>): string {
    const payer = { name: 'Ana Souza', document: '52998224725' }
    const external_id = `order-${++this.#count}`
    const charge = { amount: defaultAmount, currency: 'BRL', external_id, payer, ...fields }
    return performAction(unit, 'cashin.pay', createObject(unit, 'cashin', charge))
  }
}

/** Creates an object as an API call would, and returns its id. Amounts are decimal text. */
export function createObject(
  unit: Unit,
  kind: Creatable,
  fields: Record<string, unknown>,
  username = merchant,
): string {
  const account = requireAccount(unit.db, username)
  const credential = credentialForEvents(unit.db, account.seq, null) ?? null
  const body = { ...fields, ...(fields.amount === undefined ? {} : { amount: new JsonNumber(String(fields.amount)) }) }
  const create = prepareCall(unit, { account, credential }, kind, body)
  return objectRefOf(kind, create()).id
}

/** Transfers money from another account to the merchant. */
export const receiveTransfer = (unit: Unit): string =>
  createObject(unit, 'transfer', { username: merchant, amount: '5.00', currency: 'BRL' }, customer)
/** Transfers money from the merchant to another account. */
export const sendTransfer = (unit: Unit): string =>
  createObject(unit, 'transfer', { username: customer, amount: '5.00', currency: 'BRL', description: 'Lunch' })

/** Performs an action and returns the id of the transaction or dispute that it changed or created, or the given id if that is a fixed wallet. */
export function performAction(
  unit: Unit,
  action: ActionName,
  id: string,
  params: Record<string, unknown> = {},
): string {
  const { row } = trigger(unit, action, id, params).subject
  return 'id' in row ? String(row.id) : id
}

function testEventOf(row: typeof events.$inferSelect): TestEvent {
  const data = fieldsIn(fieldsIn(JSON.parse(row.body)).data)
  return { id: row.id, event: row.event, transactionId: row.transactionId, body: row.body, data }
}

/** Throws if a transaction emitted no event. */
export function requireEvent(event: TestEvent | undefined): TestEvent {
  if (event === undefined) throw new Error('the transaction emitted no event')
  return event
}
