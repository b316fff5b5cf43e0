/**
 * Double-entry bookkeeping, and the only writer of balances. Every entry sums to zero; every balance is the sum of its
 * postings (assumptions.md decision 12). The audit recomputes this in parts, so that calls run in between.
 */

import { hourMs } from '../../base/duration.js'
import { amountNumber, maxAmountDigits, maxAmountMinor } from '../../base/money.js'
import type { Measure } from '../../protocol/control/figures.js'
import { byCurrency, type Currency, currencies } from '../../protocol/platform/currencies.js'
import type { EntryType } from '../../protocol/platform/entry-types.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { type Db, lastSeqReader, reader, runner } from '../../store/db.js'
import { appender, finder, selector, upserter } from '../../store/rows.js'
import { accounts, balances, postings } from '../../store/schema.js'
import { cacheRow, getOrCacheRow } from '../../store/unit-of-work.js'
import type { Unit, Workspace } from '../unit/unit.js'

// Money in and out, and results of webhooks: totals by hour of the sandbox's clock.

const add = runner(`insert into activity (hour_ms, measure, currency, sum_minor, count) values (?, ?, ?, ?, 1)
  on conflict (hour_ms, measure, currency) do update set sum_minor = sum_minor + excluded.sum_minor, count = count + 1`)

const startOf = (atMs: number, spanMs: number) => atMs - (atMs % spanMs)

export const countMoney = (unit: Unit, measure: 'in' | 'out', currency: Currency, minor: bigint): void =>
  add(unit.db, startOf(unit.atMs, hourMs), measure, currency, minor)

export const countAttempt = (unit: Unit, measure: 'delivered' | 'failed'): void =>
  add(unit.db, startOf(unit.atMs, hourMs), measure, '', 0n)

interface Sum {
  atMs: number
  measure: Measure
  currency: Currency | ''
  /** Text, because a sum can exceed the exact range of a number. */
  minor: string
  count: number
}

const sums =
  reader<Sum>(`select hour_ms - hour_ms % ? as atMs, measure, currency, cast(sum(sum_minor) as text) as minor,
  sum(count) as count from activity where hour_ms >= ? and hour_ms < ? group by 1, 2, 3 order by 1, 3`)

export interface Span {
  atMs: number
  sums: readonly Sum[]
}

/** Returns the last `count` time spans of `spanMs` (whole hours) each, including empty ones. The last one contains `nowMs`. */
export function activityUntil(db: Db, nowMs: number, spanMs: number, count: number): Span[] {
  const lastMs = startOf(nowMs, spanMs)
  const firstMs = lastMs - (count - 1) * spanMs
  const spans = Array.from({ length: count }, (_, index) => ({ atMs: firstMs + index * spanMs, sums: [] as Sum[] }))
  for (const sum of sums(db, spanMs, firstMs, lastMs + spanMs)) spans[(sum.atMs - firstMs) / spanMs]?.sums.push(sum)
  return spans
}

/** `accountSeq` 0 is the platform: `rail` is the outside world, `fees` the platform's revenue. */
export interface BalanceRef {
  accountSeq: number
  bucket: 'available' | 'blocked' | 'pending' | 'rail' | 'fees'
}

export interface Transfer {
  from: BalanceRef
  to: BalanceRef
  currency: Currency
  amountMinor: bigint
  /** The entry type of the posting to `available`, as shown in statements. `peerType` is that of the receiver (default: `type`). */
  type?: EntryType | undefined
  peerType?: EntryType | undefined
}

export interface Balance {
  available: bigint
  blocked: bigint
  pending: bigint
}

const zeroBalance: Balance = { available: 0n, blocked: 0n, pending: 0n }

const insertPosting = appender(postings)
const findBalance = finder(balances, 'where account_seq = ? and currency = ?')
const putBalance = upserter(balances)

