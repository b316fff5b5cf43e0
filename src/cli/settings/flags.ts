/** The settings of a sandbox as flags of a command: `start` has them all, `exec` those that make sense for it. */
import { type Command, Option } from 'commander'
import { flagOf, type SettingName, setting, settingNames } from './settings.js'

/** Adds a flag for each setting that may be one, but for those that the command has no use for. */
export function addSettingFlags(command: Command, without: readonly SettingName[] = []): void {
  for (const name of settingNames) if (!setting(name).fileOnly && !without.includes(name)) addFlag(command, name)
}

function addFlag(command: Command, name: SettingName): void {
  const { kind, placeholder, help, on } = setting(name)
  const flag = flagOf(name)
  const negation = flag.replace('--', '--no-')
  if (kind === 'switch') {
    const positive = new Option(flag, help)
    const negative = new Option(negation, help)
    command.addOption(on ? positive.hideHelp() : positive).addOption(on ? negative : negative.hideHelp())
    return
  }
  const option = new Option(`${flag} ${placeholder}`, help)
  command.addOption(
    kind === 'list'
      ? option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text])
      : option,
  )
}

/** By setting name; undefined where the flag was not given. */
export function flagsOf(command: Command): Record<string, unknown> {
  const camel = (name: string) => name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase())
  return Object.fromEntries(
    settingNames.map((name) => [
      name,
      command.getOptionValueSource(camel(name)) === 'cli' ? command.getOptionValue(camel(name)) : undefined,
    ]),
  )
}
