/** Finds the words that can complete a command line, from the definitions of the commands. */
import type { Command, Option } from 'commander'
import { valuesOfArgument, valuesOfFlag } from './values.js'

export interface Suggestion {
  word: string
  says: string
}

/** `typed` contains the words after the program's name, the unfinished word last. */
export async function wordsFor(program: Command, words: readonly string[]): Promise<Suggestion[]> {
  const before = words.slice(0, -1)
  const typedPrefix = words.at(-1) ?? ''
  const { command, path, args, flagAwaitingValue: awaited } = placeOf(program, before)
  const all = awaited === undefined ? await suggestionsAt(command, path, args, typedPrefix) : await valuesOf(awaited)
  return all.filter(({ word }) => word.startsWith(typedPrefix))
}

interface CursorPosition {
  command: Command
  path: string[]
  args: string[]
  /** A flag whose value is missing. */
  flagAwaitingValue: Option | undefined
}

function placeOf(program: Command, before: readonly string[]): CursorPosition {
  let command = program
  const path: string[] = []
  const args: string[] = []
  let awaited: Option | undefined
  for (const word of before) {
    if (awaited !== undefined) {
      awaited = undefined
      continue
    }
    const option = command.options.find((one) => one.long === word || one.short === word)
    if (option !== undefined) {
      if (option.required) awaited = option
      continue
    }
    const inner = args.length === 0 ? command.commands.find((one) => one.name() === word) : undefined
    if (inner === undefined) args.push(word)
    else {
      command = inner
      path.push(word)
    }
  }
  return { command, path, args, flagAwaitingValue: awaited }
}

async function suggestionsAt(
  command: Command,
  path: string[],
  args: string[],
  unfinished: string,
): Promise<Suggestion[]> {
  if (unfinished.startsWith('-')) return flagsOf(command)
  const inner = args.length === 0 ? command.commands.filter((one) => one.name() !== 'words') : []
  const places = command.registeredArguments
  const argument = places[args.length] ?? (places.at(-1)?.variadic === true ? places.at(-1) : undefined)
  const values =
    argument === undefined ? [] : (argument.argChoices ?? (await valuesOfArgument(path.join(' '), argument.name())))
  const found = [
    ...inner.map((one) => ({ word: one.name(), says: one.description() })),
    ...values.map((word) => ({ word, says: '' })),
  ]
  return found.length === 0 && places.length === 0 ? flagsOf(command) : found
}

const flagsOf = (command: Command): Suggestion[] =>
  command.options
    .filter((option) => !option.hidden && option.long != null)
    .map((option) => ({ word: option.long ?? '', says: option.description }))

async function valuesOf(option: Option): Promise<Suggestion[]> {
  const values = option.argChoices ?? (await valuesOfFlag(option.long ?? ''))
  return values.map((word) => ({ word, says: '' }))
}
