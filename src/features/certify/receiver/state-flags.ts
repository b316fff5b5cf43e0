/** `--state-url` and `--state-command`: two ways to report what the integrator's application did with a transaction. */
import type { Command } from 'commander'
import { exitCodes, replaceControls, UsageError } from '../../../inside/commands.js'
import { runForTransaction } from '../line.js'
import type { Report, Verdict } from '../report/rules.js'

export interface StateFlags {
  stateUrl?: string
  stateCommand?: string
}

export function addStateFlags(command: Command): void {
  command
    .option('--state-url <address>', 'URL where your application reports the state of a transaction')
    .option(
      '--state-command <line>',
      'command that prints the state of a transaction; its last argument is the transaction id',
    )
}

export function checkStateFlags({ stateUrl, stateCommand }: StateFlags): void {
  if (stateUrl !== undefined && stateCommand !== undefined)
    throw new UsageError('--state-url and --state-command do the same; give one of them')
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
