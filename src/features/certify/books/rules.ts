/** The rules for the ledger of an integrator, one row each. Reports, documentation, the dashboard and the command line use this table. */
import { keysOf } from '../../../inside/values.js'
import type { RuleRow } from '../report/rules.js'

const cashin = '§3: "Cash-in | pending | payer pays | confirmed | Balance credited."'
const fee = '§2.2: "fee: Fee charged"'
const strings = '§6.2'

// biome-ignore format: a table, a field a line
export const booksRules = {
  'entry.missing': {
    requirement: 'Every posting of the platform is booked.',
    source: '§6.1, rule 7: "A periodic reconciliation through the transaction list endpoint is advised"', severity: 'error',
    check: 'Looks for an entry for each posting of the statement.',
    fix: 'Book every event once, and compare your ledger with the transaction list each day to find missed events.',
  },
  'entry.once': {
    requirement: 'Every posting is booked once.',
    source: '§6.1, rule 4: "duplicate delivery can occur"', severity: 'error',
    check: 'Counts the entries for each posting.',
    fix: 'Put a unique constraint on transaction_id and type, and book in the same database transaction that stores the event id.',
  },
  'entry.known': {
    requirement: 'Every entry has a posting on the platform.',
    source: cashin, severity: 'error',
    check: 'Looks for a posting for each entry.',
    fix: 'Book money when the platform reports it, not when you create the charge. Check the transaction_id of the entry.',
  },
  'amount.exact': {
    requirement: 'Amounts equal those of the platform.',
    source: strings, severity: 'error',
    check: 'Compares each amount, in minor units.',
    fix: 'Book the amount of the event. For crypto and SPEI it can differ from the amount of the charge.',
  },
  'amount.sign': {
    requirement: 'Entries have the right sign.',
    source: cashin, severity: 'error',
    check: 'Compares the direction of each entry with that of its posting.',
    fix: 'Derive the sign from the type, and use one convention in the whole ledger: either outgoing amounts are negative, or all amounts are positive.',
  },
  'amount.rounded': {
    requirement: 'Amounts have no floating-point rounding errors.',
    source: strings, severity: 'error',
    check: 'Looks for amounts with more decimals than the currency has, and for differences of one minor unit that rounding or floating-point arithmetic explains.',
    fix: 'Parse the decimal string into whole minor units, and calculate with integers or a decimal type.',
  },
  'amount.decimals': {
    requirement: 'Amounts use the decimals of their own currency.',
    source: strings, severity: 'error',
    check: 'Looks for amounts that differ by a power of ten or that are cut to the decimals of another currency.',
    fix: 'Store the number of decimals with each currency: crypto currencies can have more than BRL.',
  },
  'charge.net': {
    requirement: 'If the ledger uses net amounts, every entry has the net amount of its transaction.',
    source: '§6.5: "amount_net: amount minus fee"', severity: 'error',
    check: 'Compares each amount with the gross and the net amount, in ledgers without separate entries for fees.',
    fix: 'Book amount_net of cashin.confirmed, or book the gross amount and the fee as two entries everywhere.',
  },
  'fee.booked': {
    requirement: 'Every fee is booked.',
    source: fee, severity: 'error',
    check: 'Looks for the fee of each transaction, as a separate entry or in the fee column.',
    fix: 'Book the fee of the event with the amount. A withdrawal fee is charged on top of the amount.',
  },
  'fee.once': {
    requirement: 'Every fee is booked once.',
    source: fee, severity: 'error',
    check: 'Looks for fees that are booked twice, or booked in addition to a net amount.',
    fix: 'Book either the net amount, or the gross amount and the fee.',
  },
  'deposit.booked': {
    requirement: 'Payments to fixed wallets are booked.',
    source: '§6.4: "cashin.confirmed: PIX, crypto or SPEI received (charge or fixed wallet)"', severity: 'error',
    check: 'Looks for an entry for each deposit.',
    fix: 'Handle cashin.confirmed with source "static": it belongs to a wallet and not to a charge that you created.',
  },
  'refund.booked': {
    requirement: 'Refunds are booked.',
    source: '§3: "Cash-in | confirmed | reversal | refunded | Balance debited."', severity: 'error',
    check: 'Looks for an entry for each refund.',
    fix: 'Handle cashin.refunded, which names the charge in original_transaction_id.',
  },
  'refund.partial': {
    requirement: 'A partial refund is booked with the refunded amount.',
    source: '§6.5, cashin.refunded: "amount, amount_refunded"', severity: 'error',
    check: 'Compares refunds with the amount of their charge.',
    fix: 'Book amount_refunded, not amount.',
  },
  'dispute.lost': {
    requirement: 'Lost disputes are booked.',
    source: '§3: "lost | defence rejected | Balance debited and returned to payer."', severity: 'error',
    check: 'Looks for an entry for each lost or confirmed dispute.',
    fix: 'Book the loss on cashin.refunded, which follows chargeback.lost and chargeback.confirmed.',
  },
  'dispute.blocked': {
    requirement: 'A blocked amount is not booked as a loss.',
    source: '§3: "payer opens MED dispute | Balance blocked."', severity: 'error',
    check: 'Looks for losses of disputes that are open or won.',
    fix: 'On chargeback.opened, move the amount to a blocked balance. Book a loss only when the dispute is lost.',
  },
  'dispute.released': {
    requirement: 'The blocked amount is booked back when the dispute ends.',
    source: '§3: "won | defence accepted | Balance unblocked and kept."', severity: 'error',
    check: 'Looks for the release of each booked block.',
    fix: 'Handle chargeback.won and chargeback.canceled, and move the amount back to the available balance.',
  },
  'withdrawal.returned': {
    requirement: 'Failed and refunded withdrawals are booked back.',
    source: '§3: "Cash-out | pending | provider/gateway rejects | failed | Balance refunded automatically."', severity: 'error',
    check: 'Looks for the return of each booked withdrawal that failed or was refunded.',
    fix: 'Handle cashout.failed, which returns amount and fee, and cashout.refunded, which returns the amount.',
  },
  'withdrawal.confirmed': {
    requirement: 'A pending or failed withdrawal is not booked as confirmed.',
    source: '§4.3', severity: 'error',
    check: 'Compares the status column with the status of each withdrawal.',
    fix: 'Book the withdrawal as pending until cashout.confirmed or cashout.failed arrives. A 202 response does not confirm it.',
  },
  'transfer.both-sides': {
    requirement: 'Internal transfers are booked in both directions.',
    source: '§3: "Internal transfer | transfer concluded | confirmed | Event transfer.confirmed to both sender and recipient"', severity: 'error',
    check: 'Looks for an entry for each transfer that was sent or received.',
    fix: 'Also handle transfer.confirmed with direction "received": it arrives although you made no call.',
  },
  'conversion.rate': {
    requirement: 'The result of a conversion is booked as reported.',
    source: '§6.5, conversion.confirmed: "amount_from, amount_to, rate, fee"', severity: 'error',
    check: 'Compares the result with amount_to.',
    fix: 'Book amount_to of conversion.confirmed. A recomputed rate misses the spread and the rounding.',
  },
  'day.time-zone': {
    requirement: 'Days begin at midnight in the time zone of the ledger, by default America/Sao_Paulo.',
    source: '§2.2: "created_at: ISO 8601 with UTC offset"', severity: 'error',
    check: 'Compares the dates of postings that have another day in UTC, such as those between 21:00 and midnight in America/Sao_Paulo.',
    fix: 'Convert times to America/Sao_Paulo before you take the date. If the ledger has another time zone, give it with --time-zone ZONE.',
  },
  'day.exact': {
    requirement: 'Entries have the day of their posting.',
    source: '§2.2: "created_at: ISO 8601 with UTC offset"', severity: 'error',
    check: 'Compares the date of each entry with the day of its posting. A withdrawal may have any day from the request to the settlement.',
    fix: 'Book with the time of the event, not with the time at which your application processed it.',
  },
} as const satisfies Record<string, RuleRow>

export type BooksRule = keyof typeof booksRules
export const booksRuleIds = keysOf(booksRules)
