/** The step `expect`: checks events, statuses, balances and responses, and reports what it found instead. */

import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import { formatDuration, secondMs } from '../../base/duration.js'
import { fieldAt } from '../../base/unknown.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import type { StepValue } from '../../protocol/scenario/steps.js'
import type { Condition } from '../../protocol/scenario/values.js'
import { storedJson } from '../../store/columns.js'
import type { ObjectRef } from '../../store/run-state.js'
import { attempts, events, postings } from '../../store/schema.js'
import { accountOf, requireAccount } from '../auth/account.js'
import type { Account } from '../auth/caller.js'
import { balancesOf, formatMoney } from '../ledger/ledger.js'
import { findDispute, statusOf } from '../operations/transactions.js'
import type { Unit } from '../unit/unit.js'
import { describeCondition, satisfies, satisfiesAll, valueAt } from './conditions.js'
import { findRef, refOf, requireAnyObject } from './objects.js'
import type { Run, StepOutcome } from './runs.js'

type Expected = StepValue<'expect'>

/** `final`: it can no longer become true. */
type Verdict = { isMet: true; detail: string } | { isMet: false; detail: string; final?: true }

const defaultWithinMs = 10 * secondMs

export function runExpectStep(unit: Unit, run: Run, expected: Expected): StepOutcome {
  const withinMs = expected.within ?? defaultWithinMs
  const untilMs = run.state.untilMs ?? unit.atMs + withinMs
  const verdict = checkExpectation(unit, run, expected)
  if (verdict.isMet) return { kind: 'passed', detail: verdict.detail }
  if (verdict.final === true) return { kind: 'failed', detail: verdict.detail }
  if (unit.atMs >= untilMs)
    return { kind: 'failed', detail: `not within ${formatDuration(withinMs)}: ${verdict.detail}` }
  return { kind: 'waiting', untilMs, expecting: true, detail: verdict.detail }
}

function checkExpectation(unit: Unit, run: Run, expected: Expected): Verdict {
  if (expected.event !== undefined) return checkEvent(unit, run, expected)
  if (expected.status !== undefined) return checkStatus(unit, run, expected, expected.status)
  if (expected.balance !== undefined) return checkBalance(unit, run, expected.balance)
  return checkAnswer(run, expected.answer)
}

type EventRow = typeof events.$inferSelect

function checkEvent(unit: Unit, run: Run, expected: Expected): Verdict {
  const runEvents = eventsOf(unit, run, expected)
  const namedEvents = runEvents.filter((row) => row.event === expected.event)
  const found = namedEvents.find((row) => satisfiesAll(dataOf(row), expected.where))
  const expectation = `expected ${expected.event}${expected.where === undefined ? '' : ` with ${conditionsText(expected.where)}`}`
  if (found === undefined) {
    const actual =
      namedEvents.length > 0 && expected.where !== undefined
        ? namedEvents.map((row) => valuesText(dataOf(row), expected.where ?? {}))
        : runEvents.map((row) => `${row.event} (${row.status})`)
    return { isMet: false, detail: `${expectation}, seen: ${actual.length === 0 ? 'no event' : actual.join(', ')}` }
  }
  if (expected.delivered === true && found.status !== 'delivered') {
    const why = lastOutcome(unit, found)
    const detail = `${found.event} was not delivered: ${found.status}${why === null ? '' : ` (${why})`}`
    return found.status === 'failed' ? { isMet: false, detail, final: true } : { isMet: false, detail }
  }
  if (expected.attempts !== undefined && !satisfies(found.attempts, expected.attempts))
    return {
      isMet: false,
      detail: `${found.event} was sent ${found.attempts} times, expected ${describeCondition(expected.attempts)}`,
    }
  return { isMet: true, detail: `${found.event} ${found.id}` }
}

/** Returns the events of the step's object, else of all objects of the run; if the run has none, all events since it started. */
function eventsOf(unit: Unit, run: Run, expected: Expected): EventRow[] {
  const about = expected.id === undefined && expected.object === undefined ? null : objectOf(unit, run, expected)
  const dispute = about?.kind === 'dispute' ? findDispute(unit.db, about.id) : undefined
  const ids = about === null ? run.state.objects : [dispute?.transactionId ?? about.id]
  const rows = unit.db.orm
    .select()
    .from(events)
    .where(ids.length === 0 ? gt(events.seq, run.state.afterEvent) : inArray(events.subjectId, ids))
    .orderBy(asc(events.seq))
    .limit(500)
    .all()
  return dispute === undefined ? rows : rows.filter((row) => valueAt(dataOf(row), 'infraction_id') === dispute.id)
}

