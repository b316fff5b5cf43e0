/** Reads an account's transactions with their postings, indexed by every id that a ledger may use. */
import { timeZone } from '../../../base/time-zone.js'
import { readStatement } from '../../../core/ledger/statement.js'
import type { Workspace } from '../../../core/unit/workspace.js'
import { statementTimeZone } from '../../../protocol/control/accounts.js'
import type { Currency } from '../../../protocol/platform/currencies.js'
import type { EntryType } from '../../../protocol/platform/entry-types.js'
import { reader } from '../../../store/db.js'
import type { BookEntry } from './entries.js'

export interface PlatformPosting {
  type: EntryType
  currency: Currency
  minor: bigint
  atMs: number
  /** The day in America/Sao_Paulo, `YYYY-MM-DD`. */
  day: string
  /** Whether the posting lies in the certified period. */
  isInPeriod: boolean
}

export interface PlatformTransaction {
  id: string
  externalId: string | null
  status: string
  /** Time of the last change of status. */
  updatedAtMs: number
  postings: PlatformPosting[]
}

export interface PlatformBooks {
  byId: ReadonlyMap<string, PlatformTransaction>
  byExternalId: ReadonlyMap<string, PlatformTransaction>
  /** Balances set by the control API; they belong to no transaction. */
  adjustments: readonly PlatformPosting[]
}

export interface Period {
  /** The first and the last day in America/Sao_Paulo, inclusive. */
  from: string | null
  to: string | null
}

export const isWithin = ({ from, to }: Period, day: string): boolean =>
  (from === null || day >= from) && (to === null || day <= to)

const readTransactionPage = reader<{
  seq: number
  id: string
  externalId: string | null
  status: string
  updatedAtMs: number
}>(
  `select seq, id, external_id as externalId, status, updated_at_ms as updatedAtMs from transactions
  where seq > ? and account_seq = ? order by seq limit ?`,
)

/** Finds the transaction of a refund or a dispute: both have ids of their own, which a ledger may use. */
const transactionIdOf = reader<{ id: string }>(
  `select subject_id as id from events where transaction_id = ?
  union all select transaction_id from disputes where id = ? limit 1`,
)

const rowsPerPage = 2000

export async function readPlatformBooks(ws: Workspace, accountSeq: number, period: Period): Promise<PlatformBooks> {
  const byId = new Map<string, PlatformTransaction>()
  const byExternalId = new Map<string, PlatformTransaction>()
  for (let after = 0, isOver = false; !isOver; ) {
    const page = await ws.unit((unit) => readTransactionPage(unit.db, after, accountSeq, rowsPerPage))
    for (const { seq, ...row } of page) {
      const { id, externalId } = row
      const transaction = { ...row, postings: [] }
      byId.set(id, transaction)
      if (externalId !== null) byExternalId.set(externalId, transaction)
    }
    isOver = page.length < rowsPerPage
    after = page.at(-1)?.seq ?? after
  }
  return { byId, byExternalId, adjustments: await addPostings(ws, accountSeq, period, byId) }
}

/** Adds each posting to its transaction in `byId`; returns the postings without a transaction. */
async function addPostings(
  ws: Workspace,
  accountSeq: number,
  period: Period,
  byId: Map<string, PlatformTransaction>,
): Promise<PlatformPosting[]> {
  const adjustments: PlatformPosting[] = []
  const zone = timeZone(statementTimeZone)
  const { parts } = await readStatement(ws, { accountSeq, currency: null, fromMs: null, toMs: null })
  for await (const page of parts)
    for (const { type, currency, amountMinor, atMs, transactionId } of page) {
      const day = zone?.dayAndTime(atMs)[0] ?? ''
      const posting = { type, currency, minor: amountMinor, atMs, day, isInPeriod: isWithin(period, day) }
      if (transactionId === null) adjustments.push(posting)
      else postingsOf(byId, transactionId).push(posting)
    }
  return adjustments
}

/** A split share is posted with the id of another account's charge, which is not in `byId`; it is added here. */
function postingsOf(byId: Map<string, PlatformTransaction>, id: string): PlatformPosting[] {
  const known = byId.get(id)
  if (known !== undefined) return known.postings
  const transaction: PlatformTransaction = { id, externalId: null, status: 'confirmed', updatedAtMs: 0, postings: [] }
  byId.set(id, transaction)
  return transaction.postings
}

/** Returns the transaction of each entry; entries without one are omitted. */
export async function transactionsOfEntries(
  ws: Workspace,
  books: PlatformBooks,
  entries: readonly BookEntry[],
): Promise<Map<BookEntry, PlatformTransaction>> {
  const found = new Map<BookEntry, PlatformTransaction>()
  for (let at = 0; at < entries.length; at += rowsPerPage) {
    const page = entries.slice(at, at + rowsPerPage)
    const owners = await ws.unit(({ db }) =>
      page.map((entry) => {
        const { transactionId: id, externalId } = entry
        const direct =
          (id === null ? undefined : (books.byId.get(id) ?? books.byExternalId.get(id))) ??
          (externalId === null ? undefined : books.byExternalId.get(externalId))
        if (direct !== undefined || id === null) return direct
        return books.byId.get(transactionIdOf(db, id, id)[0]?.id ?? '')
      }),
    )
    page.forEach((entry, index) => {
      const owner = owners[index]
      if (owner !== undefined) found.set(entry, owner)
    })
  }
  return found
}
