/** Faults to plant: mistakes that an engineer could make unnoticed. Each changes one place, and the simulation must find all of them. */
import { readFileSync } from 'node:fs'

const table = 'src/protocol/platform/transitions.ts'
const limits = 'src/protocol/platform/limits.ts'
const deliveries = 'src/core/delivery/deliveries.ts'
const outbox = 'src/core/webhooks/outbox.ts'
const units = 'src/store/unit-of-work.ts'

/** For each row of the table of transitions: it leads to another status of its object. */
function rowPlants() {
  const rows = readFileSync(table, 'utf8')
    .split('\n')
    .flatMap((find) => {
      const [, object, from, on, to] =
        /\{ object: '(\w+)', from(?:: '?(\w+)'?)?, on: '(\w+)', to: '(\w+)'/.exec(find) ?? []
      return object === undefined ? [] : [{ object, from: from ?? 'any', on, to, find }]
    })
  return rows.map(({ object, from, on, to, find }) => {
    const other = rows.find((row) => row.object === object && row.to !== to)?.to ?? 'pending'
    return {
      name: `row ${object} ${from} ${on} leads to ${other}`,
      file: table,
      find,
      put: find.replace(`to: '${to}'`, `to: '${other}'`),
    }
  })
}

/** `find` must occur exactly once in `file`; `put` replaces it. */
export const plants = [
  {
    name: 'a fee is not posted',
    file: table,
    find: "['available', 'fees', 'fee', 'charge_fee'], ['available', 'peer', 'split', 'split_sent', 'split_received']]",
    put: "['available', 'peer', 'split', 'split_sent', 'split_received']]",
  },
  {
    name: 'a failed withdrawal is not returned',
    file: table,
    find: "moves: [['pending', 'available', 'amount', 'withdrawal_return'], ['pending', 'available', 'fee', 'withdrawal_fee_return']]",
    put: 'moves: []',
  },
  {
    name: 'the fee of a withdrawal stays pending',
    file: table,
    find: "[['pending', 'rail', 'amount'], ['pending', 'fees', 'fee']]",
    put: "[['pending', 'rail', 'amount']]",
  },
  {
    name: 'a reversed conversion gives nothing back',
    file: table,
    find: "[['available', 'rail', 'result', 'conversion_return'], ['rail', 'available', 'net', 'conversion_return']]",
    put: "[['available', 'rail', 'result', 'conversion_return']]",
  },
  {
    name: 'a won dispute stays blocked',
    file: table,
    find: "on: 'win', to: 'won', moves: unblock",
    put: "on: 'win', to: 'won', moves: []",
  },
  {
    name: 'a lost dispute refunds nobody',
    file: table,
    find: "event: 'chargeback.lost', next: ['cashin', 'lose_dispute']",
    put: "event: 'chargeback.lost'",
  },
  {
    name: 'a transfer credits an outside account',
    file: table,
    find: "[['available', 'peer', 'amount', 'transfer_sent', 'transfer_received'], ['available', 'fees', 'fee', 'transfer_fee']]",
    put: "[['available', 'rail', 'amount', 'transfer_sent'], ['available', 'fees', 'fee', 'transfer_fee']]",
  },
  {
    name: 'an event is sent twice',
    file: outbox,
    find: "else if (deliveryFaults === null) schedule(unit, 'deliver', atMs, id)",
    put: "else if (deliveryFaults === null) { schedule(unit, 'deliver', atMs, id); schedule(unit, 'deliver', atMs, id) }",
  },
  {
    name: 'every seventh event is never sent',
    file: outbox,
    find: "else if (deliveryFaults === null) schedule(unit, 'deliver', atMs, id)",
    put: "else if (deliveryFaults === null) { if (seq % 7 !== 0) schedule(unit, 'deliver', atMs, id) }",
  },
  {
    name: 'events report the old balance as the new one',
    file: 'src/core/operations/transition.ts',
    find: 'new: available(unit, subject) })]',
    put: 'new: before })]',
  },
  {
    name: 'a delivered event is sent again',
    file: deliveries,
    find: '  removeJob(unit.db, job.seq)\n  if (isManual(job))',
    put: '  postpone(unit, job.seq, unit.atMs + 1000, job.payload)\n  if (isManual(job))',
  },
  {
    name: 'five attempts instead of six',
    file: deliveries,
    find: 'if (delayMs === undefined) removeJob',
    put: 'if (delayMs === undefined || used >= 5) removeJob',
  },
  {
    name: 'a retry delay is a second longer',
    file: limits,
    find: '[1, 5, 30, 120, 600]',
    put: '[1, 5, 30, 121, 600]',
  },
  { name: 'the rate window allows one webhook too many', file: limits, find: 'sends: 100,', put: 'sends: 101,' },
  {
    name: 'the rate window is a second short',
    file: limits,
    find: 'spanMs: minuteMs, deferMs',
    put: 'spanMs: minuteMs - secondMs, deferMs',
  },
  {
    name: 'a kill loses a job in flight',
    file: 'src/core/jobs/jobs.ts',
    find: "runner('update jobs set claimed = 0 where claimed = 1')",
    put: "runner('update jobs set claimed = 0 where claimed = 2')",
  },
  {
    name: 'a nonce is accepted twice',
    file: 'src/core/auth/verify-signature.ts',
    find: '(loadNonces(unit).get(nonceKey(credentialSeq, nonce)) ?? 0) > unit.wallMs',
    put: '(loadNonces(unit).get(nonceKey(credentialSeq, nonce)) ?? 0) < 0',
  },
  {
    name: 'a restart loses nonces',
    file: 'src/core/auth/verify-signature.ts',
    find: '  append(db, { credentialSeq, nonce: nonce.toLowerCase(), expiresWallMs })\n',
    put: '  void [append, db]\n',
  },
  {
    name: 'old timestamps are accepted for a second longer',
    file: limits,
    find: 'export const signatureWindowMs = 5 * minuteMs',
    put: 'export const signatureWindowMs = 5 * minuteMs + secondMs',
  },
  {
    name: 'tokens live a second longer',
    file: limits,
    find: 'export const tokenLifeMs = 3600 * secondMs',
    put: 'export const tokenLifeMs = 3601 * secondMs',
  },
  {
    name: 'charges expire a second late',
    file: limits,
    find: 'export const pixChargeLifeMs = hourMs',
    put: 'export const pixChargeLifeMs = hourMs + secondMs',
  },
  {
    name: 'addresses expire a second late',
    file: limits,
    find: 'export const cryptoAddressLifeMs = 30 * minuteMs',
    put: 'export const cryptoAddressLifeMs = 30 * minuteMs + secondMs',
  },
  {
    name: 'withdrawals settle a millisecond late',
    file: limits,
    find: 'export const cashoutSettleMs = 2 * secondMs',
    put: 'export const cashoutSettleMs = 2 * secondMs + 1',
  },
  {
    name: 'disputes run a second longer',
    file: limits,
    find: 'export const disputeWindowMs = 7 * dayMs',
    put: 'export const disputeWindowMs = 7 * dayMs + secondMs',
  },
  {
    name: 'fees are rounded down',
    file: 'src/base/money.ts',
    find: '(minor * partsPerMillion + roundingPpm) / 1_000_000n',
    put: '(minor * partsPerMillion) / 1_000_000n',
  },
  {
    name: 'conversions are rounded up',
    file: 'src/core/operations/conversion.ts',
    find: '(minor * digits * 10n ** BigInt(currencies[to].scale)) / 10n ** BigInt(places + currencies[from].scale)',
    put: '(minor * digits * 10n ** BigInt(currencies[to].scale) + 10n ** BigInt(places + currencies[from].scale) - 1n) / 10n ** BigInt(places + currencies[from].scale)',
  },
  {
    name: 'a withdrawal does not require money for its fee',
    file: 'src/core/operations/cashout.ts',
    find: 'requireAvailable(unit, account.seq, currency, amountMinor + feeMinor)',
    put: 'requireAvailable(unit, account.seq, currency, amountMinor)',
  },
  {
    name: 'a lost dispute refunds all of the charge',
    file: 'src/core/operations/dispute.ts',
    find: 'refundEffect(unit, charge, dispute.amountMinor, reason)',
    put: 'refundEffect(unit, charge, charge.amountMinor, reason)',
  },
  {
    name: 'a repeated call takes effect again',
    file: 'src/core/operations/transition.ts',
    find: '  return original as TransactionOf<Type>\n}',
    put: '  return void original\n}',
  },
  {
    name: 'a group that is rolled back leaves its changes in memory',
    file: units,
    find: 'for (const scope of scopes.reverse()) scope.undoFrom(0)',
    put: 'void scopes.reverse()',
  },
  {
    name: 'cached rows survive a rollback',
    file: units,
    find: 'scope.undoFrom(0)\n    clearRowCache(db)',
    put: 'scope.undoFrom(0)',
  },
  {
    name: 'a restore leaves the clock where it is',
    file: 'src/core/snapshots/images.ts',
    find: 'if (resumed !== undefined) clock.restore(resumed)',
    put: 'void resumed',
  },
  {
    name: 'webhooks have business time in their timestamp',
    file: 'src/core/delivery/deliveries.ts',
    find: 'Math.floor(ws.clock.wall() / 1000)',
    put: 'Math.floor(ws.clock.now() / 1000)',
  },
  ...rowPlants(),
]
