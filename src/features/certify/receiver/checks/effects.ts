/** Checks what the receiver credits for each currency and kind of transaction. */

import { transitions } from '../../../../inside/platform.js'
import { fail, inconclusive, skipped } from '../../report/rules.js'
import {
  type Check,
  creditedOnce,
  describeState,
  type ExpectedState,
  Found,
  isMultiple,
  notAppliedAfterFailure,
  sentOnce,
  twiceFix,
  withoutStateUrl,
} from '../check-context.js'
import { partsOf, type TransactionState } from '../state-reader.js'
import {
  confirmedPayout,
  conversion,
  crypto,
  deposited,
  externalId,
  failWithdrawal,
  paid,
  performAction,
  receiveTransfer,
  requireEvent,
  sendTransfer,
  type TestEvent,
  type Work,
} from '../test-events.js'
import { disputeRepeated, sendOutOfOrder, threeTimes } from './reversals.js'

export const applied: Check = async (context) => {
  const event = await context.deliverCharge()
  if (context.stateReader === null) return withoutStateUrl('accepted')
  const effect = await context.stateReader.waitFor(event.transactionId, ({ creditedParts }) => creditedParts > 0n)
  context.hasCredited = effect.creditedParts > 0n
  if (context.hasCredited) return describeState(effect)
  const lost = fail(`a paid charge: ${describeState(effect)}`)
  if (await context.waitForEarlierEvents()) return lost
  const [failed] = await context.testEvents.captureEvents(failWithdrawal)
  const isOfWithdrawals =
    !isKnown(effect) &&
    (await context.sender.deliver(requireEvent(failed))).accepted &&
    isKnown(await context.stateReader.waitFor(requireEvent(failed).transactionId, isKnown))
  return isOfWithdrawals
    ? { ...inconclusive('the state URL reports withdrawals, but nothing about charges'), blocks: true }
    : lost
}

const named =
  (fields: Record<string, unknown>): Work =>
  (unit) =>
    paid({ ...fields, external_id: externalId(unit) })(unit)

/** Sends the event of each transaction that brings money, then reads what was credited. */
const checkCredits =
  (
    what: string,
    works: readonly Work[],
    fixes: Pick<ExpectedState, 'fix' | 'missingFix'> = {},
    isRepeated = false,
  ): Check =>
  async (context) => {
    const events: TestEvent[] = []
    for (const work of works) {
      const captured = await context.testEvents.captureEvents(work)
      const event = captured.find(({ data }) => data.amount !== undefined)
      if (event === undefined) throw new Error('the transaction emitted no event')
      for (const copy of isRepeated ? threeTimes(event) : [event]) await context.deliver(copy, what)
      events.push(event)
    }
    await context.expectStates(
      events.map((event) => {
        const { amount, currency } = event.data
        return { ...(isRepeated ? creditedOnce : sentOnce)(event, `${what} of ${amount} ${currency}`), ...fixes }
      }),
    )
    return `${events.length} credited exactly`
  }

export const rails = checkCredits(
  'a charge',
  [
    named({ amount: '150.35', currency: 'MXN' }),
    // At least one unit, so that cut decimals do not look like a missing credit.
    ...crypto.map(([currency, chain, amount]) => named({ currency, chain, amount: amount.replace(/^0/, '1') })),
  ],
  {
    missingFix:
      'Credit cashin.confirmed in every currency that you accept; do not compare currency with BRL only. Use transaction_id as the key: only PIX has e2e_id.',
    fix: 'Keep every decimal of the amount: cryptocurrencies have up to nine. Use a decimal type, or whole numbers of the smallest unit of each currency.',
  },
)
export const unnamed = checkCredits('a charge without external_id', [paid({ amount: '12.35', currency: 'BRL' })])
export const deposits = checkCredits('a deposit to a fixed wallet', [
  deposited({ currency: 'BRL' }, '7.77'),
  deposited({ currency: 'MXN' }, '70.15'),
  deposited({ currency: 'USDT', chain: 'tron' }, '7.79'),
])
/** The state URL may report charges only, so a transaction of another kind that it does not know decides nothing. */
interface OtherCase {
  what: string
  work: Work
  /** The statuses that are right. */
  statuses: readonly string[]
  /** The amounts that are right, the documented one first, read from the events; what left the account may be negative. */
  right(events: readonly TestEvent[]): readonly unknown[]
  /** A state URL that reports others of its kind must report it too. If one such amount came back, all must. */
  isReturn?: true
  fix?: string
  /** The last event is sent first. */
  isReversed?: boolean
}

