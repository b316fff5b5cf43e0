/** Describes the mistakes of a ledger for the report. */
import { formatMoney } from '../../../core/ledger/ledger.js'
import { postingName } from '../../../protocol/platform/entry-types.js'
import type { BooksReport } from '../../protocol/books-routes.js'
import { magnitude } from './assign.js'
import type { Mistake } from './mistake.js'

const shownMistakes = 3

/** `isSigned`: the ledger writes money out with a minus sign. */
export function describeRule(mistakes: readonly Mistake[], isSigned: boolean): string {
  const lines = mistakes.slice(0, shownMistakes).map((mistake) => describe(mistake, isSigned))
  const more = mistakes.length - lines.length
  return `${lines.join('; ')}${more === 0 ? '' : `; and ${more} more`}`
}

function describe(mistake: Mistake, isSigned: boolean): string {
  const { entry, posting, transaction, why } = mistake
  const { booked, expected } = amountsOf(mistake, isSigned)
  const id = transaction?.id ?? entry?.transactionId ?? entry?.externalId
  if (entry === null)
    return `${id}: ${posting === null ? '' : postingName(posting.type)} of ${expected} ${posting?.currency} on ${posting?.day} is not booked`
  const what = `row ${entry.line}${id === null || id === undefined ? '' : `, ${id.slice(0, 80)}`}`
  const amount = `${entry.word.slice(0, 40)} of ${booked} ${entry.currency}`
  const instead = expected === null ? '' : ` instead of ${expected}`
  return `${what}: ${amount}${instead}${why === undefined ? '' : ` (${why})`}`
}

/** Formats amounts in the ledger's own notation. */
function amountsOf({ entry, posting, expectedMinor, why }: Mistake, isSigned: boolean) {
  const bookedMinor = why === 'fee column' ? (entry?.feeMinor ?? null) : (entry?.minor ?? null)
  const expected = expectedMinor === null || isSigned ? expectedMinor : magnitude(expectedMinor)
  return {
    booked: entry === null || bookedMinor === null ? null : formatMoney(bookedMinor, entry.currency),
    expected: expected === null || posting === null ? null : formatMoney(expected, posting.currency),
  }
}

export function mistakeFields(mistake: Mistake, isSigned: boolean): BooksReport['mistakes'][number] {
  const { rule, entry, posting, transaction } = mistake
  return {
    rule,
    row: entry?.line ?? null,
    transaction_id: transaction?.id ?? entry?.transactionId ?? null,
    external_id: transaction?.externalId ?? entry?.externalId ?? null,
    type: posting?.type ?? null,
    currency: posting?.currency ?? entry?.currency ?? null,
    date: posting?.day ?? entry?.day ?? null,
    ...amountsOf(mistake, isSigned),
    reason: mistake.why ?? null,
    observed: describe(mistake, isSigned),
  }
}
