/** `payments-sandbox completion SHELL`: prints a script with which a shell completes commands, flags and values. */

import { Argument, type Command } from 'commander'
import type { Words } from '../command.js'
import { type Shell, shells } from './shells.js'
import { wordsFor } from './words.js'

export const words: Words = {
  completion: {
    prints: [],
    examples: [
      {
        run: 'payments-sandbox completion bash > payments-sandbox.bash',
        says: 'write a file for your shell to source',
      },
      { run: 'payments-sandbox completion zsh > _payments-sandbox', says: 'write a file for a folder of your fpath' },
      {
        run: 'payments-sandbox completion fish > payments-sandbox.fish',
        says: 'write a file for ~/.config/fish/completions',
      },
    ],
  },
}

export function define(command: Command): void {
  const names = Object.keys(shells)
  command
    .addArgument(new Argument('<shell>', names.join(', ')).choices(names))
    .addHelpText(
      'after',
      ['', 'To enable it in every new shell, add one line:', ...Object.values(shells).map(lineOf)].join('\n'),
    )
    .action((shell: Shell) => void process.stdout.write(shells[shell].script))
  command
    .command('words', { hidden: true })
    .argument('[word...]')
    .action(async (typed: string[], _flags: unknown, self: Command) => {
      const program = self.parent?.parent
      const words = program == null ? [] : await wordsFor(program, typed)
      process.stdout.write(words.map(({ word, says }) => `${word}\t${says}\n`).join(''))
    })
}

const lineOf = ({ install, file }: { install: string; file: string }) => `  ${install.padEnd(46)} in ${file}`