const finalStatuses = transitions
  .map((row): string => row.to)
  .filter((status) => status !== 'pending' && status !== 'open')
const negative = (amount: unknown) => `-${String(amount)}`

const checkOthers =
  (kind: string, cases: readonly OtherCase[], isRepeated = false): Check =>
  async (context) => {
    const { stateReader } = context
    if (stateReader === null) return withoutStateUrl('not tested')
    const sent: (OtherCase & { events: readonly TestEvent[] })[] = []
    for (const one of cases) {
      const events = await context.testEvents.captureEvents(one.work)
      const copies = isRepeated ? threeTimes(requireEvent(events.at(-1))).slice(1) : []
      if (one.isReversed === true) await sendOutOfOrder(context, events.toReversed())
      else await context.deliverAll([...events, ...copies])
      sent.push({ ...one, what: isRepeated ? `${one.what} whose last event arrived three times` : one.what, events })
    }
    await context.waitForEarlierEvents()
    const stateAfter = (events: readonly TestEvent[], isWanted: (state: TransactionState) => boolean) =>
      stateReader.waitFor(requireEvent(events[0]).transactionId, isWanted)
    const states = await Promise.all(
      sent.map(async ({ events, isReturn }) => ({ ...(await stateAfter(events, () => true)), isReturn })),
    )
    if (!states.some(isKnown))
      return skipped(`requires a state URL that reports ${kind}; yours reports nothing about them`)
    const isReporting = states.some(({ status, creditedParts }) => status !== null || creditedParts > 0n)
    const isReturning = states.some(({ isReturn, creditedParts }) => isReturn === true && creditedParts > 0n)
    for (const { what, events, right, statuses, isReturn = false, fix } of sent) {
      const amounts = right(events).map(String)
      const isRight = (effect: TransactionState) =>
        amounts.some((amount) => partsOf(amount) === effect.creditedParts) &&
        !(isReturn && (isReturning ? effect.creditedParts === 0n : isReporting && !isReported(effect))) &&
        // The status is optional in a state, and may be a word of the application: then the amount decides.
        (!isWord(effect) || statuses.includes(effect.status ?? '') || (effect.status === 'pending' && isKnown(effect)))
      const effect = await stateAfter(events, isRight)
      if (isRight(effect)) continue
      if (context.sender.hasRecovered(events)) throw new Found(notAppliedAfterFailure(what))
      const isWrongWord = isWord(effect) && !statuses.includes(effect.status ?? '')
      const status = isWrongWord ? `, status ${statuses.join(' or ')}` : ''
      const observed = `${what}: ${describeState(effect)} instead of credited ${amounts[0]}${status}`
      const isTwice = !isRepeated && amounts.some((amount) => isMultiple(effect.creditedParts, partsOf(amount) ?? 0n))
      throw new Found(fail(observed, undefined, isTwice ? twiceFix : fix))
    }
    return sent.map(({ what }) => what).join(', ')
  }

const isWord = (effect: TransactionState) => isFinal(effect) || effect.status === 'pending'
const isFinal = ({ status }: TransactionState) => status !== null && finalStatuses.includes(status)
const isKnown = (effect: TransactionState) => effect.creditedParts !== 0n || isFinal(effect)
const isReported = ({ status, creditedParts }: TransactionState) => status !== null || creditedParts !== 0n

