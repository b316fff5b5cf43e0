/** The row of the route, and its handler. */
import * as z from 'zod'
import { model, route } from '../../src/inside/control.js'
import { routeSet } from '../../src/inside/handlers.js'
import { type Currency, currencyNames } from '../../src/inside/platform.js'
import { formatMoney, reader } from '../../src/inside/workspace.js'

const charge = model('LargestCharge', () =>
  z.strictObject({ transaction_id: z.string(), currency: z.enum(currencyNames), amount: z.string() }),
)

export type LargestCharge = z.output<ReturnType<typeof charge>>

export const largestRoutes = {
  listLargest: route('GET /largest', {
    summary: 'List the ten largest charges of a currency',
    query: () => z.strictObject({ currency: z.enum(currencyNames).describe('Currency of the charges') }),
    answer: () => z.strictObject({ data: z.array(charge()) }),
  }),
} as const

/** Amounts are integers in minor units, so the database can sort them. */
const largestCharges = reader<{ id: string; currency: Currency; amountMinor: number | bigint }>(
  `select id, currency, amount_minor as amountMinor from transactions
   where type = 'cashin' and currency = ? order by amount_minor desc, seq limit 10`,
)

export const largestRouteSet = routeSet(largestRoutes, {
  listLargest: async ({ ws, query }) => ({
    data: await ws.unit(({ db }) =>
      largestCharges(db, query.currency).map(({ id, currency, amountMinor }) => ({
        transaction_id: id,
        currency,
        amount: formatMoney(BigInt(amountMinor), currency),
      })),
    ),
  }),
})