/** Writes one entry. Zero amounts get no posting. Rejects a balance of more than 15 digits (422 INVALID_AMOUNT). */
export function post(unit: Unit, reference: { objectId: string; memo: string }, transfers: readonly Transfer[]): void {
  const moved = transfers.filter((transfer) => transfer.amountMinor !== 0n)
  if (moved.length === 0) return
  const entry = unit.ids.sequence('entries')
  const changes = new Map<string, { accountSeq: number; currency: Currency } & Balance>()
  for (const { from, to, currency, amountMinor, type, peerType = type } of moved) {
    if (amountMinor < 0n) throw new Error(`a posting of ${amountMinor} ${currency} must not be negative`)
    for (const [side, postedMinor, entryType] of [
      [from, -amountMinor, type],
      [to, amountMinor, peerType],
    ] as const) {
      insertPosting(unit.db, {
        entry,
        accountSeq: side.accountSeq,
        bucket: side.bucket,
        currency,
        amountMinor: postedMinor,
        ...reference,
        atMs: unit.atMs,
        type: side.bucket === 'available' ? (entryType ?? 'adjustment') : null,
      })
      if (side.bucket === 'rail' || side.bucket === 'fees') continue
      const key = `${side.accountSeq} ${currency}`
      const change = changes.get(key) ?? { accountSeq: side.accountSeq, currency, ...zeroBalance }
      change[side.bucket] += postedMinor
      changes.set(key, change)
    }
  }
  for (const { accountSeq, currency, ...change } of changes.values()) {
    const before = balanceOf(unit.db, accountSeq, currency)
    const after = {
      available: before.available + change.available,
      blocked: before.blocked + change.blocked,
      pending: before.pending + change.pending,
    }
    assertValidBalance(after, currency)
    putBalance(unit.db, { accountSeq, currency, ...after })
    cacheRow(unit.db, balanceKey(accountSeq, currency), after)
  }
}

function assertValidBalance(balance: Balance, currency: Currency): void {
  for (const minor of [balance.available, balance.blocked, balance.pending]) {
    if (minor > maxAmountMinor || minor < -maxAmountMinor)
      throw new ApiError('INVALID_AMOUNT', { currency, rule: `the balance would exceed ${maxAmountDigits} digits` })
  }
}

const balanceKey = (accountSeq: number, currency: Currency) => `balance ${accountSeq} ${currency}`

export function balanceOf(db: Db, accountSeq: number, currency: Currency): Balance {
  return getOrCacheRow(db, balanceKey(accountSeq, currency), () => findBalance(db, accountSeq, currency) ?? zeroBalance)
}

export function balancesOf(db: Db, accountSeq: number): Record<Currency, Balance> {
  return byCurrency((currency) => balanceOf(db, accountSeq, currency))
}

/** Throws 422 INSUFFICIENT_BALANCE `{available, required}` if the available balance is too low. */
export function requireAvailable(unit: Unit, accountSeq: number, currency: Currency, requiredMinor: bigint): void {
  const { available } = balanceOf(unit.db, accountSeq, currency)
  if (available >= requiredMinor) return
  const { scale } = currencies[currency]
  throw new ApiError('INSUFFICIENT_BALANCE', {
    currency,
    available: amountNumber(available, scale),
    required: amountNumber(requiredMinor, scale),
  })
}

/** Sets `available` to an amount by a posting to or from the outside world. */
export function setAvailable(
  unit: Unit,
  account: { seq: number; username: string },
  currency: Currency,
  minor: bigint,
): void {
  const difference = minor - balanceOf(unit.db, account.seq, currency).available
  const balance: BalanceRef = { accountSeq: account.seq, bucket: 'available' }
  const outside: BalanceRef = { accountSeq: 0, bucket: 'rail' }
  const [from, to] = difference > 0n ? [outside, balance] : [balance, outside]
  post(unit, { objectId: account.username, memo: 'balance set' }, [
    { from, to, currency, amountMinor: difference < 0n ? -difference : difference },
  ])
}

interface Audit {
  balanced: boolean
  accounts: ({ username: string; currency: Currency } & Balance)[]
}

/** Postings read in one unit of work: takes one or two milliseconds. */
const partRows = 1000
/** Upper bound on entries that are incomplete so far: only a damaged ledger exceeds it. */
const maxOpenEntries = 10_000

/** Audits the state at the time of the call. Starts again if the workspace is reset or restored meanwhile. */
export async function auditLedgerInBatches(ws: Workspace): Promise<Audit> {
  for (;;) {
    const { memory } = ws
    const audit = await ws.unit((unit) => new LedgerAudit(unit.db))
    for (let isOver = false; ws.memory === memory; ) {
      if (isOver) return audit.result()
      // A unit can run twice, so only its final result is counted.
      const part = await ws.unit((unit) => audit.read(unit.db))
      isOver = audit.add(part)
    }
  }
}

