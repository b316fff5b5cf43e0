/** What the commands of certify share: flags of the tables of options, the state of the application, exit codes. */
import { type Command, Option } from 'commander'
import { exitCodes, repeatableFlag, replaceControls, UsageError } from '../../../inside/commands.js'
import type { OptionRow, OptionTable } from '../options.js'
import { runForTransaction } from '../processes.js'
import type { Verdict } from './evidence.js'
import type { Report } from './rules.js'

function optionOf({ flag, help, kind, choices }: OptionRow): Option {
  if (kind === 'pairs') return repeatableFlag(flag, help)
  return choices === undefined ? new Option(flag, help) : new Option(flag, help).choices(choices)
}

export function addOptions(command: Command, table: OptionTable, group?: string): void {
  for (const row of Object.values(table)) {
    const option = optionOf(row)
    command.addOption(group === undefined ? option : option.helpGroup(group))
  }
}

type Given<Table> = { [Name in keyof Table]?: string | boolean | string[] }

/** The given flags by the names of the table. */
export function givenIn<Table extends OptionTable>(table: Table, flags: object): Given<Table> {
  const values: Readonly<Record<string, unknown>> = { ...flags }
  const given = Object.entries(table).flatMap(([name, row]) => {
    const value = values[optionOf(row).attributeName()]
    // A repeatable flag that is not given is an empty list.
    return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[name, value]]
  })
  // Commander returns a text, true or a list, as the row says.
  return Object.fromEntries(given) as Given<Table>
}

/** `--state-url`, without the argument of the flag. */
export const flagName = ({ flag }: OptionRow): string => flag.split(' ')[0] ?? flag

/** Throws `UsageError` if both are given. */
export function checkOneOf<Table extends OptionTable>(
  table: Table,
  flags: object,
  ...names: [keyof Table, keyof Table]
): void {
  const given = givenIn(table, flags)
  if (names.some((name) => given[name] === undefined)) return
  const both = names.map((name) => (table[name] === undefined ? '' : flagName(table[name])))
  throw new UsageError(`${both.join(' and ')} do the same; give one of them`)
}

interface StateFlags {
  stateUrl?: string
  stateCommand?: string
}

/** Returns the URL, or a function that runs the command in this environment. */
export const stateSource = (
  { stateUrl, stateCommand }: StateFlags,
  environment: Readonly<Record<string, string>> = {},
) => (stateCommand === undefined ? stateUrl : runForTransaction(stateCommand, environment))

const exitCodeOf: Record<Verdict, number> = {
  passed: exitCodes.done,
  failed: exitCodes.failed,
  incomplete: exitCodes.incomplete,
}

/** Sets the exit code, and says which flag to correct if the state could not be read. */
export function endWith(
  { verdict, state_error: why }: Pick<Report, 'verdict' | 'state_error'>,
  { stateUrl, stateCommand }: StateFlags = {},
): void {
  process.exitCode = exitCodeOf[verdict]
  if (why === undefined) return
  const [flag, value] = stateCommand === undefined ? ['--state-url', stateUrl] : ['--state-command', stateCommand]
  const text = `${why}; correct ${flag} (${value}) and run the command again`
  process.stderr.write(`payments-sandbox: ${replaceControls(text)}\n`)
}

/** The exit codes, for the help of a command. */
export const exitHelp =
  'exit code 0: passed, 1: a requirement failed, 2: wrong usage or nothing to judge, 3: no sandbox answers, 4: a requirement could not be decided'