const transferCases: readonly OtherCase[] = [
  {
    what: 'a received transfer',
    work: receiveTransfer,
    statuses: ['confirmed', 'completed'],
    right: ([event]) => [event?.data.amount],
  },
  {
    what: 'a sent transfer',
    work: sendTransfer,
    // An application that ignores it may tell any status; only money tells a mistake.
    statuses: [...finalStatuses, 'pending'],
    right: ([event]) => [0, negative(event?.data.amount)],
  },
]

/** Of a withdrawal of 10.00. */
const returned = { part: '4.00', rest: '6.00' } as const

const withdrawalCases: readonly OtherCase[] = [
  {
    what: 'a confirmed withdrawal',
    work: confirmedPayout,
    statuses: ['confirmed', 'completed'],
    right: ([event]) => [0, negative(event?.data.amount), negative(sumOf(event?.data.amount, event?.data.fee))],
  },
  {
    what: 'a failed withdrawal',
    work: failWithdrawal,
    isReturn: true,
    statuses: ['failed'],
    right: ([event]) => [event?.data.refunded_amount, 0],
  },
  {
    what: 'a refunded withdrawal',
    work: (unit) => performAction(unit, 'cashout.refund', confirmedPayout(unit)),
    isReturn: true,
    statuses: ['refunded'],
    right: ([event, refunded]) => [refunded?.data.amount_refunded, 0, negative(event?.data.fee), event?.data.amount],
  },
  {
    what: 'a withdrawal of which a part was refunded',
    work: (unit) => performAction(unit, 'cashout.refund', confirmedPayout(unit), { amount: returned.part }),
    isReturn: true,
    statuses: ['confirmed', 'refunded'],
    right: ([event]) => [returned.part, 0, negative(returned.rest), negative(sumOf(returned.rest, event?.data.fee))],
    fix: 'At cashout.refunded, give amount_refunded back. amount is the amount of the withdrawal.',
  },
]

/** Only the state after both events tells the order, so the copies of an event are not sent this way. */
const lateConfirmation: readonly OtherCase[] = withdrawalCases
  .filter(({ statuses }) => statuses.includes('refunded'))
  .map((one) => ({
    ...one,
    what: `${one.what} whose confirmation arrived last`,
    isReversed: true,
    fix: 'Let the status only move forward: keep refunded, and what came back, when cashout.confirmed arrives late.',
  }))

/** Both are amounts in BRL, with two decimals. */
const sumOf = (one: unknown, other: unknown) => ((Number(one) * 100 + Number(other) * 100) / 100).toFixed(2)

const conversionCases: readonly OtherCase[] = [
  {
    what: 'a conversion',
    work: (unit) => conversion(unit, 'BRL', 'USDT'),
    statuses: ['completed', 'confirmed'],
    right: ([event]) => [event?.data.amount_to, negative(event?.data.amount_from)],
  },
  {
    what: 'a refunded conversion',
    work: (unit) => performAction(unit, 'conversion.refund', conversion(unit, 'BRL', 'USDT')),
    statuses: ['refunded'],
    right: () => [0],
  },
]

export const transfers = checkOthers('internal transfers', transferCases)
export const withdrawals = checkOthers('withdrawals', [...withdrawalCases, ...lateConfirmation])
export const conversions = checkOthers('conversions', conversionCases)

const repeatedChecks: readonly Check[] = [
  checkCredits(
    'a deposit to a fixed wallet that arrived three times',
    [deposited({ currency: 'BRL' }, '7.77')],
    {},
    true,
  ),
  disputeRepeated,
  checkOthers('withdrawals', withdrawalCases, true),
  checkOthers('internal transfers', transferCases, true),
  checkOthers('conversions', conversionCases, true),
]

/** Each throws what it finds. Kinds that the state URL does not report are left out. */
export const repeated: Check = async (context) => {
  for (const check of repeatedChecks) await check(context)
  return 'each applied once'
}
