/** The examples of every help text. A test runs each of them against a real sandbox. */
import type { Command } from 'commander'

export interface Example {
  run: string
  says: string
  /** Runs until it is told to stop. */
  stays?: true
}

export const examples: Record<string, readonly Example[]> = {
  start: [
    { run: 'payments-sandbox start', says: 'in memory, on port 4010', stays: true },
    {
      run: 'payments-sandbox start --db sandbox.sqlite --port 0',
      says: 'keeps its state, takes any free port',
      stays: true,
    },
    {
      run: 'payments-sandbox start --port 0 --clock manual --seed ci --json',
      says: 'for tests: time stands still, the same ids every time',
      stays: true,
    },
    { run: 'payments-sandbox start --port 0 --config sandbox.yaml', says: 'settings from a file', stays: true },
  ],
}

/** Adds the examples of a command and of its subcommands to their help texts. */
export function addExamples(command: Command, path = command.name()): void {
  const lines = (examples[path] ?? []).flatMap(({ run, says }) => [`  # ${says}`, `  ${run}`])
  if (lines.length > 0) command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'))
  for (const inner of command.commands) addExamples(inner, `${path} ${inner.name()}`)
}
