/** The flags of `certify client --chaos`. */
import { type Command, Option } from 'commander'
import { UsageError } from '../../../../inside/commands.js'
import type { ReportFlags } from '../../report/files.js'

export interface ChaosFlags extends ReportFlags {
  chaos?: string
  runs?: string
  seed?: string
  only?: string
  payers?: boolean
  booksCommand?: string
  timeout?: string
  port?: string
  webhookUrl?: string
}

export const usualRuns = 50
export const maxRuns = 10_000
export const usualTimeout = '5m'

export function addChaosFlags(command: Command): void {
  const flags = [
    ['--chaos <faults>', 'run the command many times with random faults: gentle, rough, or a file'],
    ['--runs <number>', `how often (default: ${usualRuns}; with --only: 1)`],
    ['--seed <number>', 'seed of the first run; each further run has the next number (default: 1)'],
    ['--only <ids>', 'repeat a run with these faults only, separated by commas'],
    ['--payers', 'simulate payers and banks (default: the command triggers payments itself)'],
    [
      '--books-command <line>',
      'command that prints the ledger of your app after each run; compared with the statement',
    ],
    ['--timeout <duration>', `the longest that a run may take (default: ${usualTimeout})`],
  ] as const
  for (const [flag, help] of flags) command.addOption(new Option(flag, help).helpGroup('Chaos:'))
}

const chaosOnly = ['runs', 'seed', 'only', 'payers', 'booksCommand', 'timeout'] as const

const spelled = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Throws `UsageError` for a flag that requires `--chaos`, or that cannot be combined with it. */
export function checkChaosFlags(flags: ChaosFlags, without: readonly string[]): void {
  const flagValues: Readonly<Record<string, unknown>> = { ...flags }
  const isGiven = (name: string) => flagValues[name] !== undefined
  const stray = flags.chaos === undefined ? chaosOnly.find(isGiven) : undefined
  if (stray !== undefined) throw new UsageError(`${spelled(stray)} needs --chaos, such as --chaos rough`)
  const other = flags.chaos === undefined ? undefined : without.find(isGiven)
  if (other !== undefined) throw new UsageError(`${spelled(other)} cannot be combined with --chaos; give one of them`)
}
