/** Do effects end right when events overtake each other? */
import {
  answerOf,
  type Bench,
  broken,
  type Finding,
  holds,
  noEffects,
  type Trial,
  type Wanted,
  wrongEffect,
} from '../bench.js'
import { act, type MadeEvent } from '../cast.js'
import { isFailure } from '../wire.js'

/** Sends them as they stand; one that overtook another may be put off with a 4xx, and comes again afterwards. */
async function overtaking(bench: Bench, events: readonly MadeEvent[]): Promise<Finding | undefined> {
  const putOff: MadeEvent[] = []
  for (const event of events) {
    const { accepted, last } = await bench.wire.deliver(event)
    if (!accepted && isFailure(last)) return broken(`${event.event}, out of order: ${answerOf(last)}`, last)
    if (!accepted) putOff.push(event)
  }
  for (const event of putOff) {
    const { accepted, last } = await bench.wire.deliver(event)
    if (!accepted) return broken(`${event.event}, out of order and again afterwards: ${answerOf(last)}`, last)
  }
  return undefined
}

async function ends(
  bench: Bench,
  events: readonly MadeEvent[],
  wishes: readonly Wanted[],
  right: string,
): Promise<Finding> {
  const refusal = await overtaking(bench, events)
  if (refusal !== undefined) return refusal
  if (bench.effects === null) return noEffects('accepted')
  return (await wrongEffect(bench, wishes)) ?? holds(right)
}

export const refundFirst: Trial = async (bench) => {
  const { confirmed, refunded } = await bench.cast.refunded()
  const wish = {
    event: confirmed,
    credited: 'nothing',
    status: 'refunded',
    what: 'refunded before it was confirmed',
  } as const
  return ends(bench, [refunded, confirmed], [wish], 'it ended as refunded')
}

/** No charge can be both: the expiry is one that was on its way when the payment came. */
export const expiredLate: Trial = async (bench) => {
  const confirmed = await bench.cast.paid()
  const { transaction_id, external_id, currency, amount, confirmed_at } = confirmed.data
  const fields = { transaction_id, external_id, currency, amount, status: 'expired', expired_at: confirmed_at }
  const expired = bench.cast.crafted('cashin.expired', confirmed.transactionId, fields)
  const wish = {
    event: confirmed,
    credited: 'once',
    status: 'confirmed',
    what: 'expired after it was confirmed',
  } as const
  return ends(bench, [confirmed, expired], [wish], 'it stayed confirmed')
}

export const dispute: Trial = async (bench) => {
  const won = await disputed(bench, 'dispute.win')
  const lost = await disputed(bench, 'dispute.lose')
  const overtaken = ({ confirmed, opened, ends: [...end] }: Disputed) => [confirmed, ...end, opened]
  return ends(
    bench,
    [...overtaken(won), ...overtaken(lost)],
    [
      { event: won.confirmed, credited: 'once', what: 'a dispute that was won before it was opened' },
      { event: lost.confirmed, credited: 'nothing', what: 'a dispute that was lost before it was opened' },
    ],
    'the one that was won stays credited, the one that was lost does not',
  )
}

interface Disputed {
  confirmed: MadeEvent
  opened: MadeEvent
  ends: MadeEvent[]
}

async function disputed({ cast }: Bench, action: 'dispute.win' | 'dispute.lose'): Promise<Disputed> {
  const confirmed = await cast.paid()
  const [opened, ...end] = await cast.told((unit) => {
    act(unit, action, act(unit, 'dispute.open', confirmed.transactionId))
  })
  if (opened === undefined) throw new Error('the dispute told nothing')
  return { confirmed, opened, ends: end }
}
