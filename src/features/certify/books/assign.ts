/** Assigns the entries of a ledger to the postings of their transaction, and finds how the ledger writes signs, fees and both legs of double entry. What cannot be decided is one question. */
import { currencies, type EntryType } from '../../../inside/platform.js'
import { isKeyOf, keysOf } from '../../../inside/values.js'
import { bookAnswers } from './column-names.js'
import type { BookEntry, IntegratorLedger } from './entries.js'
import { namesOwnId, type PlatformPosting, type PlatformTransaction } from './platform.js'
import { magnitude, quoted } from './read-amount.js'
import type { BooksRule } from './rules.js'
import { UnreadableBooks } from './table.js'

/** What an entry of a type stands for if it has the opposite sign: a negative withdrawal that is booked back as a positive one. */
const opposites: Partial<Record<EntryType, readonly EntryType[]>> = {
  charge: ['refund', 'dispute_loss'],
  deposit: ['refund', 'dispute_loss'],
  withdrawal: ['withdrawal_return'],
  withdrawal_fee: ['withdrawal_fee_return'],
  dispute_block: ['dispute_release'],
  conversion_sent: ['conversion_return'],
  conversion_received: ['conversion_return'],
}

const fits = ({ currency, types }: BookEntry, posting: PlatformPosting) =>
  posting.currency === currency && types.includes(posting.type)

const hasSize = (entry: BookEntry, posting: PlatformPosting) =>
  fits(entry, posting) && magnitude(posting.minor) === magnitude(entry.minor)

/** A transaction with the entries that refer to it. */
export class Group {
  readonly byPosting: ReadonlyMap<PlatformPosting, BookEntry[]>
  /** Entries without a matching posting. */
  readonly extras: readonly BookEntry[]

  /** Gives the entries the sign of the statement. */
  constructor(
    readonly transaction: PlatformTransaction,
    entries: readonly BookEntry[],
    isSigned: boolean,
  ) {
    const { postings } = transaction
    this.byPosting = new Map(postings.map((posting) => [posting, []]))
    const isFree = (posting: PlatformPosting) => this.byPosting.get(posting)?.length === 0
    const put = (entry: BookEntry, posting: PlatformPosting | undefined) => {
      if (posting === undefined) return false
      if (!isSigned && posting.minor < 0n) entry.minor = -entry.minor
      this.byPosting.get(posting)?.push(entry)
      return true
    }
    /** Assigns what matches, and returns the other entries. */
    const assign = (rest: readonly BookEntry[], matches: (entry: BookEntry, posting: PlatformPosting) => boolean) =>
      rest.filter((entry) => {
        // Equal amounts of one transaction, such as a block and a loss, differ in their days.
        const place = ({ type, day }: PlatformPosting) =>
          entry.types.indexOf(type) + (day === entry.day ? 0 : entry.types.length)
        const matching = postings.filter((posting) => isFree(posting) && matches(entry, posting))
        return !put(entry, matching.sort((one, other) => place(one) - place(other))[0])
      })
    const isEqual = (entry: BookEntry, posting: PlatformPosting) =>
      posting.currency === entry.currency && isSigned && posting.minor === entry.minor
    // Equal amounts first, because a word such as "refund" can mean several postings of one transaction.
    const signed = assign(entries, (entry, posting) => isEqual(entry, posting) && fits(entry, posting))
    const isOpposite = (entry: BookEntry, { type }: PlatformPosting) =>
      entry.types.some((own) => opposites[own]?.includes(type) === true)
    const opposite = assign(signed, (entry, posting) => isEqual(entry, posting) && isOpposite(entry, posting))
    this.extras = assign(opposite, hasSize).filter((entry) => {
      const fitting = postings.filter((posting) => fits(entry, posting))
      return !put(entry, fitting.find(isFree) ?? fitting[0])
    })
  }

  postingOf(type: EntryType): PlatformPosting | undefined {
    return this.transaction.postings.find((posting) => posting.type === type)
  }

  /** The entries of the postings of these types, with the posting. */
  bookingsOf(...types: readonly EntryType[]) {
    return [...this.byPosting].flatMap(([posting, entries]) =>
      types.includes(posting.type) ? entries.map((entry) => ({ posting, entry })) : [],
    )
  }

  entriesOf(...types: readonly EntryType[]): BookEntry[] {
    return this.bookingsOf(...types).map(({ entry }) => entry)
  }

  /** Whether this is the amount of the payment, whatever its sign. */
  isWholePayment(minor: bigint): boolean {
    const payments = [this.postingOf('charge'), this.postingOf('deposit')]
    return payments.some((payment) => payment?.minor === magnitude(minor))
  }

  get isMarkedFailed(): boolean {
    const entries = this.entriesOf('withdrawal')
    return entries.length > 0 && entries.every(({ state }) => state === 'failed') && !this.#isReturned
  }