/** Audits without interruption: for a database that nobody else uses. */
export function auditLedger(db: Db): Audit {
  const audit = new LedgerAudit(db)
  while (!audit.add(audit.read(db)));
  return audit.result()
}

interface Part {
  lastSeq: number
  isLast: boolean
  sums: { accountSeq: number; currency: Currency; bucket: string; minor: number }[]
  /** Entries that do not sum to zero within this part. */
  openEntries: { entry: number; currency: string; minor: number }[]
}

type AccountBalance = { accountSeq: number; currency: Currency } & Balance

export const lastPosting = lastSeqReader('postings')
const storedBalances = selector(balances, 'order by account_seq, currency')
const allAccounts = selector(accounts, '')
const within = 'from postings where seq > ? and seq <= ?'
const endOfPart = reader<{ seq: number }>(`select seq ${within} order by seq limit 1 offset ${partRows - 1}`)
const sumsOfPart = reader<Part['sums'][number]>(
  `select account_seq as accountSeq, currency, bucket, sum(amount_minor) as minor ${within} group by account_seq, currency, bucket`,
)
const openEntriesOfPart = reader<Part['openEntries'][number]>(
  `select entry, currency, sum(amount_minor) as minor ${within} group by entry, currency having sum(amount_minor) <> 0`,
)

class LedgerAudit {
  readonly #usernames: ReadonlyMap<number, string>
  readonly #stored: ReadonlyMap<string, Balance>
  /** Whether the cached balances equal the stored ones. */
  readonly #isCacheRight: boolean
  readonly #lastSeq: number
  #at = 0
  readonly #sums = new Map<string, AccountBalance>()
  readonly #open = new Map<string, bigint>()
  #isDamaged = false

  constructor(db: Db) {
    this.#usernames = new Map(allAccounts(db).map(({ seq, username }) => [seq, username]))
    const stored = storedBalances(db)
    this.#stored = new Map(stored.map((row) => [keyOf(row.accountSeq, row.currency), row]))
    // Our own table contains only supported currencies.
    this.#isCacheRight = stored.every((row) => isEqual(balanceOf(db, row.accountSeq, row.currency as Currency), row))
    this.#lastSeq = lastPosting(db)
  }

  read(db: Db): Part {
    const lastSeq = endOfPart(db, this.#at, this.#lastSeq)[0]?.seq ?? this.#lastSeq
    return {
      lastSeq,
      isLast: lastSeq >= this.#lastSeq,
      sums: sumsOfPart(db, this.#at, lastSeq),
      openEntries: openEntriesOfPart(db, this.#at, lastSeq),
    }
  }

  /** Returns whether that was the last part. */
  add({ lastSeq, isLast, sums, openEntries: rests }: Part): boolean {
    this.#at = lastSeq
    for (const { accountSeq, currency, bucket, minor } of sums) {
      if (!this.#usernames.has(accountSeq)) continue
      const key = keyOf(accountSeq, currency)
      const sum = this.#sums.get(key) ?? { accountSeq, currency, available: 0n, blocked: 0n, pending: 0n }
      if (bucket === 'available' || bucket === 'blocked' || bucket === 'pending') sum[bucket] += BigInt(minor)
      this.#sums.set(key, sum)
    }
    for (const { entry, currency, minor } of rests) {
      const key = keyOf(entry, currency)
      const rest = (this.#open.get(key) ?? 0n) + BigInt(minor)
      if (rest === 0n) this.#open.delete(key)
      else this.#open.set(key, rest)
    }
    this.#isDamaged ||= this.#open.size > maxOpenEntries
    return isLast || this.#isDamaged
  }

  result(): Audit {
    const sums = [...this.#sums.values()].sort(
      (a, b) => a.accountSeq - b.accountSeq || (a.currency < b.currency ? -1 : 1),
    )
    const agree = sums.every((sum) =>
      isEqual(this.#stored.get(keyOf(sum.accountSeq, sum.currency)) ?? zeroBalance, sum),
    )
    return {
      balanced: this.#open.size === 0 && this.#isCacheRight && agree && this.#stored.size === sums.length,
      accounts: sums.map(({ accountSeq, ...sum }) => ({ username: this.#usernames.get(accountSeq) ?? '', ...sum })),
    }
  }
}

const keyOf = (seq: number, currency: string) => `${seq} ${currency}`
const isEqual = (a: Balance, b: Balance) =>
  a.available === b.available && a.blocked === b.blocked && a.pending === b.pending
