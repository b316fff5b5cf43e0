/** Typical bookkeeping mistakes, one for each rule, to plant into a correct ledger. */
import type { BooksRule } from '../../src/features/certify/books/rules.js'
import { type BookRow, type Kit, withFeeColumn } from './books.js'

/** Changes the rows of one transaction. */
type Change = (own: BookRow[]) => BookRow[]

interface Planted {
  /** Describes the mistake. */
  story: string
  about: keyof Kit
  change: Change
  /** Whether the ledger contains net amounts. */
  isNet?: true
}

const without =
  (...types: string[]): Change =>
  (rows) =>
    rows.filter(({ type }) => !types.includes(type))

const changed =
  (type: string, change: (row: BookRow) => Partial<BookRow>): Change =>
  (rows) =>
    rows.map((row) => (row.type === type ? { ...row, ...change(row) } : row))

const twice =
  (type: string): Change =>
  (rows) =>
    rows.flatMap((row) => (row.type === type ? [row, row] : [row]))

const dayAfter = (date: string, days = 1) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

export const planted: Record<BooksRule, Planted> = {
  'entry.missing': { story: 'a charge is not booked', about: 'paid', change: () => [] },
  'entry.once': { story: 'a charge is booked twice', about: 'paid', change: twice('charge') },
  'entry.known': {
    story: 'a refund that never happened is booked',
    about: 'paid',
    change: (rows) =>
      rows.flatMap((row) =>
        row.type === 'charge' ? [row, { ...row, type: 'refund', amount: `-${row.amount}` }] : [row],
      ),
  },
  'amount.exact': {
    story: 'a charge has a wrong amount',
    about: 'paid',
    change: changed('charge', () => ({ amount: '21.37' })),
  },
  'amount.sign': {
    story: 'a refund is booked as money in',
    about: 'refunded',
    change: changed('refund', ({ amount }) => ({ amount: amount.replace('-', '') })),
  },
  'amount.rounded': {
    story: 'a charge has the digits of floating point',
    about: 'paid',
    change: changed('charge', () => ({ amount: '19.990000000000002' })),
  },
  'amount.decimals': {
    story: 'bitcoin is booked with two decimals',
    about: 'bitcoin',
    change: changed('charge', () => ({ amount: '0.01' })),
  },
  'charge.net': {
    story: 'a charge is booked gross in a ledger of net amounts',
    about: 'paid',
    change: changed('charge', () => ({ amount: '19.99' })),
    isNet: true,
  },
  'fee.booked': { story: 'the fee of a charge is not booked', about: 'paid', change: without('charge_fee') },
  'fee.once': { story: 'the fee of a withdrawal is booked twice', about: 'withdrawn', change: twice('withdrawal_fee') },
  'deposit.booked': { story: 'a deposit to a fixed wallet is not booked', about: 'deposit', change: () => [] },
  'refund.booked': { story: 'a refund is not booked', about: 'refunded', change: without('refund') },
  'refund.partial': {
    story: 'a partial refund is booked in full',
    about: 'partly',
    change: changed('refund', () => ({ amount: '-60.00' })),
  },
  'dispute.lost': { story: 'a lost dispute is not booked', about: 'lost', change: without('dispute_loss') },
  'dispute.blocked': {
    story: 'the block of an open dispute is booked as a loss',
    about: 'open',
    change: changed('dispute_block', () => ({ type: 'dispute_loss' })),
  },
  'dispute.released': { story: 'a won dispute is not given back', about: 'won', change: without('dispute_release') },
  'withdrawal.returned': {
    story: 'a failed withdrawal is not given back',
    about: 'failed',
    change: without('withdrawal_return', 'withdrawal_fee_return'),
  },
  'withdrawal.confirmed': {
    story: 'a pending withdrawal is booked as confirmed',
    about: 'pending',
    change: changed('withdrawal', () => ({ status: 'confirmed' })),
  },
  'transfer.both-sides': { story: 'a received transfer is not booked', about: 'received', change: () => [] },
  'conversion.rate': {
    story: 'the result of a conversion is computed with the middle rate',
    about: 'converted',
    change: changed('conversion_received', ({ amount }) => ({ amount: (Number(amount) * 1.0101).toFixed(2) })),
  },
  'day.time-zone': {
    story: 'days are cut in UTC',
    about: 'late',
    change: (rows) => rows.map((row) => ({ ...row, date: dayAfter(row.date) })),
  },
  'day.exact': {
    story: 'the entries of a charge are dated three days late',
    about: 'paid',
    change: (rows) => rows.map((row) => ({ ...row, date: dayAfter(row.date, 3) })),
  },
}

/** Plants a mistake about a transaction into a ledger. */
export function plant({ change, isNet }: Planted, rows: readonly BookRow[], id: string): BookRow[] {
  const kept: readonly BookRow[] =
    isNet === true ? withFeeColumn(rows, 'net').map(({ fee: _fee, ...row }) => row) : rows
  const at = kept.findIndex((row) => row.transaction_id === id)
  const others = kept.filter((row) => row.transaction_id !== id)
  return others.toSpliced(at, 0, ...change(kept.filter((row) => row.transaction_id === id)))
}
