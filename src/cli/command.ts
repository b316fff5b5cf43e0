/** The exports of the file of a command: its definition, and the outputs and examples of each subcommand. */
import type { Command } from 'commander'
import { nearest } from '../base/text.js'
import type { RouteSet } from '../http/host.js'
import type { controlRoutes } from '../protocol/control/index.js'
import type { shapes } from '../protocol/control/outputs.js'
import type { ControlRow } from '../protocol/control/route.js'
import { didYouMean, UsageError } from './errors.js'

/** One kind of output with `--json`. */
export interface Output {
  /** The arguments or flags that select this output. */
  when?: string
  /** The response of this route; a feature names its own row. */
  route?: keyof typeof controlRoutes | ControlRow
  /** A shape that is not the response of a route. */
  shape?: keyof typeof shapes
  /** A description, if the output is neither, or if the command prints several lines of JSON. */
  description?: string
}

export interface Usage {
  /** Empty if the command prints no JSON. Several outputs differ by `when`. */
  jsonOutputs: readonly Output[]
  /** Lines to type, and what each does. A test runs each of them against a real sandbox. */
  examples: Readonly<Record<string, string>>
  /** The help has no room for the examples; another option prints them. */
  hidesExamples?: true
}

/** Usages by command and subcommand, such as `webhooks` and `webhooks wait`. */
export type CommandUsages = Readonly<Record<string, Usage>>

/** What the program is composed of, for commands that open a sandbox. */
export interface Composition {
  routes: readonly RouteSet[]
}

export interface CommandFile {
  usages: CommandUsages
  define(command: Command, composition: Composition): void
}

export const commandGroups = [
  'Start and stop a sandbox',
  'Simulate activity',
  'Inspect what happened',
  'Manage state',
  'Test and integrate',
] as const

export interface CommandRow {
  group: (typeof commandGroups)[number]
  /** Summary in the list of all commands, which fits one screen. */
  short: string
  /** Summary in the help of the command. */
  summary: string
  /** Loads the file of the command. Only the command that runs is loaded. */
  load(): Promise<CommandFile>
}

export type CommandTable = Readonly<Record<string, CommandRow>>

export const formatExamples = ({ examples }: Usage): string =>
  ['Examples:', ...Object.entries(examples).flatMap(([line, effect]) => [`  # ${effect}`, `  ${line}`])].join('\n')

export function addExamples(command: Command, usages: CommandUsages, path = command.name()): void {
  const usage = usages[path]
  if (usage !== undefined && usage.hidesExamples !== true) command.addHelpText('after', `\n${formatExamples(usage)}`)
  for (const inner of command.commands) addExamples(inner, usages, `${path} ${inner.name()}`)
}

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
