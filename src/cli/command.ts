/** What the file of a command gives: its definition, and for each of its words what it prints and examples. */
import type { Command } from 'commander'
import type { controlRoutes } from '../protocol/control/index.js'
import type { shapes } from '../protocol/control/shapes/outputs.js'

/** What is printed with `--json`. */
export interface Output {
  /** With which words or flags, where not always. */
  when?: string
  /** The answer of this route. */
  route?: keyof typeof controlRoutes
  /** A shape that no route has. */
  shape?: keyof typeof shapes
  /** Neither: in words. */
  says?: string
  /** A line for each, as they come. */
  lines?: true
}

export interface Example {
  run: string
  says: string
  /** Runs until it is told to stop. */
  stays?: true
}

export interface Usage {
  /** Empty: no JSON of ours. More than one are told apart by `when`. */
  prints: readonly Output[]
  /** A test runs each of them against a real sandbox. */
  examples: readonly [Example, ...Example[]]
}

/** By the words of what can be run: `webhooks`, `webhooks wait`. */
export type Words = Readonly<Record<string, Usage>>

export interface CommandFile {
  words: Words
  define(command: Command): void
}

/** Adds the examples of a command and of its subcommands to their help texts. */
export function addExamples(command: Command, words: Words, path = command.name()): void {
  const lines = (words[path]?.examples ?? []).flatMap(({ run, says }) => [`  # ${says}`, `  ${run}`])
  if (lines.length > 0) command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'))
  for (const inner of command.commands) addExamples(inner, words, `${path} ${inner.name()}`)
}