  get #isReturned(): boolean {
    return this.entriesOf('withdrawal_return').length > 0
  }

  /** Without its return, the status of a failed withdrawal counts only in a ledger that marks failed ones. */
  isFailureShown({ marksFailed }: BookingStyle): boolean {
    return this.transaction.status !== 'failed' || marksFailed || this.#isReturned
  }

  /** The amounts that can be booked with their fee. */
  mains(): MainPosting[] {
    const { postings } = this.transaction
    return postings.flatMap((posting) => {
      if (!isMain(posting.type)) return []
      const { fee: feeType, also }: Family = families[posting.type]
      const fee = postings.find((one) => one.type === feeType && one.currency === posting.currency)
      const shares = postings.filter((one) => also.includes(one.type) && this.byPosting.get(one)?.length === 0)
      const net = posting.minor + (fee?.minor ?? 0n)
      const entries = this.byPosting.get(posting) ?? []
      const hasShares = shares.length > 0 && !entries.some(({ minor }) => minor === net)
      const combined = shares.reduce((sum, { minor }) => sum + (hasShares ? minor : 0n), net)
      const feeEntries = fee === undefined ? [] : (this.byPosting.get(fee) ?? [])
      return [{ type: posting.type, posting, fee, entries, feeEntries, combined, hasShares }]
    })
  }
}

/** How a ledger books the fee of an operation. */
const feeModes = ['rows', 'included', 'column-gross', 'column-net'] as const
export type FeeMode = (typeof feeModes)[number]

export interface BookingStyle {
  /** Whether the ledger writes outgoing money with a minus sign; otherwise all amounts are positive. */
  isSigned: boolean
  modeOf(main: Main): FeeMode
  hasBlocks: boolean
  /** Whether failed withdrawals have the status failed and no return. */
  marksFailed: boolean
  /** Whether amounts have lost their cents, so that one without cents is not taken for a net amount. */
  cutsUnits: boolean
}

type Votes = Record<FeeMode, number>
const noVotes = (): Votes => ({ rows: 0, included: 0, 'column-gross': 0, 'column-net': 0 })

/** Detects the style by the majority of the entries, so that single mistakes have no influence. */
export function bookingStyleOf(groups: readonly Group[], isSigned: boolean): BookingStyle {
  const all = noVotes()
  let cutsUnits = false
  const votes = { in: noVotes(), out: noVotes(), transfer: noVotes(), conversion: noVotes() }
  for (const group of groups)
    for (const main of group.mains()) {
      const mode = modeOfMain(main)
      cutsUnits ||= main.entries.some((entry) => isCutToUnits(main, entry) && entry.minor !== main.combined)
      if (mode === null) continue
      all[mode]++
      votes[families[main.type].like][mode]++
    }
  const overall = winner(all) ?? 'rows'
  const blocks = groups.flatMap(({ byPosting }) =>
    [...byPosting].flatMap(([posting, entries]) => (posting.type === 'dispute_block' ? [entries] : [])),
  )
  return {
    ...{ isSigned, cutsUnits, marksFailed: groups.some(({ isMarkedFailed }) => isMarkedFailed) },
    modeOf: (main) => winner(votes[families[main].like]) ?? overall,
    hasBlocks: blocks.filter((entries) => entries.length > 0).length * 2 > blocks.length,
  }
}

/** Whether an amount is that of the posting without the decimals. */
export function isCutToUnits({ posting }: MainPosting, { minor }: BookEntry): boolean {
  const unit = 10n ** BigInt(currencies[posting.currency].scale)
  return minor !== posting.minor && minor === posting.minor - (posting.minor % unit)
}

function winner(votes: Votes): FeeMode | null {
  const [best = 'rows'] = [...feeModes].sort((one, other) => votes[other] - votes[one])
  return votes[best] === 0 ? null : best
}

/** An amount and its fee, as posted by the platform. */
export interface MainPosting {
  type: Main
  posting: PlatformPosting
  fee: PlatformPosting | undefined
  entries: readonly BookEntry[]
  feeEntries: readonly BookEntry[]
  /** The amount with the fee, and with the shares that it includes. */
  combined: bigint
  /** Whether the amount includes shares of other accounts: they have no entry, and the amount is not that with the fee alone. */
  hasShares: boolean
}

export const isMain = (type: EntryType): type is Main => isKeyOf(families, type)

/** The amounts of a posting with its fee, and with the shares of other accounts, without their signs. */
export function sizesWithFee({ postings }: PlatformTransaction, { type, currency, minor }: PlatformPosting): bigint[] {
  if (!isMain(type)) return []
  const { fee: feeType, also }: Family = families[type]
  const sumOf = (types: readonly EntryType[]) =>
    postings.reduce((sum, one) => (types.includes(one.type) && one.currency === currency ? sum + one.minor : sum), 0n)
  const net = minor + sumOf([feeType])
  return [net, net + sumOf(also)].map(magnitude)
}

