/** The settings of a sandbox as flags of a command: `start` has all of them, `exec` most. */
import { type Command, Option } from 'commander'
import { flagOf, helpOf, type SettingName, setting, settingNames } from './settings.js'

/** Adds a flag for each setting, except those in `without`. `help` replaces help texts, for commands with other defaults. */
export function addSettingFlags(
  command: Command,
  without: readonly SettingName[] = [],
  help: Partial<Record<SettingName, string>> = {},
): void {
  for (const name of settingNames)
    if (!setting(name).fileOnly && !without.includes(name)) addFlag(command, name, help[name] ?? helpOf(name))
}

function addFlag(command: Command, name: SettingName, help: string): void {
  const { kind, placeholder, isOnByDefault: on, isRare = false } = setting(name)
  const flag = flagOf(name)
  const negation = flag.replace('--', '--no-')
  if (kind === 'switch') {
    const positive = new Option(flag, help)
    const negative = new Option(negation, help)
    command.addOption(on ? positive.hideHelp() : positive).addOption(on ? negative : negative.hideHelp())
    return
  }
  const option = new Option(`${flag} ${placeholder}`, help).hideHelp(isRare)
  command.addOption(
    kind === 'list'
      ? option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text])
      : option,
  )
}

/** Returns the given flags by setting name; undefined for a flag that was not given. */
export function flagsOf(command: Command): Record<string, unknown> {
  const camel = (name: string) => name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase())
  return Object.fromEntries(
    settingNames.map((name) => [
      name,
      command.getOptionValueSource(camel(name)) === 'cli' ? command.getOptionValue(camel(name)) : undefined,
    ]),
  )
}
