/** The one amount that stands for an event in every list and on every page. */
import { fieldsIn } from '../../base/unknown.js'

/** The first of these that an event has: of a refund what came back, of a conversion what was converted. A failed withdrawal shows its own amount, without the fee. */
const amountNames = ['amount_refunded', 'amount', 'amount_from', 'amount_reverted_from']
const currencyNames = ['currency', 'currency_from', 'currency_reverted_from']

/** Of the `data` of an event; null for what it does not say. Anybody may have written it. */
export function eventAmount(data: unknown): { amount: string | null; currency: string | null } {
  const fields = fieldsIn(data)
  const first = (names: readonly string[]): string | null => {
    const found = names.map((name) => fields[name]).find((value) => typeof value === 'string')
    return typeof found === 'string' ? found : null
  }
  return { amount: first(amountNames), currency: first(currencyNames) }
}
