/**
 * The statement of an account: every posting that changes `available`, whole or one page of it, read in parts so that calls
 * continue in between.
 */
import type { Currency } from '../../protocol/platform/currencies.js'
import { type EntryType, entryTypes } from '../../protocol/platform/entry-types.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { type Db, type Param, reader } from '../../store/db.js'
import type { Workspace } from '../unit/unit.js'
import { lastPosting } from './ledger.js'

export interface StatementFilter {
  accountSeq: number
  /** null means all currencies. */
  currency: Currency | null
  /** Half-open: `[fromMs, toMs)`; null means no bound. */
  fromMs: number | null
  toMs: number | null
}

export interface StatementEntry {
  atMs: number
  entry: number
  /** The account's own transaction; null for a balance that was set. */
  transactionId: string | null
  externalId: string | null
  type: EntryType
  description: string
  currency: Currency
  amountMinor: bigint
  /** `available` after it. */
  balanceMinor: bigint
}

export type CurrencySums = Map<Currency, bigint>

export interface Statement {
  opening: CurrencySums
  /** In parts of at most a few thousand entries. */
  parts: AsyncIterable<StatementEntry[]>
  /** Complete when all parts have been read. */
  closing: CurrencySums
}

/** Postings that are read in one unit of work: a few milliseconds. */
const partRows = 500

/** Parameters: the part (after, through), account, currency, first and last moment. */
const accountRows = `p.seq > ? and p.seq <= ? and p.account_seq = ? and p.bucket = 'available'
  and p.currency = coalesce(?, p.currency) and p.at_ms >= ? and p.at_ms < ?`

const sumsOfPart = reader<{ currency: Currency; minor: number }>(
  `select p.currency, sum(p.amount_minor) as minor from postings p where ${accountRows} group by p.currency`,
)

interface PostingRow {
  seq: number
  entry: number
  currency: Currency
  minor: number
  atMs: number
  type: EntryType
  memo: string
  transactionId: string | null
  externalId: string | null
}

/**
 * A posting of a dispute belongs to the disputed charge. The two transactions of a transfer are created one after the other,
 * and its postings name the sender's.
 */
const entriesOfPart =
  reader<PostingRow>(`select p.seq, p.entry, p.currency, p.amount_minor as minor, p.at_ms as atMs, p.type, p.memo,
    coalesce(r.id, t.id) as transactionId, case when t.account_seq = p.account_seq then t.external_id end as externalId
  from postings p
    left join disputes d on p.type in ('dispute_block', 'dispute_release') and d.id = p.object_id
    left join transactions t on t.id = coalesce(d.transaction_id, p.object_id)
    left join transactions r on p.type = 'transfer_received' and r.seq = t.seq + 1 and r.account_seq = p.account_seq
  where ${accountRows} order by p.seq`)

/** Returns the statement at the time of the call. Throws 409 CONFLICT if the workspace is reset or restored meanwhile. */
export async function readStatement(ws: Workspace, filter: StatementFilter): Promise<Statement> {
  const { parts, lastSeq, opening } = await openPeriod(ws, filter)
  const closing: CurrencySums = new Map(opening)
  async function* entries(): AsyncGenerator<StatementEntry[]> {
    for await (const part of parts(entriesOfPart, 0, lastSeq))
      yield part.map((row) => {
        const balanceMinor = (closing.get(row.currency) ?? 0n) + BigInt(row.minor)
        closing.set(row.currency, balanceMinor)
        return entryOf(row, balanceMinor)
      })
  }
  return { opening, parts: entries(), closing }
}

/** One page of a statement: `opening` and `closing` are those of the whole statement. */
export interface StatementPage {
  opening: CurrencySums
  closing: CurrencySums
  /** Newest first. */
  entries: StatementEntry[]
  /** The `seq` of the last of these postings if there are older ones, otherwise null. */
  nextSeq: number | null
}

/** Returns the newest entries whose `seq` is less than `belowSeq`. Throws as `readStatement` does. */
export async function readStatementPage(
  ws: Workspace,
  filter: StatementFilter,
  { limit, belowSeq }: { limit: number; belowSeq: number },
): Promise<StatementPage> {
  const { parts, lastSeq, opening } = await openPeriod(ws, filter)
  const pageSeq = Math.min(belowSeq - 1, lastSeq)
  const rows: PostingRow[] = []
  for (let through = pageSeq; through > 0 && rows.length <= limit; through -= partRows)
    for await (const part of parts(entriesOfPart, Math.max(0, through - partRows), through))
      rows.push(...part.toReversed())
  const balances = await sumsOf(parts(sumsOfPart, 0, pageSeq), opening)
  const closing = await sumsOf(parts(sumsOfPart, pageSeq, lastSeq), balances)
  const entries = rows.slice(0, limit).map((row) => {
    const balanceMinor = balances.get(row.currency) ?? 0n
    balances.set(row.currency, balanceMinor - BigInt(row.minor))
    return entryOf(row, balanceMinor)
  })
  return { opening, closing, entries, nextSeq: rows.length > limit ? (rows[limit - 1]?.seq ?? null) : null }
}

/** The postings of a period at the time of the call, and the balances before it. */
async function openPeriod(ws: Workspace, filter: StatementFilter) {
  const { memory } = ws
  const { accountSeq, currency } = filter
  const [fromMs, toMs] = [filter.fromMs ?? earliestMs, filter.toMs ?? latestMs]
  const lastSeq = await ws.unit((unit) => lastPosting(unit.db))
  /** Reads the postings after one `seq` and through another, of the period or another half-open one, in parts. */
  async function* parts<Row>(
    read: (db: Db, ...params: Param[]) => Row[],
    afterSeq: number,
    throughSeq: number,
    sinceMs = fromMs,
    untilMs = toMs,
  ): AsyncGenerator<Row[]> {
    if (sinceMs >= untilMs) return
    for (let seq = afterSeq; seq < throughSeq; seq += partRows) {
      if (ws.memory !== memory) throw stateReplaced()
      const through = Math.min(seq + partRows, throughSeq)
      yield await ws.unit((unit) => read(unit.db, seq, through, accountSeq, currency, sinceMs, untilMs))
    }
  }
  const opening = await sumsOf(parts(sumsOfPart, 0, lastSeq, earliestMs, fromMs))
  return { parts, lastSeq, opening }
}

async function sumsOf(
  parts: AsyncIterable<{ currency: Currency; minor: number }[]>,
  start: CurrencySums = new Map(),
): Promise<CurrencySums> {
  const sums: CurrencySums = new Map(start)
  for await (const part of parts)
    for (const { currency, minor } of part) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(minor))
  return sums
}

// Field by field: copying whole rows takes most of the time of a long statement.
const entryOf = (row: PostingRow, balanceMinor: bigint): StatementEntry => ({
  atMs: row.atMs,
  entry: row.entry,
  transactionId: row.transactionId,
  externalId: row.externalId,
  type: row.type,
  description: row.type === 'adjustment' ? row.memo : entryTypes[row.type].description,
  currency: row.currency,
  amountMinor: BigInt(row.minor),
  balanceMinor,
})

const earliestMs = Number.MIN_SAFE_INTEGER
const latestMs = Number.MAX_SAFE_INTEGER

const stateReplaced = () =>
  new ApiError('CONFLICT', {}, 'The workspace was reset or restored while its statement was read.')
