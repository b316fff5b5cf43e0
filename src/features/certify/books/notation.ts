/** Finds how a ledger writes amounts: signs, both legs of double entry, minor units. What cannot be decided is one question. */
import { currencies } from '../../../inside/platform.js'
import { equalPosting, fits, magnitude, sizesWithFee } from './assign.js'
import { bookAnswers } from './column-names.js'
import type { BookEntry, IntegratorLedger } from './entries.js'
import { namesOwnId, type PlatformTransaction } from './platform.js'
import { quoted } from './read-amount.js'
import { UnreadableBooks } from './table.js'

export interface Notation {
  /** Whether money in and money out have different signs; otherwise all amounts are positive. */
  isSigned: boolean
  /** Whether money in has the minus sign, as in the books of a liability. Entries are read with the opposite sign. */
  isInverted: boolean
}

type Owned = readonly (readonly [entry: BookEntry, owner: PlatformTransaction])[]

/** The signs of most entries, so that single mistakes have no influence. */
export function notationOf(owned: Owned): Notation {
  const count = { in: { plus: 0, minus: 0 }, out: { plus: 0, minus: 0 } }
  let hasMinus = false
  for (const [entry, owner] of owned) {
    hasMinus ||= entry.minor < 0n
    const direction = directionOf(owner, entry)
    if (direction !== null) count[direction][entry.minor < 0n ? 'minus' : 'plus']++
  }
  const isInverted = count.in.minus > count.in.plus && count.out.plus >= count.out.minus
  // Without a majority, one minus sign shows that the ledger writes signs.
  const isSigned = isInverted || count.out.minus > count.out.plus || (hasMinus && count.out.minus === count.out.plus)
  return { isInverted, isSigned }
}

/** The direction of the postings with the amount of an entry, with or without the fee; null if they have both directions or if there are none. */
function directionOf(owner: PlatformTransaction, entry: BookEntry): 'in' | 'out' | null {
  const size = magnitude(entry.minor)
  const fitting = owner.postings.filter((posting) => fits(entry, posting))
  const exact = fitting.filter(({ minor }) => magnitude(minor) === size)
  const found = exact.length > 0 ? exact : fitting.filter((posting) => sizesWithFee(owner, posting).includes(size))
  const directions = new Set(found.map(({ minor }) => (minor < 0n ? 'out' : 'in')))
  const [only = null] = directions
  return directions.size === 1 ? only : null
}

/** Reads the dates with the month first if more of them are then days of their postings. */
export function orderDays(owned: Owned): void {
  const countOf = (dayOf: (entry: BookEntry) => string | null) =>
    owned.filter(([entry, { postings }]) => postings.some(({ day }) => day === dayOf(entry))).length
  if (countOf(({ monthFirstDay }) => monthFirstDay) <= countOf(({ day }) => day)) return
  for (const [entry] of owned) entry.day = entry.monthFirstDay
}

/** Share of the entries that have a counterpart in a ledger with both legs of double entry. */
const pairedShare = 0.8

/** Returns the entries of one leg, if most entries come in pairs that cancel out; otherwise all of them. */
export function withoutCounterparts(owned: Owned): Owned {
  const open = new Map<string, (readonly [entry: BookEntry, owner: PlatformTransaction])[]>()
  const dropped = new Set<BookEntry>()
  for (const pair of owned) {
    const [entry, owner] = pair
    const key = (minor: bigint) => `${owner.id} ${entry.word} ${entry.currency} ${minor}`
    const counterpart = entry.minor === 0n ? undefined : open.get(key(-entry.minor))?.pop()
    if (counterpart === undefined) {
      const same = open.get(key(entry.minor))
      if (same === undefined) open.set(key(entry.minor), [pair])
      else same.push(pair)
    } else {
      const posting = equalPosting(owner, entry)
      dropped.add(posting?.minor === entry.minor ? counterpart[0] : entry)
    }
  }
  return 2 * dropped.size < pairedShare * owned.length ? owned : owned.filter(([entry]) => !dropped.has(entry))
}

const shownIds = 3

/** Throws `UnreadableBooks` if no entry belongs to the account and none looks as if it did. */
export function requireOwned({ entries, columns }: IntegratorLedger, owned: Owned, account: string): void {
  if (owned.length > 0 || entries.some(namesOwnId)) return
  const column = columns.get('transaction_id') ?? columns.get('external_id') ?? ''
  const ids = entries
    .slice(0, shownIds)
    .map(({ transactionId, externalId }) => quoted(transactionId ?? externalId ?? ''))
  throw new UnreadableBooks(
    `No entry belongs to a transaction of the account ${account}. The ids are read from the column ${quoted(column)}: ${ids.join(', ')}, …. ${bookAnswers.ids}`,
  )
}

/** Throws `UnreadableBooks` if most amounts are whole numbers that equal the postings in minor units. */
export function forbidMinorUnits(owned: Owned): void {
  const isWhole = ({ text }: BookEntry) => /^[-+]?\d+$/.test(text)
  if (!owned.every(([entry]) => isWhole(entry))) return
  const isMinor = ([entry, { postings }]: Owned[number]) =>
    postings.some(
      ({ currency, minor }) =>
        currency === entry.currency &&
        minor !== 0n &&
        magnitude(entry.minor) === magnitude(minor) * 10n ** BigInt(currencies[currency].scale),
    )
  const found = owned.filter(isMinor)
  const [first] = found
  if (first === undefined || 2 * found.length <= owned.length) return
  throw new UnreadableBooks(
    `Are the amounts in minor units, such as ${quoted(first[0].text)} in row ${first[0].line}? ${bookAnswers.minorUnits}`,
  )
}
