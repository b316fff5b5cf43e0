/** What a payer gets to see of a charge, read in one unit of work. */
import { accountOf } from '../../core/auth/account.js'
import { money } from '../../core/ledger/ledger.js'
import { allowedActions } from '../../core/operations/subjects.js'
import { findTransaction } from '../../core/operations/transactions.js'
import type { Workspace } from '../../core/unit/workspace.js'
import type { ActionName } from '../../protocol/actions/actions.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import { railOf } from '../../protocol/rails/index.js'
import type { PaymentInfo } from '../../protocol/rails/rail.js'

export interface Charge {
  id: string
  status: string
  currency: Currency
  /** Decimal strings. */
  amount: string
  refunded: string | null
  merchant: string
  payerName: string | null
  externalId: string | null
  /** null: it came to a fixed wallet. */
  info: PaymentInfo | null
  /** Of the sandbox's clock. */
  nowMs: number
  isTimeMoving: boolean
  expiresAtMs: number | null
  updatedAtMs: number
  allowed: readonly ActionName[]
  /** What a payer who pays too little might send; null where the rail does not let him. */
  less: string | null
}

/** Undefined where no charge bears the id. */
export function readCharge(ws: Workspace, id: string): Promise<Charge | undefined> {
  return ws.unit((unit) => {
    const row = findTransaction(unit.db, id)
    if (row === undefined || row.type !== 'cashin') return undefined
    const { currency, detail, amountMinor } = row
    const info = detail.paymentInfo ?? null
    const half = amountMinor / 2n
    return {
      id: row.id,
      status: row.status,
      currency,
      amount: money(amountMinor, currency),
      refunded: detail.refundedMinor === undefined ? null : money(BigInt(detail.refundedMinor), currency),
      merchant: accountOf(unit.db, row.accountSeq).name,
      payerName: detail.payer?.name ?? null,
      externalId: row.externalId,
      info,
      nowMs: unit.atMs,
      isTimeMoving: ws.clock.state().mode === 'realtime',
      expiresAtMs: info !== null && 'expires_at' in info ? Date.parse(info.expires_at) : null,
      updatedAtMs: row.updatedAtMs,
      allowed: allowedActions(unit, { kind: 'cashin', row }),
      less: railOf(currency).isPaidExactly || half === 0n ? null : money(half, currency),
    }
  })
}
