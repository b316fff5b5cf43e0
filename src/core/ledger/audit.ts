/** Recomputes the ledger from its postings in parts, so that calls run in between. The result describes a single moment. */
import { sql } from 'drizzle-orm'
import type { Currency } from '../../protocol/platform/currencies.js'
import { type Db, reader } from '../../store/db.js'
import { selector } from '../../store/rows.js'
import { accounts, balances, postings } from '../../store/schema.js'
import type { Workspace } from '../unit/workspace.js'
import { type Balance, balanceOf } from './ledger.js'

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

type Sum = { accountSeq: number; currency: Currency } & Balance

const lastPosting = reader<{ last: number | null }>('select max(seq) as last from postings')
const storedBalances = selector(balances, 'order by account_seq, currency')

class LedgerAudit {
  readonly #usernames: ReadonlyMap<number, string>
  readonly #stored: ReadonlyMap<string, Balance>
  /** Whether the cached balances equal the stored ones. */
  readonly #isCacheRight: boolean
  readonly #lastSeq: number
  #at = 0
  readonly #sums = new Map<string, Sum>()
  readonly #open = new Map<string, bigint>()
  #isDamaged = false

  constructor(db: Db) {
    const accountRows = db.orm.select({ seq: accounts.seq, username: accounts.username }).from(accounts).all()
    this.#usernames = new Map(accountRows.map(({ seq, username }) => [seq, username]))
    const stored = storedBalances(db)
    this.#stored = new Map(stored.map((row) => [keyOf(row.accountSeq, row.currency), row]))
    // Our own table contains only supported currencies.
    this.#isCacheRight = stored.every((row) => isEqual(balanceOf(db, row.accountSeq, row.currency as Currency), row))
    this.#lastSeq = lastPosting(db)[0]?.last ?? 0
  }

  read(db: Db): Part {
    const after = sql`seq > ${this.#at} and seq <= ${this.#lastSeq}`
    const [bound] = db.orm.all<{ seq: number }>(
      sql`select seq from ${postings} where ${after} order by seq limit 1 offset ${partRows - 1}`,
    )
    const lastSeq = bound?.seq ?? this.#lastSeq
    const within = sql`seq > ${this.#at} and seq <= ${lastSeq}`
    return {
      lastSeq,
      isLast: lastSeq >= this.#lastSeq,
      sums: db.orm.all(sql`select account_seq as accountSeq, currency, bucket, sum(amount_minor) as minor
        from ${postings} where ${within} group by account_seq, currency, bucket`),
      openEntries: db.orm.all(sql`select entry, currency, sum(amount_minor) as minor
        from ${postings} where ${within} group by entry, currency having sum(amount_minor) <> 0`),
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
    const isWhole = !this.#isDamaged && this.#open.size === 0
    return {
      balanced: isWhole && this.#isCacheRight && agree && this.#stored.size === sums.length,
      accounts: sums.map(({ accountSeq, ...sum }) => ({ username: this.#usernames.get(accountSeq) ?? '', ...sum })),
    }
  }
}

const zeroBalance: Balance = { available: 0n, blocked: 0n, pending: 0n }
const keyOf = (seq: number, currency: string) => `${seq} ${currency}`
const isEqual = (a: Balance, b: Balance) =>
  a.available === b.available && a.blocked === b.blocked && a.pending === b.pending