function modeOfMain({ posting, fee, entries, feeEntries, combined }: MainPosting): FeeMode | null {
  const [entry, ...others] = entries
  if (entry === undefined || others.length > 0 || fee === undefined) return null
  const { minor, feeMinor } = entry
  if (feeMinor !== null && feeMinor !== 0n)
    return minor === posting.minor ? 'column-gross' : minor === combined ? 'column-net' : null
  if (feeEntries.length > 0) return 'rows'
  return minor === combined ? 'included' : null
}

export interface Notation {
  /** Whether money in and money out have different signs; otherwise all amounts are positive. */
  isSigned: boolean
  /** Whether money in has the minus sign, as in the books of a liability. Entries are read with the opposite sign. */
  isInverted: boolean
}

type Owned = readonly (readonly [entry: BookEntry, owner: PlatformTransaction])[]

/** Decides how the ledger writes signs and days, and leaves out the other leg of double entry. Throws `UnreadableBooks` for what it must be asked. */
export function settleNotation(
  book: IntegratorLedger,
  all: Owned,
  account: string,
): { owned: Owned; notation: Notation } {
  requireOwned(book, all, account)
  forbidMinorUnits(all)
  orderDays(all)
  const owned = withoutCounterparts(all)
  const notation = notationOf(owned)
  if (notation.isInverted) for (const [entry] of owned) entry.minor = -entry.minor
  return { owned, notation }
}

/** The signs of most entries, so that single mistakes have no influence. */
function notationOf(owned: Owned): Notation {
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
function orderDays(owned: Owned): void {
  const countOf = (dayOf: (entry: BookEntry) => string | null) =>
    owned.filter(([entry, { postings }]) => postings.some(({ day }) => day === dayOf(entry))).length
  if (countOf(({ monthFirstDay }) => monthFirstDay) <= countOf(({ day }) => day)) return
  for (const [entry] of owned) entry.day = entry.monthFirstDay
}

/** Share of the entries that have a counterpart in a ledger with both legs of double entry. */
const pairedShare = 0.8

/** Returns the entries of one leg, if most entries come in pairs that cancel out; otherwise all of them. */
function withoutCounterparts(owned: Owned): Owned {
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
      const posting = owner.postings.find((one) => hasSize(entry, one))
      dropped.add(posting?.minor === entry.minor ? counterpart[0] : entry)
    }
  }
  return 2 * dropped.size < pairedShare * owned.length ? owned : owned.filter(([entry]) => !dropped.has(entry))
}

const shownIds = 3

/** Throws `UnreadableBooks` if no entry belongs to the account and none looks as if it did. */
function requireOwned({ entries, columns }: IntegratorLedger, owned: Owned, account: string): void {
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
function forbidMinorUnits(owned: Owned): void {
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

interface Family {
  fee: EntryType
  also: readonly EntryType[]
  /** Operations that a ledger books in the same way, such as charges and deposits. */
  like: 'in' | 'out' | 'transfer' | 'conversion'
}

/** Operations that a ledger can book with or without the fee. */
const families = {
  charge: { fee: 'charge_fee', also: ['split_sent'], like: 'in' },
  deposit: { fee: 'deposit_fee', also: [], like: 'in' },
  withdrawal: { fee: 'withdrawal_fee', also: [], like: 'out' },
  withdrawal_return: { fee: 'withdrawal_fee_return', also: [], like: 'out' },
  transfer_sent: { fee: 'transfer_fee', also: [], like: 'transfer' },
  conversion_sent: { fee: 'conversion_fee', also: [], like: 'conversion' },
} as const satisfies Partial<Record<EntryType, Family>>

type Main = keyof typeof families

const missingRules: Readonly<Partial<Record<EntryType, BooksRule>>> = {
  charge_fee: 'fee.booked',
  deposit: 'deposit.booked',
  deposit_fee: 'fee.booked',
  refund: 'refund.booked',
  dispute_release: 'dispute.released',
  dispute_loss: 'dispute.lost',
  withdrawal_fee: 'fee.booked',
  withdrawal_return: 'withdrawal.returned',
  withdrawal_fee_return: 'withdrawal.returned',
  transfer_sent: 'transfer.both-sides',
  transfer_received: 'transfer.both-sides',
  transfer_fee: 'fee.booked',
  conversion_fee: 'fee.booked',
}

/** The rule that fails if a posting has no entry. Fees and blocks have their own rules. */
export const missingRuleOf = (type: EntryType): BooksRule => missingRules[type] ?? 'entry.missing'

export const mainTypes = keysOf(families)
export const feeTypes: ReadonlySet<EntryType> = new Set(Object.values(families).map(({ fee }) => fee))
