/** Judges an amount together with its fee, by the way in which the ledger books fees. */
import type { BooksRule } from '../../protocol/books-rules.js'
import { type FeeMode, type Group, type Layout, type MainLine, magnitude, mainsOf, signedMinor } from './assign.js'
import type { BookEntry } from './entries.js'
import { missingRules } from './family.js'
import { amountRule, type Mistake } from './mistake.js'
import type { Line } from './platform.js'

type Found = Pick<Mistake, 'rule' | 'entry' | 'line' | 'expectedMinor'> & { why?: string }

export function judgeMains(group: Group, layout: Layout): Found[] {
  return mainsOf(group).flatMap((main) => {
    const [entry] = main.entries
    return entry === undefined ? [] : judgeMain(group, main, entry, layout)
  })
}

function judgeMain(group: Group, main: MainLine, entry: BookEntry, layout: Layout): Found[] {
  const mode = layout.modeOf(main.type)
  const minor = signedMinor(entry.minor, main.line, layout.isSigned)
  const twice = repeated(main, main.entries, layout, 'entry.once')
  // One posting may be booked in several parts.
  if (main.entries.length > 1 && twice.length === 0) return []
  const verdict = main.fee === undefined ? null : feeVerdict(main, entry, minor, mode)
  const mistakes = [...twice]
  const accepted = [main.line.minor, main.combined]
  if (verdict !== null) mistakes.push({ rule: verdict, entry, line: main.line, expectedMinor: expectedOf(main, mode) })
  else if (entry.hasExcess || !accepted.includes(minor)) {
    const expected = accepted.includes(minor) ? minor : expectedOf(main, mode)
    mistakes.push({
      rule: amountRule(group, entry, main.line, minor, expected),
      ...{ entry, line: main.line, expectedMinor: expected },
    })
  }
  return [...mistakes, ...(main.fee === undefined ? [] : judgeFee(group, main, main.fee, entry, layout))]
}

const expectedOf = ({ line, combined }: MainLine, mode: FeeMode): bigint =>
  mode === 'rows' || mode === 'column-gross' ? line.minor : combined

/** The rule that amount and fee violate together; null if they fit, or if the amount itself is wrong. */
function feeVerdict(main: MainLine, entry: BookEntry, minor: bigint, mode: FeeMode): BooksRule | null {
  const { line, fee, combined, feeEntries } = main
  if (fee === undefined || combined === line.minor) return null
  const isGross = minor === line.minor
  const isNet = minor === combined
  const hasColumn = entry.feeMinor !== null && entry.feeMinor !== 0n
  const missing = missingRules[fee.type]
  if (main.type === 'withdrawal_return') return isGross && feeEntries.length === 0 && !hasColumn ? missing : null
  if (hasColumn) {
    if (feeEntries.length > 0 || (mode === 'column-gross' && isNet)) return 'fee.once'
    return mode === 'column-net' && isGross ? 'charge.net' : null
  }
  if (feeEntries.length > 0) return isNet ? 'fee.once' : null
  if (mode === 'included') return isGross ? 'charge.net' : null
  if (mode === 'column-net') return isNet || isGross ? missing : null
  return isGross ? missing : null
}

/** Judges the fee: an entry of its own, or the cell of the fee column. */
function judgeFee(group: Group, main: MainLine, fee: Line, entry: BookEntry, layout: Layout): Found[] {
  const size = magnitude(fee.minor)
  const [first] = main.feeEntries
  if (first !== undefined) {
    const minor = signedMinor(first.minor, fee, layout.isSigned)
    const twice = repeated(main, main.feeEntries, layout, 'fee.once', fee)
    if ((minor === fee.minor && !first.hasExcess) || (main.feeEntries.length > 1 && twice.length === 0)) return twice
    const rule = minor === 2n * fee.minor ? 'fee.once' : amountRule(group, first, fee, minor, fee.minor)
    return [...twice, { rule, entry: first, line: fee, expectedMinor: fee.minor }]
  }
  const booked = magnitude(entry.feeMinor ?? 0n)
  if (booked === 0n || booked === size) return []
  const rule = booked === 2n * size ? 'fee.once' : amountRule(group, entry, fee, -booked, -size)
  return [{ rule, entry, line: fee, expectedMinor: fee.minor, why: 'fee column' }]
}

/** Duplicate entries, unless all of them together make up the posting. */
export function repeated(
  main: Pick<MainLine, 'line' | 'combined'>,
  entries: readonly BookEntry[],
  { isSigned }: Layout,
  rule: BooksRule,
  line: Line = main.line,
): Found[] {
  const sum = entries.reduce((total, { minor }) => total + signedMinor(minor, line, isSigned), 0n)
  if (entries.length < 2 || sum === line.minor || (line === main.line && sum === main.combined)) return []
  return entries.slice(1).map((entry) => ({ rule, entry, line, expectedMinor: null }))
}
