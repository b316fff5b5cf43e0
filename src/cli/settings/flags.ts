/** The settings of a sandbox as flags of a command: `start` has them all, `exec` those that make sense for it. */
import { type Command, Option } from 'commander'
import { flagOf, type SettingName, setting, settingNames } from './settings.js'

interface FlagOptions {
  /** Settings that the command does not use. */
  without?: readonly SettingName[]
  /** Help texts for settings with another default in this command. */
  help?: Partial<Record<SettingName, string>>
}

/** Adds a flag for each setting that can be given as one. */
export function addSettingFlags(command: Command, { without = [], help = {} }: FlagOptions = {}): void {
  for (const name of settingNames)
    if (!setting(name).fileOnly && !without.includes(name)) addFlag(command, name, help[name] ?? setting(name).help)
}

function addFlag(command: Command, name: SettingName, help: string): void {
  const { kind, placeholder, on } = setting(name)
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
