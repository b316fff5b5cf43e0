/** What an option of a certification is, and the options of a ledger, one row each. The flags, the fields of the routes, the names in the library and the forms of the page follow from these tables. */
import { camelCase, capitalized, keysOf } from '../../inside/values.js'

export interface OptionRow {
  flag: string
  help: string
  /** `choice`: one of `choices`. `switch`: true or false. `pairs`: `name=value`, repeatable as a flag (default: text). */
  kind?: 'choice' | 'switch' | 'pairs'
  choices?: readonly string[]
  /** Only a flag: a command on the integrator's machine, or about one. */
  isFlagOnly?: true
}
export type OptionTable = Readonly<Record<string, OptionRow>>

const decimalMarks = ['point', 'comma'] as const

// biome-ignore format: a table, a row a line
export const booksOptions = {
  account: { flag: '--account <username>', help: 'account of the sandbox (default: merchant)' },
  from: { flag: '--from <date>', help: 'first day, such as 2026-12-01 (default: no limit)' },
  to: { flag: '--to <date>', help: 'last day, inclusive (default: no limit)' },
  columns: { flag: '--column <amount=valor>', kind: 'pairs', help: 'map a field to a column whose header is not recognized' },
  types: { flag: '--type <gift=charge>', kind: 'pairs', help: 'type that a word in the ledger means; transfer, conversion and fee each mean several types' },
  minor_units: { flag: '--minor-units', kind: 'switch', help: 'amounts are whole minor units, such as 1999 for 19.99 BRL' },
  time_zone: { flag: '--time-zone <zone>', help: 'time zone in which the days of the ledger begin (default: America/Sao_Paulo)' },
  decimal: { flag: '--decimal <mark>', kind: 'choice', choices: decimalMarks, help: 'decimal mark, if amounts such as 1.234 are ambiguous' },
} as const satisfies OptionTable

export type BooksOption = keyof typeof booksOptions
export const booksOptionNames = keysOf(booksOptions)

/** The row of an option, with all columns. */
export const booksOption = (name: BooksOption): OptionRow => booksOptions[name]

/** `amount=valor`, as in the flag. */
export const pairExample = (name: BooksOption): string => booksOptions[name].flag.split(/[<>]/)[1] ?? ''

/** The description of an option as a field. */
export const describeOption = ({ help }: OptionRow): string => capitalized(help)

/** The flags of a table as commander returns them. */
export type FlagsOf<Table extends OptionTable> = {
  [Name in keyof Table & string as ReturnType<typeof camelCase<Name>>]?: Table[Name] extends { kind: 'switch' }
    ? boolean
    : string
}

const fieldNames = (table: OptionTable): string[] =>
  Object.entries(table).flatMap(([name, { isFlagOnly }]) => (isFlagOnly === true ? [] : [name]))

/** The names of a table's options in the library, in camel case, without those that only a flag has. */
export const libraryNames = (table: OptionTable): string[] => fieldNames(table).map(camelCase)

/** The fields of a request, from options of the library. */
export const fieldsOf = (table: OptionTable, options: object): Record<string, unknown> =>
  Object.fromEntries(fieldNames(table).map((name) => [name, Reflect.get(options, camelCase(name))]))
