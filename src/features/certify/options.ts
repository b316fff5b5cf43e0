/** The options of the certifications, one row each. The flags, the fields of the routes, the names in the library and the forms of the page follow from these tables. */
import { minutes, webhookHeaders } from '../../inside/platform.js'
import { camelCase, capitalized, formatDuration, keysOf } from '../../inside/values.js'
import { defaultLoadMs, loadLimits, loadProfileNames, loadProfiles } from './load/profiles.js'
import { timeLimits } from './receiver/timing.js'

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

export const certifyModes = ['sandbox', 'production'] as const
const decimalMarks = ['point', 'comma'] as const

const profileTitles = loadProfileNames.map((name) => `${name}: ${loadProfiles[name].title}`).join('; ')

/** How the application reports what it did with a transaction. */
// biome-ignore format: a table, a row a line
const stateOptions = {
  state_url: { flag: '--state-url <address>', help: 'URL where your application reports the state of a transaction' },
  state_command: { flag: '--state-command <line>', isFlagOnly: true, help: 'command that prints the state of a transaction; its last argument is the transaction id' },
} as const satisfies OptionTable

// biome-ignore format: a table, a row a line
export const receiverOptions = {
  url: { flag: '--url <address>', help: 'address of the receiver' },
  ...stateOptions,
  restart: { flag: '--restart <address>', help: 'URL that restarts the receiver and answers when it is running again' },
  restart_command: { flag: '--restart-command <line>', isFlagOnly: true, help: 'command that restarts the receiver' },
  mode: { flag: '--mode <mode>', kind: 'choice', choices: certifyModes, help: `production: send all events without the header ${webhookHeaders.sandbox}, and one event with it, which the receiver must reject (default: every event has the header)` },
  production_url: { flag: '--production-url <address>', help: 'production address of the receiver; checks https, the certificate and redirects' },
  time_limit: { flag: '--time-limit <duration>', help: `time for the whole test; requirements that are not tested by then are inconclusive (default: ${minutes(timeLimits.leastMs)}, and longer for a receiver that answers slowly)` },
  webhook_secret: { flag: '--webhook-secret <text>', help: 'secret that signs the events (default: the secret of the sandbox)' },
} as const satisfies OptionTable

// biome-ignore format: a table, a row a line
export const loadOptions = {
  rate: { flag: '--load <rate>', help: `send events of real transactions at this rate, such as 20/s (at most ${loadLimits.rate}/s), instead of testing each requirement` },
  for: { flag: '--for <duration>', help: `how long, at most ${minutes(loadLimits.durationMs)} (default: ${formatDuration(defaultLoadMs)})` },
  profile: { flag: '--profile <name>', kind: 'choice', choices: loadProfileNames, help: `how the rate changes: ${profileTitles} (default: steady)` },
  find_limit: { flag: '--find-limit', kind: 'switch', help: 'then also find the highest rate that the receiver sustains' },
} as const satisfies OptionTable

// biome-ignore format: a table, a row a line
export const clientOptions = {
  observe: { flag: '--observe', kind: 'switch', help: 'only check the calls; inject no faults' },
  watch: { flag: '--watch', kind: 'switch', isFlagOnly: true, help: 'run no command; check the calls of a running app until Ctrl-C' },
  webhook_url: { flag: '--webhook-url <address>', help: 'URL that receives webhooks (default: no webhooks are sent)' },
  ...stateOptions,
} as const satisfies OptionTable

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
