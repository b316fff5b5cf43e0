/** Postings of one change as a table that adds up, for each currency. */
import { formatAmount, parseAmount } from '../../../base/money.js'
import type { Posting } from '../../../client/types/control.js'
import { Money } from '../text.js'

/** The sum of amounts with equally many decimals. */
function sumOf(amounts: readonly string[]): string {
  const scale = amounts[0]?.split('.')[1]?.length ?? 0
  const parsed = amounts.map((amount) => parseAmount(amount, scale))
  return formatAmount(
    parsed.reduce((sum, one) => sum + (one.ok ? one.minor : 0n), 0n),
    scale,
  )
}

export const Postings = ({ rows }: { rows: readonly Posting[] }) =>
  [...new Set(rows.map(({ currency }) => currency))].map((currency) => {
    const own = rows.filter((row) => row.currency === currency)
    return (
      <ul key={currency} class="postings" aria-label={`Postings in ${currency}`}>
        {own.map((row, index) => (
          <li key={String(index)}>
            <span>
              {row.account} <span class="faint">{row.bucket}</span>
            </span>
            <Money amount={row.amount} />
          </li>
        ))}
        <li class="faint">
          Sum, {currency} <Money amount={sumOf(own.map(({ amount }) => amount))} />
        </li>
      </ul>
    )
  })
