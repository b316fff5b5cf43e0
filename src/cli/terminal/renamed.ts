/** Flags that had another name in the version before: the old one works on until the next, and says so. */
import { type Command, Option } from 'commander'

/** `old` with its placeholder stands for the flag that is called `now`. */
export function renamed(command: Command, old: `--${string} <${string}>`, now: `--${string}`): void {
  const option = new Option(old).hideHelp()
  const target = command.options.find(({ long }) => long === now)
  if (target === undefined) throw new Error(`there is no ${now}`)
  command.addOption(option).on(`option:${option.name()}`, (value: string) => {
    process.stderr.write(`payments-sandbox: ${option.long} is now called ${now}; the next version will not know it\n`)
    command.setOptionValueWithSource(target.attributeName(), value, 'cli')
  })
}
