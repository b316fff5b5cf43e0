/** The options of a certification of a ledger, one row each. The flags, the parameters of the route, the names in the library and the form of the page follow from this table. */
import { keysOf } from '../../../inside/values.js'

interface OptionRow {
  flag: string
  help: string
  /** `choice`: one of `choices`. `switch`: true or false. `pairs`: `name=value`, repeatable as a flag (default: text). */
  kind?: 'choice' | 'switch' | 'pairs'
  choices?: readonly string[]
}

const decimalMarks = ['point', 'comma'] as const

// biome-ignore format: a table, a row a line
const booksOptions = {
  account: { flag: '--account <username>', help: 'account of the sandbox (default: merchant)' },
  from: { flag: '--from <date>', help: 'first day, such as 2026-12-01 (default: no limit)' },
  to: { flag: '--to <date>', help: 'last day, inclusive (default: no limit)' },
  columns: { flag: '--column <amount=valor>', kind: 'pairs', help: 'map a field to a column whose header is not recognized' },
  types: { flag: '--type <gift=charge>', kind: 'pairs', help: 'type of the statement that a word of the ledger means, or transfer, conversion or fee for several' },
  minor_units: { flag: '--minor-units', kind: 'switch', help: 'amounts are whole minor units, such as 1999 for 19.99 BRL' },
  time_zone: { flag: '--time-zone <zone>', help: 'time zone in which the days of the ledger begin (default: America/Sao_Paulo)' },
  decimal: { flag: '--decimal <mark>', kind: 'choice', choices: decimalMarks, help: 'decimal mark, if amounts such as 1.234 are ambiguous' },
} as const satisfies Record<string, OptionRow>

export type BooksOption = keyof typeof booksOptions
export const booksOptionNames = keysOf(booksOptions)

/** The row of an option, with all columns. */
export const booksOption = (name: BooksOption): OptionRow => booksOptions[name]

/** `amount=valor`, as in the flag. */
export const pairExample = (name: BooksOption): string => booksOptions[name].flag.split(/[<>]/)[1] ?? ''
