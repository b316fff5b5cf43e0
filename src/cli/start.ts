/** `payments-sandbox start`: its flags, taken from the table of settings. What it does is loaded when it is asked for. */
import { type Command, Option } from 'commander'
import { resolveSettings } from './resolve-settings.js'
import { flagOf, negatedVariableOf, type SettingName, setting, settingNames, variableOf } from './settings.js'

export function defineStart(command: Command): void {
  for (const name of settingNames) if (!setting(name).fileOnly) addFlag(command, name)
  command.addHelpText('after', sources()).action(async (_flags: unknown, self: Command) => {
    const settings = await resolveSettings(flagsOf(self), process.env)
    const { runSandbox } = await import('./start-run.js')
    await runSandbox(settings)
  })
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
function flagsOf(command: Command): Record<string, unknown> {
  const camel = (name: string) => name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase())
  return Object.fromEntries(
    settingNames.map((name) => [
      name,
      command.getOptionValueSource(camel(name)) === 'cli' ? command.getOptionValue(camel(name)) : undefined,
    ]),
  )
}

function sources(): string {
  const only = settingNames.filter((name) => setting(name).fileOnly)
  const width = Math.max(...only.map((name) => name.length))
  return [
    '',
    'Each flag is also an environment variable and a key of the configuration file; flags beat variables,',
    `variables beat the file. --webhook-url is ${variableOf('webhook_url')} and webhook_url,`,
    `--no-rate-limits is ${negatedVariableOf('rate_limits')}=1 and "rate_limits: false".`,
    '',
    'In the configuration file only:',
    ...only.map((name) => `  ${name.padEnd(width)}  ${setting(name).help}`),
  ].join('\n')
}
