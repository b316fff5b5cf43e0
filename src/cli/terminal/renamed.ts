/** Renamed flags: the former name works until the next version and prints a warning. */
import { type Command, Option } from 'commander'

/** `old`, with its placeholder, is the former name of the flag `now`. */
export function renamed(command: Command, old: `--${string} <${string}>`, now: `--${string}`): void {
  const option = new Option(old).hideHelp()
  const target = command.options.find(({ long }) => long === now)
  if (target === undefined) throw new Error(`unknown flag ${now}`)
  command.addOption(option).on(`option:${option.name()}`, (value: string) => {
    process.stderr.write(
      `payments-sandbox: ${option.long} is now called ${now}; the next version removes ${option.long}\n`,
    )
    command.setOptionValueWithSource(target.attributeName(), value, 'cli')
  })
}
