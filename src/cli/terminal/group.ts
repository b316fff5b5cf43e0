/** Commands that have both an action and subcommands: `webhooks`, `webhooks ID`, `webhooks redeliver ID`. */
import type { Command } from 'commander'
import { nearest } from '../../base/nearest.js'
import { didYouMean, UsageError } from '../errors.js'

/**
 * Gives the command an action with at most `atMost` arguments. More arguments, or one that looks like a
 * subcommand, are taken for a misspelled subcommand: `UsageError` with a suggestion.
 */
export function byItself<Flags>(
  command: Command,
  atMost: 0 | 1,
  act: (word: string | undefined, flags: Flags) => Promise<void>,
): void {
  if (atMost === 1) command.argument('[id]', 'show this one in full')
  command.allowExcessArguments().action(async () => {
    const [first, second] = command.args
    const names = command.commands.map((inner) => inner.name())
    const guess = first === undefined ? null : nearest(first, names)
    const isVerb = first !== undefined && verbs.has(first)
    if (first !== undefined && (atMost === 0 || second !== undefined || guess !== null || isVerb))
      throw unknownWord(command, second !== undefined && names.length === 0 && !isVerb ? second : first, guess, atMost)
    await act(first, command.opts<Flags & Record<string, unknown>>())
  })
}

/** Subcommands of other programs for showing one or all. Here the command does that without a subcommand. */
const verbs: ReadonlySet<string> = new Set(['show', 'get', 'read', 'view', 'list', 'ls'])

function unknownWord(command: Command, word: string, guess: string | null, atMost: 0 | 1): UsageError {
  const names = command.commands.map((inner) => inner.name())
  const itself = `payments-sandbox ${command.name()}`
  const shows = atMost === 0 ? '' : `; ${itself} lists them, ${itself} ID shows one in full`
  if (names.length === 0 && !verbs.has(word)) return new UsageError(`${command.name()} takes one ID; remove ${word}`)
  const there = names.length === 0 ? '' : `; use one of ${names.join(', ')}`
  const right = guess === null ? `${there}${shows}` : didYouMean(guess)
  return new UsageError(`${command.name()} has no subcommand ${word}${right}`)
}
