/** `payments-sandbox completion SHELL`: prints a script with which a shell completes commands, flags and values. */
import { Argument, type Command, type Option } from 'commander'
import { actionNames } from '../../protocol/actions/actions.js'
import { currencies } from '../../protocol/platform/currencies.js'
import { eventNames } from '../../protocol/platform/events.js'
import { cashoutFailureCodes } from '../../protocol/platform/failures.js'
import { chaosFaultNames, chaosPresetNames } from '../../protocol/settings/chaos.js'
import { type CommandUsages, connect } from '../command.js'

// The completion script of each shell, which asks the program for matching words.

const bash = `_payments_sandbox() {
  local IFS=$'\\n'
  COMPREPLY=($(payments-sandbox completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then compopt -o default; fi
}
complete -F _payments_sandbox payments-sandbox
`

const zsh = `#compdef payments-sandbox
_payments_sandbox() {
  local -a found
  found=("\${(@f)$(payments-sandbox completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')}")
  if [[ -n "$found" ]]; then _describe 'payments-sandbox' found; else _files; fi
}
compdef _payments_sandbox payments-sandbox
`

const fish = `function __payments_sandbox
  set -l found (payments-sandbox completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c payments-sandbox -f -a '(__payments_sandbox)'
`

const completionScripts = {
  bash: { script: bash, install: 'eval "$(payments-sandbox completion bash)"', startupFile: '~/.bashrc' },
  zsh: { script: zsh, install: 'eval "$(payments-sandbox completion zsh)"', startupFile: '~/.zshrc' },
  fish: {
    script: fish,
    install: 'payments-sandbox completion fish | source',
    startupFile: '~/.config/fish/config.fish',
  },
} as const

export type Shell = keyof typeof completionScripts

/** Completion values of arguments and flags, from the tables or from the running sandbox. */
type Source = () => readonly string[] | Promise<readonly string[]>

const namesFrom = (route: 'GET /scenarios' | 'GET /snapshots' | 'GET /workspaces') => async (): Promise<string[]> =>
  (await connect({}).call(route)).data.map(({ name }) => name)

const scenarios = namesFrom('GET /scenarios')
const snapshots = namesFrom('GET /snapshots')
const workspaces = namesFrom('GET /workspaces')
const accounts = async () => (await connect({}).call('GET /accounts')).data.map(({ username }) => username)

/** Completion values by command path and name of the argument. */
const argumentSources: Readonly<Record<string, Source>> = {
  'trigger action': () => actionNames,
  'scenario show name': scenarios,
  'scenario run name|file': scenarios,
  'scenario arm name': scenarios,
  'scenario disarm name': scenarios,
  'account balance username': accounts,
  'snapshot restore name': snapshots,
  'snapshot delete name': snapshots,
  'request method': () => ['GET', 'POST'],
  'chaos set fault': () => [...chaosPresetNames, ...chaosFaultNames.map((name) => `${name}=`), 'seed='],
}

/** Completion values of flags, for every command. */
const flagSources: Readonly<Record<string, Source>> = {
  '--account': accounts,
  '--workspace': workspaces,
  '--error-code': () => cashoutFailureCodes,
  '--event': () => eventNames,
  '--currency': () => Object.keys(currencies),
  '--arm': scenarios,
  '--chaos': () => chaosPresetNames,
}

/** Longest wait for a sandbox that hangs; the shell then completes nothing. */
const timeoutMs = 3000

async function withTimeout(source: Source | undefined): Promise<readonly string[]> {
  if (source === undefined) return []
  const tooLate = new Promise<readonly string[]>((resolve) => setTimeout(resolve, timeoutMs, []).unref())
  return Promise.race([Promise.resolve(source()).catch(() => []), tooLate])
}

const valuesOfArgument = (path: string, name: string) => withTimeout(argumentSources[`${path} ${name}`])
const valuesOfFlag = (flag: string) => withTimeout(flagSources[flag])

// Finds the words that can complete a command line, from the definitions of the commands.

export interface Suggestion {
  word: string
  says: string
}

/** `typed` contains the words after the program's name, the unfinished word last. */
async function wordsFor(program: Command, words: readonly string[]): Promise<Suggestion[]> {
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

export const usages: CommandUsages = {
  completion: {
    jsonOutputs: [],
    examples: {
      'payments-sandbox completion bash > payments-sandbox.bash':
        'write a completion file; source the file in your shell',
      'payments-sandbox completion zsh > _payments-sandbox':
        'write a completion file; move the file to a folder of your fpath',
      'payments-sandbox completion fish > payments-sandbox.fish':
        'write a completion file; move the file to ~/.config/fish/completions',
    },
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
