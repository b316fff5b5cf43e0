/** Does the same event have its effect once, and another event its own? */
import { answerOf, broken, holds, noEffects, notAccepted, shownEffect, type Trial, wrongEffect } from '../bench.js'
import { act, first, type MadeEvent, make } from '../cast.js'
import { isOk } from '../wire.js'

export const applied: Trial = async (bench) => {
  const event = await bench.cast.paid()
  const refusal = await notAccepted(bench, event, 'cashin.confirmed')
  if (refusal !== undefined) return refusal
  if (bench.effects === null) return noEffects('accepted')
  const effect = await bench.effects.until(event.transactionId, ({ creditedParts }) => creditedParts > 0n)
  return effect.creditedParts > 0n ? holds(shownEffect(effect)) : broken(`a paid charge: ${shownEffect(effect)}`)
}

const amounts = ['25.50', '19.99', '1.15', '4.35', '2.30', '1000.10', '8.41', '57.91']

export const exact: Trial = async (bench) => {
  if (bench.effects === null) return noEffects('not tried')
  const events: MadeEvent[] = []
  for (const amount of amounts) {
    const event = await bench.cast.paid({ amount })
    const refusal = await notAccepted(bench, event, `a charge of ${amount}`)
    if (refusal !== undefined) return refusal
    events.push(event)
  }
  const wishes = events.map((event) => ({
    event,
    credited: 'once' as const,
    what: `a charge of ${String(event.data.amount)}`,
  }))
  return (await wrongEffect(bench, wishes)) ?? holds(`${events.length} amounts credited exactly`)
}

export const answered: Trial = async (bench) => {
  const event = await bench.cast.paid()
  const refusal = await notAccepted(bench, event, 'an event')
  if (refusal !== undefined) return refusal
  for (const time of ['second', 'third']) {
    const again = await notAccepted(bench, event, `the same event a ${time} time`)
    if (again !== undefined) return again
  }
  return holds('accepted three times')
}

export const inARow: Trial = async (bench) => {
  const event = await bench.cast.paid()
  const refusal = await notAccepted(bench, event, 'an event')
  if (refusal !== undefined) return refusal
  const timestamp = String(bench.wire.nowSeconds())
  for (let left = 2; left > 0; left--) await bench.wire.fire(event, { timestamp })
  if (bench.effects === null) return noEffects('sent three times')
  return (
    (await wrongEffect(bench, [{ event, credited: 'once', what: 'sent three times in a row' }])) ??
    holds('credited once')
  )
}

export const atOnce: Trial = async (bench) => {
  const event = await bench.cast.paid()
  const hits = await Promise.all(Array.from({ length: 6 }, () => bench.wire.fireNow(event)))
  // One of them may have been told that another is at work on it.
  if (!hits.some(isOk)) {
    const refusal = await notAccepted(bench, event, 'an event after six at once')
    if (refusal !== undefined) return refusal
  }
  if (bench.effects === null) return noEffects('sent six times at once')
  return (
    (await wrongEffect(bench, [{ event, credited: 'once', what: 'sent six times at once' }])) ?? holds('credited once')
  )
}

export const later: Trial = async (bench) => {
  const event = bench.missed.repeated
  const earlier = await bench.wire.deliver(event, { ageSeconds: 250 })
  if (!earlier.accepted) return broken(`an event of an hour ago: ${answerOf(earlier.last)}`, earlier.last)
  await bench.wire.fire(event)
  if (bench.effects === null) return noEffects('sent again later')
  return (await wrongEffect(bench, [{ event, credited: 'once', what: 'sent again later' }])) ?? holds('credited once')
}

/** The interface shows a `transaction_id` of the refund's own; a receiver has to do with either. */
export const otherEvent: Trial = async (bench) => {
  const own = await bench.cast.refunded()
  const shared = await bench.cast.refunded()
  const sameId = bench.cast.crafted(shared.refunded.event, shared.confirmed.transactionId, {
    ...shared.refunded.data,
    transaction_id: shared.confirmed.transactionId,
  })
  for (const event of [own.confirmed, own.refunded, shared.confirmed, sameId]) {
    const refusal = await notAccepted(bench, event, event.event)
    if (refusal !== undefined) return refusal
  }
  if (bench.effects === null) return noEffects('accepted')
  const wrong = await wrongEffect(bench, [
    { event: own.confirmed, credited: 'nothing', status: 'refunded', what: 'a charge that was refunded' },
    {
      event: shared.confirmed,
      credited: 'nothing',
      status: 'refunded',
      what: 'a charge that was refunded under its own transaction_id',
    },
  ])
  return wrong ?? holds('refunded')
}

export const otherKind: Trial = async (bench) => {
  const { cast } = bench
  const [before, after] = [await cast.paid(), await cast.paid()]
  const failed = async (externalId: unknown) => {
    const told = await cast.told((unit) => {
      const id = make(unit, 'cashout', {
        amount: '25.50',
        currency: 'BRL',
        key: 'ana@example.com',
        external_id: `of-${String(externalId)}`,
      })
      act(unit, 'cashout.fail', id, { error_code: 'PIX_KEY_NOT_FOUND' })
    })
    const event = first(told)
    return cast.crafted(event.event, event.transactionId, { ...event.data, external_id: externalId })
  }
  for (const event of [before, await failed(before.data.external_id), await failed(after.data.external_id), after]) {
    const refusal = await notAccepted(bench, event, event.event)
    if (refusal !== undefined) return refusal
  }
  if (bench.effects === null) return noEffects('accepted')
  const wrong = await wrongEffect(bench, [
    {
      event: before,
      credited: 'once',
      status: 'confirmed',
      what: 'a charge, after a withdrawal of the same external_id failed',
    },
    {
      event: after,
      credited: 'once',
      status: 'confirmed',
      what: 'a charge that was paid after a withdrawal of the same external_id had failed',
    },
  ])
  return wrong ?? holds('kept apart')
}
