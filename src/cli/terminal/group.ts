/** Commands that have both an action and subcommands: `webhooks`, `webhooks ID`, `webhooks redeliver ID`. */
import type { Command } from 'commander'
import { nearest } from '../../base/text.js'
import { didYouMean, UsageError } from '../errors.js'

/**
 * Gives the command an action with at most `atMost` arguments. More arguments, or one that looks like a
 * subcommand, are taken for a misspelled subcommand: `UsageError` with a suggestion.
 */
export function addDefaultAction<Flags>(
  command: Command,
  atMost: 0 | 1,
  act: (word: string | undefined, flags: Flags) => Promise<void>,
): void {
  if (atMost === 1) command.argument('[id]', 'show the object with this ID in full')
  command.allowExcessArguments().action(async () => {
    const [first, second] = command.args
    const names = command.commands.map((inner) => inner.name())
    const guess = first === undefined ? null : nearest(first, names)
    const isListVerb = first !== undefined && verbs.has(first)
    if (first !== undefined && (atMost === 0 || second !== undefined || guess !== null || isListVerb))
      throw unknownWord(
        command,
        second !== undefined && names.length === 0 && !isListVerb ? second : first,
        guess,
        atMost,
      )
    await act(first, command.opts<Flags & Record<string, unknown>>())
  })
}

/** Subcommands of other programs for showing one or all. Here the command does that without a subcommand. */
const verbs: ReadonlySet<string> = new Set(['show', 'get', 'read', 'view', 'list', 'ls'])

function unknownWord(command: Command, word: string, guess: string | null, atMost: 0 | 1): UsageError {
  const names = command.commands.map((inner) => inner.name())
  const commandLine = `payments-sandbox ${command.name()}`
  const usageHint = atMost === 0 ? '' : `; ${commandLine} lists them, ${commandLine} ID shows one in full`
  if (names.length === 0 && !verbs.has(word))
    return new UsageError(`${command.name()} accepts only one ID; remove ${word}`)
  const subcommandHint = names.length === 0 ? '' : `; use one of ${names.join(', ')}`
  const hint = guess === null ? `${subcommandHint}${usageHint}` : didYouMean(guess)
  return new UsageError(`${command.name()} has no subcommand ${word}${hint}`)
}