const dataOf = (row: EventRow): unknown => fieldAt(storedJson(row.body), 'data')

function lastOutcome(unit: Unit, row: EventRow): string | null {
  if (row.url === null) return 'no_url: the credential has no postback_url'
  const last = unit.db.orm
    .select()
    .from(attempts)
    .where(eq(attempts.eventSeq, row.seq))
    .orderBy(sql`seq desc`)
    .limit(1)
    .get()
  return last === undefined ? null : `${last.outcome}${last.status === null ? '' : ` ${last.status}`}`
}

function objectOf(unit: Unit, run: Run, expected: Pick<Expected, 'id' | 'object'>): ObjectRef {
  if (expected.id !== undefined) return refOf(requireAnyObject(unit.db, String(expected.id)))
  const ref = expected.object === undefined ? run.state.lastObject : run.state.currentObjects[expected.object]
  if (ref === undefined || ref === null) throw new Error(`the run has no ${expected.object ?? 'object'} to check`)
  return ref
}

function checkStatus(unit: Unit, run: Run, expected: Expected, expectation: string): Verdict {
  const ref = objectOf(unit, run, expected)
  const subject = findRef(unit.db, ref)
  const status = subject === undefined ? 'gone' : statusOf(subject)
  if (status === expectation) return { isMet: true, detail: `${ref.kind} ${ref.id} is ${status}` }
  return { isMet: false, detail: `expected the ${ref.kind} ${ref.id} to be ${expectation}, it is ${status}` }
}

const balanceBuckets = ['available', 'blocked', 'pending'] as const

function checkBalance(unit: Unit, run: Run, expected: NonNullable<Expected['balance']>): Verdict {
  const account =
    expected.account === undefined ? accountOf(unit.db, run.accountSeq) : requireAccount(unit.db, expected.account)
  const currency = expected.currency
  const balance = balancesOf(unit.db, account.seq)[currency]
  const actual: string[] = []
  let isMet = true
  for (const bucket of balanceBuckets) {
    const checks = [
      { expectation: expected[bucket], amount: () => balance[bucket], label: bucket },
      {
        expectation: expected.changed?.[bucket],
        amount: () => changeOf(unit, run, account, currency, bucket),
        label: `change of ${bucket}`,
      },
    ]
    for (const { expectation, amount, label } of checks) {
      if (expectation === undefined) continue
      const text = formatMoney(amount(), currency)
      const ok = satisfies(text, expectation)
      isMet &&= ok
      actual.push(`${label} ${text}${ok ? '' : ` (expected ${describeCondition(expectation)})`}`)
    }
  }
  return { isMet, detail: `${account.username} ${currency}: ${actual.join(', ')}` }
}

/** Returns the sum of the postings to a balance since the run started, in minor units. */
function changeOf(
  unit: Unit,
  run: Run,
  account: Account,
  currency: Currency,
  pocket: (typeof balanceBuckets)[number],
): bigint {
  return unit.db.orm
    .select({ amountMinor: postings.amountMinor })
    .from(postings)
    .where(
      and(
        gt(postings.seq, run.state.afterPosting),
        eq(postings.accountSeq, account.seq),
        eq(postings.currency, currency),
        eq(postings.bucket, pocket),
      ),
    )
    .all()
    .reduce((sum, row) => sum + row.amountMinor, 0n)
}

function checkAnswer(run: Run, expected: Expected['answer']): Verdict {
  const { answer } = run.state
  const actual =
    answer === null
      ? 'no call was made'
      : answer === 'lost'
        ? 'the response was lost'
        : `the response was ${answer.status}${answer.code === null ? '' : ` ${answer.code}`}`
  const isMet =
    expected === 'lost' || answer === 'lost' || answer === null ? expected === answer : satisfiesAll(answer, expected)
  return isMet ? { isMet, detail: actual } : { isMet, detail: `another response was expected: ${actual}`, final: true }
}

const conditionsText = (where: Readonly<Record<string, Condition>>) =>
  Object.entries(where)
    .map(([field, condition]) => `${field} ${describeCondition(condition)}`)
    .join(', ')

const valuesText = (data: unknown, where: Readonly<Record<string, unknown>>) =>
  Object.keys(where)
    .map((field) => `${field} ${JSON.stringify(valueAt(data, field) ?? null)}`)
    .join(', ')
