/** Fees and limits in settings: tables by currency and operation, whose missing values have the default. */
import * as z from 'zod'
import { maxAmountDigits, parseAmount } from '../../base/money.js'
import { type Currency, currencies, isCurrency } from '../platform/currencies.js'
import { type Operation, operations } from '../platform/limits.js'
import { byCurrency, decimal, partialTable, percent } from './values.js'

export interface FeeChange {
  fixed?: string | undefined
  percent?: string | undefined
}
export interface LimitChange {
  min_amount?: string | undefined
  max_amount?: string | undefined
  daily_limit?: string | undefined
}
export type ByOperation<Row> = Readonly<
  Partial<Record<Currency, Readonly<Partial<Record<Operation, Row | undefined>>> | undefined>>
>

const byOperation = <Row extends z.ZodType>(row: Row) =>
  byCurrency(partialTable(operations, row)).superRefine((prices, ctx) => {
    for (const [currency, rows] of Object.entries(prices))
      for (const [operation, row] of Object.entries(rows ?? {}))
        for (const [name, amount] of Object.entries(row ?? {})) {
          if (name === 'percent' || !isCurrency(currency) || typeof amount !== 'string') continue
          const { scale } = currencies[currency]
          if (parseAmount(amount, scale).ok) continue
          const message = `must have at most ${scale} decimals and ${maxAmountDigits} digits`
          ctx.addIssue({ code: 'custom', path: [currency, operation, name], message })
        }
  })

export const fees = byOperation(z.strictObject({ fixed: decimal.optional(), percent: percent.optional() }))
export const limits = byOperation(
  z.strictObject({
    min_amount: decimal.optional(),
    max_amount: decimal.optional(),
    daily_limit: decimal.optional(),
  }),
)
