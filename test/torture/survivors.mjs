/**
 * Changes that the simulation does not notice, and why: `{file, kind?, was, why}`, `was` a part of what was changed.
 * `sized`: how much is done at once, nothing else. `guard`: against what cannot happen as long as the rest is right.
 * `spare`: the same comes about in another way. `elsewhere`: the simulation does not look there, tests do.
 */
const sized = 'only how much is done at once changes'
const guard = 'a guard against what cannot happen as long as the rest is right'
const spare = 'the same comes about in another way'
const stream = 'elsewhere: what the stream tells is held by the tests of the stream'

export const survivors = [
  {
    file: 'ledger/exchange.ts',
    was: '15',
    why: 'elsewhere: rates are simulated with few digits; tests hold 56 pairs against rational arithmetic',
  },
  { file: 'ledger/exchange.ts', was: 'places < 0', why: 'elsewhere: rates written with an exponent are not simulated' },
  {
    file: 'ledger/exchange.ts',
    kind: 'one more',
    was: '0',
    why: 'elsewhere: rates written with an exponent are not simulated',
  },
  { file: 'ledger/ledger.ts', was: 'assertHeld(', why: guard },
  {
    file: 'ledger/ledger.ts',
    was: 'kept.available === row.available',
    why: 'elsewhere: books that do not balance are made by the tests of doctor',
  },
  { file: 'ledger/pricing.ts', was: '!parsed.ok', why: guard },
  {
    file: 'ledger/pricing.ts',
    was: "operation === 'cashin'",
    kind: 'never',
    why: 'elsewhere: the ceiling of a PIX charge lies above all limits that are simulated',
  },
  {
    file: 'ledger/pricing.ts',
    was: 'maxMinor < ceiling',
    why: 'elsewhere: the ceiling of a PIX charge lies above all limits that are simulated',
  },
  { file: 'operations/cashin.ts', was: 'split.length === 0', why: 'an empty list of splits is kept instead of none' },
  {
    file: 'operations/cashout.ts',
    was: "unit.config.cashoutSettle === 'auto'",
    kind: 'always',
    why: 'elsewhere: withdrawals that wait for somebody are not simulated',
  },
  { file: 'operations/cashout.ts', was: 'params.error_message', why: 'elsewhere: texts are not simulated' },
  {
    file: 'operations/conversion.ts',
    was: 'requirePair(request)',
    why: 'done twice for a conversion; quotes alone are not simulated',
  },
  { file: 'operations/transition.ts', was: "row.object === 'cashin'", why: guard },
  { file: 'operations/transition.ts', was: "row.object === 'dispute'", why: stream },
  { file: 'operations/transition.ts', was: '0', kind: 'one more', why: 'elsewhere: texts are not simulated' },
  { file: 'webhooks/deliveries.ts', was: '500', why: sized },
  {
    file: 'webhooks/deliveries.ts',
    was: "outcome === 'ok'",
    why: 'elsewhere: the figures of the overview are held by the tests of activity',
  },
  { file: 'webhooks/deliveries.ts', was: 'ws.closed', why: 'elsewhere: a process that ends in peace is not simulated' },
  { file: 'webhooks/deliveries.ts', was: 'unit.change(', why: stream },
  { file: 'webhooks/dispatch-state.ts', was: 'waiters.clear()', why: 'settling a promise a second time does nothing' },
  {
    file: 'webhooks/dispatcher.ts',
    was: 'kept !== null',
    why: 'elsewhere: in memory nothing has to be kept first; files are killed by the tests of kills',
  },
  { file: 'webhooks/lanes.ts', was: 'this.#quick < quickWidth', why: sized },
  { file: 'webhooks/lanes.ts', was: 'lane.running === 0', why: 'a lane is kept in memory longer than it is of use' },
  { file: 'webhooks/lanes.ts', was: 'lane.next >= 1000', why: sized },
  {
    file: 'webhooks/outbox.ts',
    was: 'treatment === null',
    kind: 'never',
    why: `${spare}: without a treatment the other branch does the same`,
  },
  {
    file: 'webhooks/window.ts',
    was: '0',
    kind: 'one more',
    why: `${spare}: one send that has left the window is forgotten with the next`,
  },
  {
    file: 'scheduler/jobs.ts',
    was: 'due_at_ms > ?',
    why: `${spare}: what is due now has been run before the walk looks further`,
  },
  { file: 'scheduler/scheduler.ts', was: 'false', kind: 'turned', why: stream },
  { file: 'scheduler/scheduler.ts', was: 'ran < batch', why: 'a look more or less at an empty queue' },
  { file: 'scheduler/scheduler.ts', was: 'deliveries.length > 0', why: 'claims none, or ends a batch early' },
  {
    file: 'scheduler/scheduler-state.ts',
    was: 'walk === null',
    kind: 'never',
    why: 'elsewhere: what others cause during a walk is not simulated',
  },
  {
    file: 'scheduler/scheduler-state.ts',
    was: "ids.sequence('jobs')",
    why: 'the numbers of a walk may hold one that no job has',
  },
  {
    file: 'scheduler/scheduler-state.ts',
    was: 'seq > before',
    why: 'the numbers of a walk may hold one that no job has',
  },
  { file: 'scheduler/walk.ts', was: 'left -= ran', why: sized },
  {
    file: 'store/unit-of-work.ts',
    was: "hoped.kind === 'refused'",
    kind: 'always',
    why: `${spare}: each unit alone, more slowly`,
  },
  {
    file: 'store/unit-of-work.ts',
    kind: 'turned',
    was: 'false',
    why: `${spare}: with savepoints from the start, more slowly`,
  },
]
