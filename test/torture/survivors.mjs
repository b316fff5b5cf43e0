/**
 * Changes that make no difference that anybody could notice, and why: `{file, kind?, was, why}`, `was` a part of what was changed.
 * The report holds those that were come across.
 */
const sized = 'only how much is done at once changes'
const paused = 'a pause of the runtime’s own is a millisecond longer'
const spare = 'the same comes about in another way'
const numbers = 'the numbers of a walk may hold one that no job has'
const always = 'what is thrown there is always an Error'
const often = 'it is only tried again more often'
const settled = 'settling a promise a second time does nothing'
const kept = 'a lane is kept in memory longer than it is of use'
const flushed = 'another flush finds nothing left to write down'

export const survivors = [
  { file: 'operations/cashin.ts', was: 'split.length === 0', why: 'an empty list of splits is kept instead of none' },
  ...['cashin', 'cashout', 'conversion', 'transfer', 'wallet'].map((name) => ({
    file: `operations/${name}.ts`,
    kind: 'without its default',
    was: '?? null',
    why: 'what is undefined is stored as null',
  })),
  {
    file: 'operations/idempotency.ts',
    kind: 'never',
    was: 'externalId === null',
    why: `${spare}: none is found under none`,
  },
  { file: 'operations/split.ts', kind: 'never', was: 'split.length === 0', why: `${spare}: no parts leave the whole` },
  { file: 'operations/split.ts', kind: 'never', was: 'account === undefined', why: 'an account that was there stays' },
  { file: 'ledger/pricing.ts', kind: '< → <=', was: 'used < limits.dailyMinor', why: `${spare}: nothing is left` },
  { file: 'operations/transition.ts', was: 'effect.event === undefined', why: 'a balance that no event tells' },
  { file: 'ledger/ledger.ts', kind: '> → >=', was: 'difference > 0n', why: 'a posting of nothing leaves no row' },
  { file: 'ledger/ledger.ts', kind: '< → <=', was: 'difference < 0n', why: 'less than nothing is nothing' },
  { file: 'ledger/ledger.ts', kind: 'never', was: 'moved.length === 0', why: 'an entry of nothing leaves no row' },
  { file: 'ledger/exchange.ts', kind: '< → <=', was: 'places < 0', why: `${spare}: times ten to the power of nothing` },
  { file: 'scheduler/jobs.ts', was: 'earliestOf(db, ref, kind)[0]', why: 'the least of none is a row too' },
  { file: 'ledger/exchange.ts', kind: 'one more', was: '0', why: `${spare}: times ten to the power of nothing` },
  { file: 'scheduler/jobs.ts', kind: 'min( → max(', was: 'where ref = ? and kind = ?', why: 'a run has one job' },
  { file: 'scheduler/scheduler.ts', kind: 'never', was: 'isUnavailable(error)', why: `${spare}: the unit is refused` },
  { file: 'scheduler/scheduler.ts', kind: 'always', was: 'error instanceof Error', why: always },
  { file: 'webhooks/deliveries.ts', kind: 'always', was: 'error instanceof Error', why: always },
  { file: 'scheduler/scheduler.ts', kind: 'never', was: 'ws.closed', why: 'nobody hears a workspace that is closed' },
  {
    file: 'scheduler/scheduler.ts',
    kind: 'never',
    was: '!(error instanceof ApiError)',
    why: 'a refusal is all there is',
  },
  { file: 'scheduler/scheduler.ts', kind: 'never', was: 'scheduler.retrying', why: often },
  { file: 'scheduler/scheduler.ts', kind: 'left out', was: 'scheduler.retrying = true', why: often },
  { file: 'scheduler/scheduler.ts', kind: 'turned', was: 'true', why: often },
  { file: 'webhooks/deliveries.ts', kind: 'left out', was: 'recordings.planned = true', why: flushed },
  { file: 'webhooks/deliveries.ts', kind: 'turned', was: 'true', why: flushed },
  { file: 'webhooks/deliveries.ts', kind: 'never', was: 'recordings.planned', why: flushed },
  {
    file: 'webhooks/deliveries.ts',
    kind: '=== → !==',
    was: 'dispatch.inHand.size',
    why: 'it is written down 20 ms sooner or later',
  },
  { file: 'webhooks/deliveries.ts', kind: 'never', was: 'ws.closed', why: 'a closed workspace takes no unit' },
  { file: 'webhooks/dispatch-state.ts', kind: 'left out', was: 'waiters.delete(waiter)', why: settled },
  { file: 'webhooks/lanes.ts', kind: 'left out', was: 'this.#lanes.delete', why: kept },
  { file: 'webhooks/lanes.ts', kind: 'left out', was: 'this.#held.delete(lane)', why: 'a lane is looked at once more' },
  { file: 'webhooks/lanes.ts', kind: 'one more', was: '0', why: sized },
  { file: 'store/unit-of-work.ts', kind: 'turned', was: 'true', why: `${spare}: each unit alone` },
  { file: 'store/unit-of-work.ts', was: 'error instanceof Error', why: always },
  { file: 'webhooks/deliveries.ts', kind: 'one more', was: '500', why: sized },
  { file: 'webhooks/deliveries.ts', kind: 'one more', was: '1000', why: paused },
  { file: 'webhooks/deliveries.ts', kind: 'one more', was: '20', why: paused },
  { file: 'webhooks/deliveries.ts', was: 'most - taken.length', why: sized },
  { file: 'webhooks/deliveries.ts', kind: 'always', was: 'ws.config.rateLimits || isAlone', why: sized },
  { file: 'webhooks/deliveries.ts', kind: '&& → ||', was: 'error instanceof ApiError', why: 'the only code there is' },
  { file: 'webhooks/dispatch-state.ts', was: 'waiters.clear()', why: settled },
  { file: 'webhooks/dispatcher.ts', kind: 'always', was: 'kept !== null', why: `${spare}: nothing is waited for` },
  { file: 'webhooks/lanes.ts', kind: 'one more', was: '16', why: sized },
  { file: 'webhooks/lanes.ts', kind: 'one more', was: '256', why: sized },
  { file: 'webhooks/lanes.ts', was: 'this.#quick < quickWidth', why: sized },
  { file: 'webhooks/lanes.ts', kind: '< → <=', was: 'lane.running < laneWidth', why: sized },
  { file: 'webhooks/lanes.ts', was: 'lane.running === 0', why: kept },
  { file: 'webhooks/lanes.ts', was: 'lane.next >= 1000', why: sized },
  { file: 'webhooks/outbox.ts', kind: 'never', was: 'treatment === null', why: `${spare}: by the other branch` },
  {
    file: 'webhooks/window.ts',
    kind: '> ? → >= ?',
    was: 'at_ms > ?',
    why: `${spare}: too old a send is left out later`,
  },
  { file: 'webhooks/window.ts', kind: 'one more', was: '0', why: `${spare}: one send is forgotten with the next` },
  { file: 'scheduler/jobs.ts', was: 'due_at_ms > ?', why: `${spare}: what is due now has been run before` },
  { file: 'scheduler/scheduler.ts', kind: 'one more', was: '256', why: sized },
  { file: 'scheduler/scheduler.ts', kind: 'one more', was: '2000', why: sized },
  { file: 'scheduler/scheduler.ts', kind: 'one more', was: '1000', why: paused },
  { file: 'scheduler/scheduler.ts', was: 'inHand.size < bodiesInHand', why: `${spare}: a body is read later` },
  { file: 'scheduler/scheduler.ts', was: 'ran < batch', why: 'a look more or less at an empty queue' },
  { file: 'scheduler/scheduler.ts', was: 'deliveries.length > 0', why: 'claims none, or ends a batch early' },
  { file: 'scheduler/scheduler-state.ts', was: "ids.sequence('jobs')", why: numbers },
  { file: 'scheduler/scheduler-state.ts', was: 'seq > before', why: numbers },
  {
    file: 'scheduler/scheduler-state.ts',
    kind: '>= → >',
    was: 'dueAtMs >= armedMs',
    why: 'armed twice for one moment',
  },
  { file: 'scheduler/walk.ts', was: 'left -= ran', why: sized },
  { file: 'scheduler/walk.ts', kind: 'always', was: 'sends', why: sized },
  { file: 'store/unit-of-work.ts', kind: 'always', was: "hoped.kind === 'refused'", why: `${spare}: each unit alone` },
  { file: 'store/unit-of-work.ts', kind: 'turned', was: 'false', why: `${spare}: with savepoints from the start` },
  {
    file: 'store/unit-of-work.ts',
    kind: 'never',
    was: 'this.#withSavepoints ? 0',
    why: `${spare}: counted for nothing`,
  },
]
