/** Reads what lists and pages show of an event: its one amount, and whether a charge came through a fixed wallet. Apart from events.ts, whose schemas the dashboard does not need. */
import { fieldsIn } from '../../base/unknown.js'

/**
 * The first of these fields counts: the refunded amount of a refund, the converted amount of a conversion. A failed
 * withdrawal shows its own amount, without the fee.
 */
const amountNames = ['amount_refunded', 'amount', 'amount_from', 'amount_reverted_from']
const currencyNames = ['currency', 'currency_from', 'currency_reverted_from']

/** Reads the `data` of an event; null for missing values. The data is untrusted. */
export function summarizeEvent(data: unknown): Record<'amount' | 'currency' | 'source', string | null> {
  const fields = fieldsIn(data)
  const first = (...names: readonly string[]): string | null => {
    const found = names.map((name) => fields[name]).find((value) => typeof value === 'string')
    return typeof found === 'string' ? found : null
  }
  return { amount: first(...amountNames), currency: first(...currencyNames), source: first('source') }
}
