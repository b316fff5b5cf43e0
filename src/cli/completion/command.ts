/** `payments-sandbox completion SHELL`: prints a script with which a shell completes commands, flags and values. */

import { Argument, type Command } from 'commander'
import type { CommandUsages } from '../command.js'
import { completionScripts, type Shell } from './shells.js'
import { wordsFor } from './words.js'

export const usages: CommandUsages = {
  completion: {
    jsonOutputs: [],
    examples: [
      {
        run: 'payments-sandbox completion bash > payments-sandbox.bash',
        says: 'write a completion file; source the file in your shell',
      },
      {
        run: 'payments-sandbox completion zsh > _payments-sandbox',
        says: 'write a completion file; move the file to a folder of your fpath',
      },
      {
        run: 'payments-sandbox completion fish > payments-sandbox.fish',
        says: 'write a completion file; move the file to ~/.config/fish/completions',
      },
    ],
  },
}

export function define(command: Command): void {
  const names = Object.keys(completionScripts)
  command
    .addArgument(new Argument('<shell>', names.join(', ')).choices(names))
    .addHelpText(
      'after',
      ['', 'To enable it in every new shell, add one line:', ...Object.values(completionScripts).map(lineOf)].join(
        '\n',
      ),
    )
    .action((shell: Shell) => void process.stdout.write(completionScripts[shell].script))
  command
    .command('words', { hidden: true })
    .argument('[word...]')
    .action(async (line: string[], _flags: unknown, self: Command) => {
      const program = self.parent?.parent
      const words = program == null ? [] : await wordsFor(program, line)
      process.stdout.write(words.map(({ word, says }) => `${word}\t${says}\n`).join(''))
    })
}

const lineOf = ({ install, startupFile }: { install: string; startupFile: string }) =>
  `  ${install.padEnd(46)} in ${startupFile}`
