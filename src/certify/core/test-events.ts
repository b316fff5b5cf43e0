/** The events that a receiver is tried with: real ones, of real transactions in a workspace of their own, and a few that no transaction can be brought to tell. */
import { isoOffset } from '../../base/iso.js'
import { JsonNumber } from '../../base/json.js'
import { fieldsIn } from '../../base/unknown.js'
import { credentialForEvents, requireAccount } from '../../core/auth/account.js'
import { prepareCall, refInAnswer } from '../../core/endpoints/validate.js'
import { trigger } from '../../core/operations/trigger.js'
import type { Unit } from '../../core/unit/unit.js'
import type { Workspace } from '../../core/unit/workspace.js'
import type { ActionName } from '../../protocol/actions/actions.js'
import type { Creatable } from '../../protocol/scenario/create.js'
import { reader } from '../../store/db.js'
import { selector } from '../../store/rows.js'
import { events } from '../../store/schema.js'

/** As it is sent; `data` is what stands in the body. */
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

export interface TestEvents {
  /** The events that the merchant is told of while `work` is done, in order. */
  captureEvents(work: (unit: Unit) => void): Promise<TestEvent[]>
  /** A PIX charge that somebody has paid: its `cashin.confirmed`. */
  payCharge(fields?: Record<string, unknown>): Promise<TestEvent>
  /** One that was refunded afterwards: both events. */
  refundCharge(): Promise<{ confirmed: TestEvent; refunded: TestEvent }>
  /** An event of a new id, with a body of its own. */
  createEvent(event: string, transactionId: string, data: Record<string, unknown>, more?: object): TestEvent
  /** The same event, its body written otherwise. */
  withBody(event: TestEvent, body: string): TestEvent
}

export const defaultAmount = '25.50'

export function createTestEvents(ws: Workspace): TestEvents {
  let count = 0
  const captureEvents: TestEvents['captureEvents'] = (work) =>
    ws.unit((unit) => {
      const before = lastEvent(unit.db)[0]?.seq ?? 0
      work(unit)
      const accountSeq = requireAccount(unit.db, merchant).seq
      return eventsSince(unit.db, before, accountSeq).map(testEventOf)
    })
  const charge = (fields: Record<string, unknown>) => ({
    amount: defaultAmount,
    currency: 'BRL',
    external_id: `order-${++count}`,
    payer: { name: 'Ana Souza', document: '52998224725' },
    ...fields,
  })
  const createEvent: TestEvents['createEvent'] = (event, transactionId, data, more = {}) => ({
    id: ws.memory.ids.next('events').id,
    event,
    transactionId,
    body: JSON.stringify({ event, timestamp: timestampOf(ws), transaction_id: transactionId, data, ...more }),
    data,
  })
  return {
    captureEvents,
    payCharge: async (fields = {}) =>
      firstEvent(
        await captureEvents(
          (unit) => void performAction(unit, 'cashin.pay', createObject(unit, 'cashin', charge(fields))),
        ),
      ),
    async refundCharge() {
      const [confirmed, refunded] = await captureEvents((unit) => {
        const id = createObject(unit, 'cashin', charge({}))
        performAction(unit, 'cashin.pay', id)
        performAction(unit, 'cashin.refund', id)
      })
      return { confirmed: firstEvent([confirmed]), refunded: firstEvent([refunded]) }
    },
    createEvent,
    withBody: (event, body) => ({ ...event, body }),
  }
}

/** Makes an object as a call of the API would; returns its id. Amounts are decimal text. */
export function createObject(
  unit: Unit,
  kind: Creatable,
  fields: Record<string, unknown>,
  username = merchant,
): string {
  const account = requireAccount(unit.db, username)
  const credential = credentialForEvents(unit.db, account.seq, null) ?? null
  const body = { ...fields, ...(fields.amount === undefined ? {} : { amount: new JsonNumber(String(fields.amount)) }) }
  return refInAnswer(kind, prepareCall(unit, { account, credential }, kind, body)()).id
}

/** Money from somebody else. */
export const receiveTransfer = (unit: Unit): string =>
  createObject(unit, 'transfer', { username: merchant, amount: '5.00', currency: 'BRL' }, customer)
/** Money to somebody else. */
export const sendTransfer = (unit: Unit): string =>
  createObject(unit, 'transfer', { username: customer, amount: '5.00', currency: 'BRL', description: 'Lunch' })

/** Returns the id of the object that the action was done to, or that it brought into being. */
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

/** What a unit has just told of is there. */
export function firstEvent(made: readonly (TestEvent | undefined)[]): TestEvent {
  const [event] = made
  if (event === undefined) throw new Error('the transaction told nothing')
  return event
}

const timestampOf = (ws: Workspace) => isoOffset(ws.clock.now())
