/** The exports of the file of a command: its definition, and the outputs and examples of each subcommand. */
import type { Command } from 'commander'
import type { controlRoutes } from '../protocol/control/index.js'
import type { shapes } from '../protocol/control/shapes/outputs.js'

/** One kind of output with `--json`. */
export interface Output {
  /** The arguments or flags that select this output. */
  when?: string
  /** The response of this route. */
  route?: keyof typeof controlRoutes
  /** A shape that is not the response of a route. */
  shape?: keyof typeof shapes
  /** A description, if the output is neither, or if the command prints several lines of JSON. */
  description?: string
}

export interface Example {
  run: string
  says: string
  /** Whether the command runs until it is interrupted. */
  runsUntilInterrupted?: true
}

export interface Usage {
  /** Empty if the command prints no JSON. Several outputs differ by `when`. */
  jsonOutputs: readonly Output[]
  /** A test runs each of them against a real sandbox. */
  examples: readonly [Example, ...Example[]]
}

/** Usages by command and subcommand, such as `webhooks` and `webhooks wait`. */
export type CommandUsages = Readonly<Record<string, Usage>>

export interface CommandFile {
  usages: CommandUsages
  define(command: Command): void
}

/** Adds the examples of a command and of its subcommands to their help texts. */
export function addExamples(command: Command, usages: CommandUsages, path = command.name()): void {
  const lines = (usages[path]?.examples ?? []).flatMap(({ run, says }) => [`  # ${says}`, `  ${run}`])
  if (lines.length > 0) command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'))
  for (const inner of command.commands) addExamples(inner, usages, `${path} ${inner.name()}`)
}
