/** `--state-url` and `--state-command`: two ways to report what the integrator's application did with a transaction. */
import type { Command } from 'commander'
import { Failure, UsageError } from '../../cli/errors.js'
import type { Report } from '../protocol/rules.js'
import { runForTransaction } from './line.js'

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

/** Returns the URL, or a function that runs the command. */
export const stateSource = ({ stateUrl, stateCommand }: StateFlags) =>
  stateCommand === undefined ? stateUrl : runForTransaction(stateCommand)

/** Throws if the state could not be read. The run did not test what was asked, so it must not end with exit code 0. */
export function requireState({ stateUrl, stateCommand }: StateFlags, { verdict, state_error: why }: Report): void {
  if (why === undefined) return
  const [flag, value] = stateCommand === undefined ? ['--state-url', stateUrl] : ['--state-command', stateCommand]
  const text = `${why}; correct ${flag} (${value}) and run the command again`
  throw verdict === 'failed' ? new Failure(text) : new UsageError(text)
}
