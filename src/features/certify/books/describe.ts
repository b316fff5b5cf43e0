/** Describes the mistakes of a ledger for the report. */

import { postingName } from '../../../inside/platform.js'
import { formatMoney } from '../../../inside/workspace.js'
import { magnitude } from './assign.js'
import type { Mistake } from './mistake.js'
import type { Notation } from './notation.js'
import type { BooksReport } from './routes.js'

const shownMistakes = 3

export function describeRule(mistakes: readonly Mistake[], notation: Notation): string {
  const lines = mistakes.slice(0, shownMistakes).map((mistake) => describe(mistake, notation))
  const more = mistakes.length - lines.length
  return `${lines.join('; ')}${more === 0 ? '' : `; and ${more} more`}`
}

function describe(mistake: Mistake, notation: Notation): string {
  const { entry, posting, transaction, why } = mistake
  const { booked, expected } = amountsOf(mistake, notation)
  const id = transaction?.id ?? entry?.transactionId ?? entry?.externalId
  if (entry === null)
    return `${id}: ${posting === null ? '' : postingName(posting.type)} of ${expected} ${posting?.currency} on ${posting?.day} is not booked`
  const what = `row ${entry.line}${id === null || id === undefined ? '' : `, ${id.slice(0, 80)}`}`
  const amount = `${entry.word.slice(0, 40)} of ${booked} ${entry.currency}`
  const instead = expected === null ? '' : ` instead of ${expected}`
  return `${what}: ${amount}${instead}${why === undefined ? '' : ` (${why})`}`
}

/** Formats amounts in the ledger's own notation. There is no expected amount if the booked one equals it: `why` names what is missing. */
function amountsOf({ entry, posting, expectedMinor, why }: Mistake, { isSigned, isInverted }: Notation) {
  const bookedMinor = why === 'fee column' ? (entry?.feeMinor ?? null) : (entry?.minor ?? null)
  const sign = isInverted ? -1n : 1n
  const expected = expectedMinor === null || isSigned ? expectedMinor : magnitude(expectedMinor)
  const isEqual = entry !== null && bookedMinor === expected
  return {
    booked: entry === null || bookedMinor === null ? null : formatMoney(sign * bookedMinor, entry.currency),
    expected: expected === null || posting === null || isEqual ? null : formatMoney(sign * expected, posting.currency),
  }
}

export function mistakeFields(mistake: Mistake, notation: Notation): BooksReport['mistakes'][number] {
  const { rule, entry, posting, transaction } = mistake
  return {
    rule,
    row: entry?.line ?? null,
    transaction_id: transaction?.id ?? entry?.transactionId ?? null,
    external_id: transaction?.externalId ?? entry?.externalId ?? null,
    type: posting?.type ?? null,
    currency: posting?.currency ?? entry?.currency ?? null,
    date: posting?.day ?? entry?.day ?? null,
    ...amountsOf(mistake, notation),
    reason: mistake.why ?? null,
    observed: describe(mistake, notation),
  }
}
