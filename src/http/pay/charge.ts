/** What the payer sees of a charge: its data, read in one unit of work, and its amounts as text, never through a float. */
import { accountOf } from '../../core/auth/authenticate.js'
import { formatMoney } from '../../core/ledger/pricing.js'
import { findTransaction } from '../../core/operations/transactions.js'
import { allowedActions } from '../../core/operations/trigger.js'
import { requestedOf } from '../../core/operations/views.js'
import type { Workspace } from '../../core/unit/unit.js'
import type { ActionName } from '../../protocol/actions/actions.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import type { StatusOf } from '../../protocol/platform/transitions.js'
import { railOf } from '../../protocol/rails/index.js'
import type { PaymentInfo, ProofField } from '../../protocol/rails/rail.js'
import { valueReader } from '../../store/db.js'
import type { PayTexts } from './texts/en.js'

type ChargeStatus = StatusOf<'cashin'>
export type Outcome = Exclude<ChargeStatus, 'pending'>

export interface Charge {
  id: string
  status: ChargeStatus
  currency: Currency
  /** Decimal strings. */
  amount: string
  /** The amount of the charge, if the payer paid another amount. */
  requested: string | null
  refunded: string | null
  merchant: string
  payerName: string | null
  externalId: string | null
  /** The rail's proof of payment; null before it is paid. */
  proof: { field: ProofField; value: string } | null
  /** null if the payment arrived at a fixed wallet. */
  info: PaymentInfo | null
  nowMs: number
  isTimeMoving: boolean
  expiresAtMs: number | null
  updatedAtMs: number
  /** When it was paid; for other states the time of the last change. */
  paidAtMs: number
  allowedActions: readonly ActionName[]
  /** An amount for testing an underpayment; null if the rail does not allow underpayments. */
  underpayment: string | null
}

/** Finds none for a deposit to a fixed wallet, which is created as confirmed. */
const confirmation = valueReader<number | null>(
  "select at_ms as value from history where object_id = ? and object = 'cashin' and to_status = 'confirmed'",
  null,
)

/** Returns undefined if no charge has this id. */
export function readCharge(ws: Workspace, id: string): Promise<Charge | undefined> {
  return ws.unit((unit) => {
    const row = findTransaction(unit.db, id)
    if (row === undefined || row.type !== 'cashin') return undefined
    const { currency, detail, amountMinor } = row
    const info = detail.paymentInfo ?? null
    const half = amountMinor / 2n
    const rail = railOf(currency)
    return {
      id: row.id,
      status: row.status,
      currency,
      amount: formatMoney(amountMinor, currency),
      requested: requestedOf(row) ?? null,
      refunded: detail.refundedMinor === undefined ? null : formatMoney(BigInt(detail.refundedMinor), currency),
      merchant: accountOf(unit.db, row.accountSeq).name,
      payerName: detail.payer?.name ?? null,
      externalId: row.externalId,
      proof: detail.proof === undefined ? null : { field: rail.proof, value: detail.proof },
      info,
      nowMs: unit.atMs,
      isTimeMoving: ws.clock.state().mode === 'realtime',
      expiresAtMs: info !== null && 'expires_at' in info ? Date.parse(info.expires_at) : null,
      updatedAtMs: row.updatedAtMs,
      paidAtMs: row.status === 'refunded' ? (confirmation(unit.db, id) ?? row.createdAtMs) : row.updatedAtMs,
      allowedActions: allowedActions(unit, { kind: 'cashin', row }),
      underpayment: rail.isPaidExactly || half === 0n ? null : formatMoney(half, currency),
    }
  })
}

export function priceOf(amount: string, currency: Currency, texts: PayTexts): string {
  const { locale, decimalSign, symbolGap, symbols } = texts
  const symbol = symbols[currency] ?? null
  const [whole = '', decimals = ''] = (symbol === null ? withoutZeros(amount) : amount).split('.')
  const number = `${new Intl.NumberFormat(locale).format(BigInt(whole))}${decimalSign}${decimals}`
  if (symbol === null) return `${number}\u00a0${currency}`
  return `${symbol}${symbolGap}${number}${symbol === '$' ? `\u00a0${currency}` : ''}`
}

/** Removes zeros at the end, except for the first two decimals. */
export function withoutZeros(amount: string): string {
  const minLength = amount.indexOf('.') + 3
  let end = amount.length
  while (end > minLength && amount[end - 1] === '0') end--
  return amount.slice(0, end)
}
