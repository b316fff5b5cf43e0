/**
 * Runs one step of a run, with a function for each row of the table of steps. `create` uses the code of the API,
 * subject to its own faults; `expect` checks events, statuses, balances and responses, and reports what it found
 * instead.
 */

import { formatDuration, secondMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import { tableOf } from '../../base/keys.js'
import { fieldAt } from '../../base/unknown.js'
import { type ActionName, actionNames } from '../../protocol/actions/actions.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import { endpoints } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { transitions } from '../../protocol/platform/transitions.js'
import { stepKey } from '../../protocol/scenario/file.js'
import type { FaultName, StepName, StepValue } from '../../protocol/scenario/steps.js'
import { type Condition, type Creatable, creatableKinds } from '../../protocol/scenario/values.js'
import { type ObjectRef, type RunAnswer, storedJson } from '../../store/columns.js'
import { reader } from '../../store/db.js'
import { finder, selector } from '../../store/rows.js'
import { attempts, events } from '../../store/schema.js'
import { requireAccount } from '../auth/account.js'
import { type Account, accountOf } from '../auth/authenticate.js'
import { createObject, triggerOnNewObject } from '../endpoints/create-object.js'
import { balancesOf } from '../ledger/ledger.js'
import { formatMoney } from '../ledger/pricing.js'
import { findDispute } from '../operations/transactions.js'
import { statusOf } from '../operations/transition.js'
import { type TriggerResult, trigger } from '../operations/trigger.js'
import type { Unit } from '../unit/unit.js'
import { setDeliveryFaults, withDeliveryFaults } from '../webhooks/faults.js'
import {
  describeCondition,
  parseStepValue,
  replaceReferences,
  satisfies,
  satisfiesAll,
  setFault,
  valueAt,
} from './references.js'
import {
  addRunObject,
  creationDetail,
  findRef,
  isRepeated,
  namedValue,
  type Run,
  refOf,
  requireAnyObject,
  type StepOutcome,
  targetOf,
} from './runs.js'

type Runner<Name extends StepName> = (unit: Unit, run: Run, value: StepValue<Name>) => StepOutcome

const passed = (detail: string | null): StepOutcome => ({ kind: 'passed', detail })

const action =
  (name: ActionName): Runner<ActionName> =>
  (unit, run, { id, as, create, fields = {}, ...params }) => {
    const target = create === true ? undefined : targetOf(unit, run, name, id === undefined ? undefined : String(id))
    const act =
      create === true
        ? () => triggerOnNewObject(unit, name, fields, params, accountOf(unit.db, run.accountSeq))
        : () => trigger(unit, name, target, params)
    let triggered: TriggerResult
    try {
      triggered = unit.attempt(() => withDeliveryFaults(unit, run.state.deliveryFaults, act))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return target !== undefined && isRepeated(unit.db, run, target) && hasHappened(error)
        ? { kind: 'skipped', detail: 'happened before the repeated call' }
        : rejectedOutcome(run, error)
    }
    addRunObject(unit, run, refOf(triggered.subject), as)
    const eventNames = triggered.events.map((one) => one.event)
    return passed(`${refOf(triggered.subject).id}${eventNames.length === 0 ? '' : `: ${eventNames.join(', ')}`}`)
  }

/** Returns whether the object already has the status to which the rejected action leads. */
const hasHappened = ({ code, details }: ApiError): boolean =>
  code === 'INVALID_TRANSITION' &&
  transitions.some(({ object, on, to }) => `${object}.${on}` === details.action && to === details.from)

const actions = tableOf(actionNames, action)

const fault =
  <Name extends FaultName>(name: Name): Runner<Name> =>
  (_unit, run, value) => {
    setFault(run.state.faults, name, value, run.scenario)
    return passed('for the next create')
  }

/** A step without a runner is a type error. */
const runners: { readonly [Name in StepName]: Runner<Name> } = {
  ...actions,
  create: runCreateStep,
  expect: runExpectStep,
  respond: fault('respond'),
  latency: fault('latency'),
  disconnect: fault('disconnect'),
  wait(unit, run, ms) {
    const untilMs = run.state.untilMs ?? unit.atMs + ms
    if (unit.atMs >= untilMs) return passed(null)
    return { kind: 'waiting', untilMs, expecting: false, detail: `until ${isoUtc(untilMs)}` }
  },
  /** Applies to the present objects of the run and to later ones. */
  webhooks(unit, run, deliveryFaults) {
    const { state } = run
    const isUsual = Object.keys(deliveryFaults).length === 0
    state.deliveryFaults = isUsual ? null : { ...deliveryFaults, scenario: run.scenario }
    for (const id of state.objects) setDeliveryFaults(unit, id, state.deliveryFaults)
    return passed(state.deliveryFaults === null ? 'as documented again' : null)
  },
}

/** Throws `ApiError` if an action or `create` is rejected, `Error` for an invalid value. */
export function performStep<Name extends StepName>(unit: Unit, run: Run, name: Name, raw: unknown): StepOutcome {
  const runner: Runner<Name> = runners[name]
  return runner(
    unit,
    run,
    parseStepValue(
      name,
      replaceReferences(raw, (reference) => namedValue(unit, run, reference)),
    ),
  )
}

type Options = StepValue<'create'>

function runCreateStep(unit: Unit, run: Run, options: Options): StepOutcome {
  const { state } = run
  const kind = creatableKinds.find((one) => options[one] !== undefined)
  if (kind === undefined) throw new Error('create must name the object to create')
  if (state.untilMs !== null) return afterLatency(unit, state.untilMs)
  if (state.kind === kind) return skip(unit, run, kind, options.as)
  const { respond, disconnect, latencyMs } = state.faults
  state.faults = {}
  if (respond !== undefined) {
    const { status, code } = respond
    return answeredOutcome(run, options.as, { status, code }, `responded with ${status} ${code}, not executed`)
  }
  if (disconnect === 'before')
    return answeredOutcome(run, options.as, 'lost', 'the connection was closed, not executed')
  let ref: ObjectRef
  try {
    ref = unit.attempt(() =>
      withDeliveryFaults(unit, state.deliveryFaults, () => createForRun(unit, run, kind, options)),
    )
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (options.as !== undefined) state.names[options.as] ??= null
    return rejectedOutcome(run, error)
  }
  addRunObject(unit, run, ref, options.as)
  state.answer = disconnect === 'after' ? 'lost' : { status: endpoints[kind].status, code: null }
  if (latencyMs !== undefined && latencyMs > 0)
    return { kind: 'waiting', untilMs: unit.atMs + latencyMs, expecting: false, detail: `${ref.id}, response delayed` }
  return { kind: 'passed', detail: disconnect === 'after' ? `${ref.id}, response dropped` : ref.id }
}

function afterLatency(unit: Unit, untilMs: number): StepOutcome {
  if (unit.atMs >= untilMs) return { kind: 'passed', detail: 'response delayed' }
  return { kind: 'waiting', untilMs, expecting: false, detail: 'response delayed' }
}

function skip(unit: Unit, run: Run, kind: Creatable, as: string | undefined): StepOutcome {
  const ref = run.state.currentObjects[kind] ?? null
  if (as !== undefined) run.state.names[as] = ref
  return { kind: 'skipped', detail: ref === null ? creationDetail(unit.db, run, ref) : `the run uses ${ref.id}` }
}

function answeredOutcome(run: Run, as: string | undefined, answer: RunAnswer, detail: string): StepOutcome {
  run.state.answer = answer
  if (as !== undefined) run.state.names[as] ??= null
  return { kind: 'passed', detail }
}

/** An error of the API or the state table fails the run, unless the next step expects it. */
function rejectedOutcome(run: Run, error: ApiError): StepOutcome {
  const next = run.steps[run.state.currentStep + 1]
  const value = next === undefined || stepKey(next) !== 'expect' ? undefined : (next.expect as { answer?: unknown })
  const detail = `rejected: ${error.status} ${error.code}: ${error.message} ${JSON.stringify(error.details)}`
  run.state.answer = { status: error.status, code: error.code }
  return { kind: value?.answer === undefined ? 'failed' : 'passed', detail }
}

function createForRun(unit: Unit, run: Run, kind: Creatable, options: Options): ObjectRef {
  const account =
    options.account === undefined ? accountOf(unit.db, run.accountSeq) : requireAccount(unit.db, options.account)
  return createObject(unit, account, kind, options[kind] ?? {}, () => `${run.id}-${run.state.currentStep}`)
}

type Expected = StepValue<'expect'>

/** `final`: it can no longer become true. */
type Verdict = { isMet: true; detail: string } | { isMet: false; detail: string; final?: true }

const defaultWithinMs = 10 * secondMs

function runExpectStep(unit: Unit, run: Run, expected: Expected): StepOutcome {
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

const laterEvents = selector(events, 'where seq > ? order by seq limit 500')
const eventsAbout = selector(events, 'where subject_id in (select value from json_each(?)) order by seq limit 500')
const lastAttempt = finder(attempts, 'where event_seq = ? order by seq desc')
const postedSince = reader<{ minor: number | null }>(
  'select sum(amount_minor) as minor from postings where seq > ? and account_seq = ? and currency = ? and bucket = ?',
)

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
  const rows = ids.length === 0 ? laterEvents(unit.db, run.state.afterEvent) : eventsAbout(unit.db, JSON.stringify(ids))
  return dispute === undefined ? rows : rows.filter((row) => valueAt(dataOf(row), 'infraction_id') === dispute.id)
}

const dataOf = (row: EventRow): unknown => fieldAt(storedJson(row.body), 'data')

function lastOutcome(unit: Unit, row: EventRow): string | null {
  if (row.url === null) return 'no_url: the credential has no postback_url'
  const last = lastAttempt(unit.db, row.seq)
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
  const [sum] = postedSince(unit.db, run.state.afterPosting, account.seq, currency, pocket)
  return BigInt(sum?.minor ?? 0)
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
