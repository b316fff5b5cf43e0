/** Assigns the entries of a ledger to the postings of their transaction, and detects how the ledger writes signs and fees. */
import type { EntryType } from '../../../protocol/platform/entry-types.js'
import type { BookEntry } from './entries.js'
import { type Family, families, type Main } from './family.js'
import type { Line, PlatformTransaction } from './platform.js'

/** A transaction with the ledger's entries about it. */
export interface Group {
  transaction: PlatformTransaction
  byLine: ReadonlyMap<Line, readonly BookEntry[]>
  /** Entries without a matching posting. */
  extras: readonly BookEntry[]
}

export function groupOf(transaction: PlatformTransaction, entries: readonly BookEntry[]): Group {
  const byLine = new Map<Line, BookEntry[]>(transaction.lines.map((line) => [line, []]))
  const extras: BookEntry[] = []
  const fits = (entry: BookEntry) => (line: Line) => line.currency === entry.currency && entry.types.includes(line.type)
  const isFree = (line: Line) => byLine.get(line)?.length === 0
  const rest: BookEntry[] = []
  // Equal amounts first, because a word such as "refund" can mean several postings of one transaction.
  for (const entry of entries) {
    const equal = transaction.lines.find(
      (line) => isFree(line) && fits(entry)(line) && magnitude(line.minor) === magnitude(entry.minor),
    )
    if (equal === undefined) rest.push(entry)
    else byLine.get(equal)?.push(entry)
  }
  for (const entry of rest) {
    const fitting = transaction.lines.filter(fits(entry))
    const line = fitting.find(isFree) ?? fitting[0]
    if (line === undefined) extras.push(entry)
    else byLine.get(line)?.push(entry)
  }
  return { transaction, byLine, extras }
}

export const magnitude = (minor: bigint): bigint => (minor < 0n ? -minor : minor)

/** How a ledger books the fee of an operation. */
export const feeModes = ['rows', 'included', 'column-gross', 'column-net'] as const
export type FeeMode = (typeof feeModes)[number]

export interface Layout {
  /** Whether outgoing money is negative; otherwise all amounts are positive. */
  isSigned: boolean
  modeOf(main: Main): FeeMode
  hasBlocks: boolean
}

/** Charges and deposits are booked in the same way, and so are withdrawals and their returns. */
const votersOf: Record<Main, 'in' | 'out' | 'transfer' | 'conversion'> = {
  charge: 'in',
  deposit: 'in',
  withdrawal: 'out',
  withdrawal_return: 'out',
  transfer_sent: 'transfer',
  conversion_sent: 'conversion',
}

type Votes = Record<FeeMode, number>
const noVotes = (): Votes => ({ rows: 0, included: 0, 'column-gross': 0, 'column-net': 0 })

/** Decided by the majority of the entries, so that single mistakes have no influence. */
export function layoutOf(groups: readonly Group[]): Layout {
  const isSigned = signedShare(groups)
  const all = noVotes()
  const votes = { in: noVotes(), out: noVotes(), transfer: noVotes(), conversion: noVotes() }
  for (const group of groups)
    for (const main of mainsOf(group)) {
      const mode = modeOfMain(main, isSigned)
      if (mode === null) continue
      all[mode]++
      votes[votersOf[main.type]][mode]++
    }
  const overall = winner(all) ?? 'rows'
  return {
    isSigned,
    modeOf: (main) => winner(votes[votersOf[main]]) ?? overall,
    hasBlocks: groups.some(({ byLine }) =>
      [...byLine].some(([line, entries]) => line.type === 'dispute_block' && entries.length > 0),
    ),
  }
}

function signedShare(groups: readonly Group[]): boolean {
  let negative = 0
  let positive = 0
  for (const { byLine } of groups)
    for (const [line, entries] of byLine)
      if (line.minor < 0n)
        for (const { minor } of entries) {
          if (minor < 0n) negative++
          else positive++
        }
  return negative > positive
}

function winner(votes: Votes): FeeMode | null {
  const [best = 'rows'] = [...feeModes].sort((one, other) => votes[other] - votes[one])
  return votes[best] === 0 ? null : best
}

/** An amount and its fee, as posted by the platform. */
export interface MainLine {
  type: Main
  line: Line
  fee: Line | undefined
  entries: readonly BookEntry[]
  feeEntries: readonly BookEntry[]
  /** With the fee, and with the shares that have no entry of their own. */
  combined: bigint
}

export function mainsOf({ transaction, byLine }: Group): MainLine[] {
  return transaction.lines.flatMap((line) => {
    if (!isMain(line.type)) return []
    const { fee: feeType, also }: Family = families[line.type]
    const fee = transaction.lines.find((one) => one.type === feeType && one.currency === line.currency)
    const shares = transaction.lines.filter((one) => also.includes(one.type) && byLine.get(one)?.length === 0)
    const combined = shares.reduce((sum, { minor }) => sum + minor, line.minor + (fee?.minor ?? 0n))
    const entries = byLine.get(line) ?? []
    const feeEntries = fee === undefined ? [] : (byLine.get(fee) ?? [])
    return [{ type: line.type, line, fee, entries, feeEntries, combined }]
  })
}

const isMain = (type: EntryType): type is Main => type in families

/** The amount of an entry, with the sign that the statement uses. */
export const signedMinor = (minor: bigint, line: Line, isSigned: boolean): bigint =>
  isSigned || line.minor >= 0n ? minor : -minor

function modeOfMain({ line, fee, entries, feeEntries, combined }: MainLine, isSigned: boolean): FeeMode | null {
  const [entry, ...others] = entries
  if (entry === undefined || others.length > 0 || fee === undefined) return null
  const minor = signedMinor(entry.minor, line, isSigned)
  if (entry.feeMinor !== null && entry.feeMinor !== 0n)
    return minor === line.minor ? 'column-gross' : minor === combined ? 'column-net' : null
  if (feeEntries.length > 0) return 'rows'
  return minor === combined ? 'included' : null
}
