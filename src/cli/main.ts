/** The command line: `start` runs a sandbox, and the other commands call its control API. */

import { Command, CommanderError, Help } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { features } from '../features/node.js'
import { emulatedInterfaceText } from '../protocol/platform/emulated-interface.js'
import { addExamples, type CommandRow, type CommandTable, type Composition } from './command.js'
import { commandsWith } from './commands/index.js'
import { exitCodes } from './errors.js'
import { adviceFor } from './terminal/advice.js'

// The help of the program: every command by group, on one screen of 24 lines and 80 columns.

type Group = CommandRow['group']

/** Arranges the groups in two columns of about equal length. */
const columns: readonly (readonly Group[])[] = [
  ['Start and stop a sandbox', 'Simulate activity', 'Manage state'],
  ['Inspect what happened', 'Test and integrate'],
]
const columnWidth = 41
const groupLines = (commands: CommandTable, groupName: Group, nameWidth: number): string[] => [
  groupName,
  ...Object.entries(commands)
    .filter(([, { group }]) => group === groupName)
    .map(([name, { short }]) => `  ${name.padEnd(nameWidth)}  ${short}`),
]

function overview(commands: CommandTable): string {
  const nameWidth = Math.max(...Object.keys(commands).map((name) => name.length))
  const [left = [], right = []] = columns.map((groups) =>
    groups.flatMap((group, at) => [...(at === 0 ? [] : ['']), ...groupLines(commands, group, nameWidth)]),
  )
  const height = Math.max(left.length, right.length)
  const both = Array.from({ length: height }, (_, at) =>
    `${(left[at] ?? '').padEnd(columnWidth)}${right[at] ?? ''}`.trimEnd(),
  )
  return [
    'Usage: payments-sandbox COMMAND [options]',
    '',
    ...both,
    '',
    'payments-sandbox COMMAND --help shows arguments, flags and examples.',
    '',
  ].join('\n')
}

const allCommands = commandsWith(features)
const isCommand = (name: string): boolean => Object.hasOwn(allCommands, name)
const composition: Composition = { routes: features.flatMap((one) => one.routes ?? []) }

/** The help of single commands, which is commander's own. `helper` below has the replaced `formatHelp`, so it cannot format them. */
const commanderHelp = new Help()
const program = new Command('payments-sandbox')
  .description(manifest.description.split(':')[0] ?? '')
  .usage('COMMAND [options]')
  .version(`${manifest.version}\n${emulatedInterfaceText}`)
  .helpCommand('help [command]', 'show the help of a command')
  .exitOverride()
  .enablePositionalOptions()
  .hook('preAction', (_program, actionCommand) => inheritFlags(actionCommand))
  .showSuggestionAfterError()
  .configureHelp({
    // Hides the default of repeatable flags, an empty list.
    optionDescription: (option) => option.description,
    subcommandTerm: (command) => command.name(),
    sortSubcommands: false,
    formatHelp: (command, helper) =>
      command.parent === null ? overview(allCommands) : commanderHelp.formatHelp(command, helper),
  })
  .configureOutput({
    outputError: (text, write) => write(`payments-sandbox: ${adviceFor(text, argv) ?? withoutPrefix(text)}\n`),
  })

// A reader that closes the pipe early (`| head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? exitCodes.done : 1))

/** Removes the prefix of commander's message, and puts the suggestion that commander appends on the same line. */
const withoutPrefix = (text: string) =>
  text
    .replace(/^error: /, '')
    .replace(/\n\(Did/, ' (Did')
    .trimEnd()

const argv = moveFlagsBehindCommand(process.argv.slice(2))
/** Settles when the command has ended. */
export const finished = run()

async function run(): Promise<void> {
  try {
    await defineCommands(argv.find(isCommand))
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    process.exitCode = await reportError(error)
  }
}

/** Every command is defined by name and summary; only the requested one is loaded. */
async function defineCommands(requested: string | undefined): Promise<void> {
  for (const [name, { summary, load }] of Object.entries(allCommands)) {
    const command = program.command(name).description(summary)
    // Completion needs the definitions of all commands.
    if (name !== requested && requested !== 'completion') continue
    const { define, usages } = await load()
    define(command, composition)
    addExamples(command, usages)
  }
}

/** Allows `--url X trigger …` for `trigger … --url X`. */
function moveFlagsBehindCommand(args: string[]): string[] {
  const at = args.findIndex(isCommand)
  return at > 0 && args[0]?.startsWith('--') && args[0] !== '--help' ? [...args.slice(at), ...args.slice(0, at)] : args
}

/** Allows `clock --url X advance 1h` for `clock advance 1h --url X`: a subcommand inherits flags. */
function inheritFlags(acting: Command): void {
  for (let above = acting.parent; above !== null; above = above.parent)
    for (const [name, value] of Object.entries(above.opts()))
      if (above.getOptionValueSource(name) === 'cli' && acting.getOptionValueSource(name) !== 'cli')
        acting.setOptionValueWithSource(name, value, 'cli')
}

/** Reports an error, unless commander has already reported it, and returns the exit code. */
async function reportError(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  const { report } = await import('./terminal/report.js')
  return report(error, argv.includes('--json'))
}
