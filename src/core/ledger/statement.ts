/** The statement of an account: every posting that changes `available`, in order, read in parts so that calls continue in between. */
import type { Currency } from '../../protocol/platform/currencies.js'
import { type EntryType, entryTypes } from '../../protocol/platform/entry-types.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { reader } from '../../store/db.js'
import type { Workspace } from '../unit/workspace.js'

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
const partRows = 2000

const lastPosting = reader<{ last: number | null }>('select max(seq) as last from postings')

/** Parameters: the part (after, through), account, currency, first and last moment. */
const accountRows = `p.seq > ? and p.seq <= ? and p.account_seq = ? and p.bucket = 'available'
  and p.currency = coalesce(?, p.currency) and p.at_ms >= ? and p.at_ms < ?`

const sumsOfPart = reader<{ currency: Currency; minor: number }>(
  `select p.currency, sum(p.amount_minor) as minor from postings p where ${accountRows} group by p.currency`,
)

interface PostingRow {
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
  reader<PostingRow>(`select p.entry, p.currency, p.amount_minor as minor, p.at_ms as atMs, p.type, p.memo,
    coalesce(r.id, t.id) as transactionId, case when t.account_seq = p.account_seq then t.external_id end as externalId
  from postings p
    left join disputes d on p.type in ('dispute_block', 'dispute_release') and d.id = p.object_id
    left join transactions t on t.id = coalesce(d.transaction_id, p.object_id)
    left join transactions r on p.type = 'transfer_received' and r.seq = t.seq + 1 and r.account_seq = p.account_seq
  where ${accountRows} order by p.seq`)

/** Returns the statement at the time of the call. Throws 409 CONFLICT if the workspace is reset or restored meanwhile. */
export async function readStatement(ws: Workspace, filter: StatementFilter): Promise<Statement> {
  const { memory } = ws
  const lastSeq = await ws.unit((unit) => lastPosting(unit.db)[0]?.last ?? 0)
  const { accountSeq, currency, fromMs, toMs } = filter

  async function* partsOf<Row>(read: typeof sumsOfPart | typeof entriesOfPart, sinceMs: number, untilMs: number) {
    for (let seq = 0; seq < lastSeq; seq += partRows) {
      if (ws.memory !== memory) throw stateReplaced()
      const through = Math.min(seq + partRows, lastSeq)
      // `Row` is what the given statement answers.
      yield (await ws.unit((unit) => read(unit.db, seq, through, accountSeq, currency, sinceMs, untilMs))) as Row[]
    }
  }

  const opening: CurrencySums = new Map()
  if (fromMs !== null)
    for await (const sums of partsOf<ReturnType<typeof sumsOfPart>[number]>(sumsOfPart, earliestMs, fromMs))
      for (const sum of sums) opening.set(sum.currency, (opening.get(sum.currency) ?? 0n) + BigInt(sum.minor))
  const closing: CurrencySums = new Map(opening)

  // Field by field: copying whole rows takes most of the time of a long statement.
  const withBalance = (row: PostingRow): StatementEntry => {
    const { currency, type } = row
    const amountMinor = BigInt(row.minor)
    const balanceMinor = (closing.get(currency) ?? 0n) + amountMinor
    closing.set(currency, balanceMinor)
    return {
      atMs: row.atMs,
      entry: row.entry,
      transactionId: row.transactionId,
      externalId: row.externalId,
      type,
      description: type === 'adjustment' ? row.memo : entryTypes[type].description,
      currency,
      amountMinor,
      balanceMinor,
    }
  }

  async function* entries(): AsyncGenerator<StatementEntry[]> {
    const rows = partsOf<PostingRow>(entriesOfPart, fromMs ?? earliestMs, toMs ?? latestMs)
    for await (const part of rows) yield part.map(withBalance)
  }
  return { opening, parts: entries(), closing }
}

const earliestMs = Number.MIN_SAFE_INTEGER
const latestMs = Number.MAX_SAFE_INTEGER

const stateReplaced = () =>
  new ApiError('CONFLICT', {}, { message: 'The workspace was reset or restored while its statement was read.' })
