/** Checks that every event is accepted, on every rail, with and without optional fields. */

import { eventNames } from '../../../../inside/platform.js'
import type { Unit } from '../../../../inside/workspace.js'
import { type Check, type CheckContext, deliver, deliverAll, notTested } from '../check-context.js'
import { createObject, performAction, receiveTransfer, sendTransfer, type TestEvent } from '../test-events.js'

/** Creates transactions in a test workspace; returns the id of the object of its last event. */
export type Work = (unit: Unit) => string

/** A new id: request ids are the only sequence of the workspace that no object uses. */
export const externalId = (unit: Unit) => unit.ids.next('requests').id

type Fields = Readonly<Record<string, unknown>>

/** A charge of these fields that is paid; `payment` are parameters of the payment. */
export const paid =
  (fields: Fields, payment: Fields = {}): Work =>
  (unit) =>
    performAction(unit, 'cashin.pay', createObject(unit, 'cashin', fields), payment)

export const deposited =
  (fields: Fields, amount: string): Work =>
  (unit) =>
    performAction(unit, 'wallet.deposit', createObject(unit, 'wallet', fields), { amount })

const chargeFields = (unit: Unit, fields: Fields = {}) => ({
  ...{ amount: '12.30', currency: 'BRL', external_id: externalId(unit) },
  ...fields,
})
const charge: Work = (unit) => paid(chargeFields(unit), { payer: { name: 'Ana Souza', document: '52998224725' } })(unit)

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
export const worksOfAllEvents: readonly ((unit: Unit) => unknown)[] = [
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

const named =
  (name: string): Work =>
  (unit) =>
    paid(chargeFields(unit, { external_id: externalId(unit).padEnd(150, '-') }), {
      payer: { name, document: '52998224725' },
    })(unit)

async function captureAll(context: CheckContext, works: readonly ((unit: Unit) => unknown)[]): Promise<TestEvent[]> {
  const captured: TestEvent[] = []
  for (const work of works) captured.push(...(await context.testEvents.captureEvents((unit) => void work(unit))))
  return captured
}

export const all: Check = async (context) => {
  const events = await captureAll(context, worksOfAllEvents)
  const missing = eventNames.filter((name) => !events.some(({ event }) => event === name))
  if (missing.length > 0) throw new Error(`the sandbox created no test event for ${missing.join(', ')}`)
  await deliverAll(context, events)
  return `${eventNames.length} accepted`
}

export const rails: Check = async (context) => {
  const events = await captureAll(context, worksOfOtherRails)
  for (const event of events) {
    const currency = event.data.currency ?? event.data.currency_from
    await deliver(context, event, `${event.event} in ${String(currency)}, without optional fields`)
  }
  const letter = 'É'
  const [small, large] = await captureAll(context, [named(letter), named(letter.repeat(255))])
  if (small === undefined || large === undefined) throw new Error('the transaction emitted no event')
  const { accepted } = await context.sender.deliver(small)
  if (!accepted) return notTested('accept.raw-body', `the receiver rejects ${letter}`)
  const size = new TextEncoder().encode(large.body).length
  const fix = 'Read the whole body, however long it is, before you verify the signature.'
  await deliver(context, large, `an event of ${size} bytes, with the longest texts`, { fix })
  return `${events.length + 1} accepted`
}
