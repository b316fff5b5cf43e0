/** `payments-sandbox certify client --chaos`: its flags, its report, and the command, which runs another one many times with random faults and shrinks each failure. */
import { constants } from 'node:os'
import { dim, replaceControls, resolveFlag, startProgress, UsageError } from '../../../../inside/commands.js'
import type { Chaos } from '../../../../inside/control.js'
import { word } from '../../../../inside/platform.js'
import { keysOf } from '../../../../inside/values.js'
import { chaosOptions, clientOptions, type FlagsOf } from '../../options.js'
import { runLine } from '../../processes.js'
import { type LanguageFlags, languageOf } from '../../report/examples.js'
import { certificates } from '../../report/files.js'
import { flagName, givenIn } from '../../report/flags.js'
import { reportText } from '../../report/text.js'
import { type ClientProgram, commandProgram } from '../program.js'
import type { ChaosFailure, ChaosReport, FaultOfRun } from '../routes.js'
import { chaosRules } from '../rules.js'
import { certifyProgramUnderChaos } from '../run-client.js'
import { chaosPlanOf } from './certify-chaos.js'

export interface ChaosFlags extends LanguageFlags, FlagsOf<typeof chaosOptions> {
  port?: string
  webhookUrl?: string
}

/** Throws `UsageError` for a flag that requires `--chaos`, or that cannot be combined with it. */
export function checkChaosFlags(flags: ChaosFlags, without: readonly (keyof typeof clientOptions)[]): void {
  const { chaos, ...others } = givenIn(chaosOptions, flags)
  const stray = keysOf(chaosOptions).find((name) => name !== 'chaos' && others[name] !== undefined)
  if (chaos === undefined && stray !== undefined)
    throw new UsageError(`${flagName(chaosOptions[stray])} needs --chaos, such as --chaos rough`)
  const given = givenIn(clientOptions, flags)
  const other = chaos === undefined ? undefined : without.find((name) => given[name] !== undefined)
  if (other !== undefined)
    throw new UsageError(`${flagName(clientOptions[other])} cannot be combined with --chaos; give one of them`)
}

/** `words` are the command that was certified. */
function chaosText(report: ChaosReport, what: string, words: readonly string[], flags: ChaosFlags): string {
  const details = (rule: string): string => {
    const failure = report.chaos.failures.find(({ rules }) => rules.some((id) => id === rule))
    if (rule === 'chaos.without') return outputText(report.chaos.output)
    if (failure === undefined) return ''
    if (failure.rules[0] !== rule) return row('faults', `those of ${failure.rules[0]}`)
    return failureText(failure, repeatCommand(words, flags, failure))
  }
  const language = languageOf(flags.language, words)
  return reportText(what, report, { rules: chaosRules, language, details, below: runsLine(report) })
}

function runsLine({ chaos: { seed, runs, failed_runs, faults } }: ChaosReport): string {
  if (runs === 0) return ''
  const seeds = runs < 2 ? `seed ${seed}` : `seeds ${seed} to ${seed + runs - 1}`
  return `${runs} ${runs === 1 ? 'run' : 'runs'} (${seeds}) with ${faults} ${faults === 1 ? 'fault' : 'faults'}, ${failed_runs} failed\n`
}

const row = (name: string, text: string) =>
  `   ${dim(name)}${text === '' ? '' : ' '.repeat(Math.max(1, 8 - name.length))}${text}\n`
const inner = (text: string) => `     ${text}\n`

function failureText(failure: ChaosFailure, command: string): string {
  const { faults, faults_before: before, tries, repeats, output } = failure
  const summary = repeats
    ? `smallest set: ${faults.length} of ${before} ${before === 1 ? 'fault' : 'faults'}, found in ${tries} more ${tries === 1 ? 'run' : 'runs'}`
    : `the run did not fail again with the same ${before} faults: the client does not always make the same calls`
  return [
    row('faults', summary),
    ...alignedFaults(repeats ? faults : faults.slice(0, maxListedFaults)).map(inner),
    outputText(output),
    row('repeat', ''),
    inner(command),
  ].join('')
}

const maxOutputLines = 8

function outputText(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return ''
  return [row('output', ''), ...lines.slice(-maxOutputLines).map((line) => inner(dim(replaceControls(line))))].join('')
}

/** Largest number of faults that are listed for a run that did not fail again. */
const maxListedFaults = 10

function alignedFaults(faults: readonly FaultOfRun[]): string[] {
  const widthOf = (text: (fault: FaultOfRun) => string) => Math.max(0, ...faults.map((one) => text(one).length))
  const [fault, target] = [widthOf((one) => one.fault), widthOf((one) => one.target)]
  return faults.map((one) => {
    const name = one.external_id === null ? '' : `  ${replaceControls(one.external_id)}`
    return `${one.fault.padEnd(fault)}  ${one.target.padEnd(target)}  ${dim(ordinal(one))}${name}`
  })
}

/** Formats the position of a call, such as `2nd call`. */
function ordinal({ count, target }: FaultOfRun): string {
  const ending = count % 100 >= 11 && count % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th')
  return `${count}${ending} ${target.includes(' ') ? 'call' : 'event'}`
}

/** Returns the command that runs the client with these faults only. */
function repeatCommand(words: readonly string[], flags: ChaosFlags, { seed, faults, repeats }: ChaosFailure): string {
  const { chaos = '', port, webhookUrl, payers, booksCommand, timeout } = flags
  const only = repeats ? ['--only', faults.map(({ id }) => id).join(',')] : ['--runs', '1']
  const shares = [
    ['--chaos', chaos, '--seed', String(seed), ...only],
    port === undefined ? [] : ['--port', port],
    webhookUrl === undefined ? [] : ['--webhook-url', webhookUrl],
    payers === true ? ['--payers'] : [],
    booksCommand === undefined ? [] : ['--books-command', booksCommand],
    timeout === undefined ? [] : ['--timeout', timeout],
  ].flat()
  return ['payments-sandbox certify client', ...shares.map(word), '--', ...words.map(word)].join(' ')
}

/** Returns null if the user interrupted the runs: the missing ones could change each result, so there is no report. */
export async function certifyCommandUnderChaos(
  words: readonly string[],
  what: string,
  port: number,
  flags: ChaosFlags,
): Promise<ChaosReport | null> {
  const { webhookUrl = null, payers = false, booksCommand, json = false } = flags
  const given = { ...flags, only: flags.only?.split(',').map((id) => id.trim()) }
  const { runs, seed, timeoutMs, only } = chaosPlanOf(given, (option) => flagName(chaosOptions[option]))
  // The schema of the setting has this type.
  const faults = (await resolveFlag('chaos', flags.chaos ?? '')) as Chaos
  const outputTo = runs > 1 ? 'report' : json ? 'standard error' : 'terminal'
  const progress = progressOf(runs, seed)
  try {
    const run = commandProgram(words, { outputTo, timeoutMs, ownGroup: true })
    const program: ClientProgram = async (variables) => {
      progress.check()
      return run(variables)
    }
    const options = {
      ...{ port, webhookUrl, payers, seed, runs },
      chaos: { ...faults, ...only },
      ledger: booksCommand === undefined ? null : (variables: object) => runLine(booksCommand, { ...variables }),
    }
    const report = await certifyProgramUnderChaos(program, options, progress)
    progress.stop()
    await certificates.write(flags, { side: 'client', what, report }, () => chaosText(report, what, words, flags))
    return report
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    progress.stop()
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 128 + constants.signals[error.signal]
    return null
  } finally {
    progress.stop()
  }
}

/** The message says how far the runs had come. */
class Interrupted extends Error {
  constructor(
    readonly signal: NodeJS.Signals,
    message: string,
  ) {
    super(message)
  }
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Shows the progress. Ctrl-C ends the runs before the next one. */
function progressOf(runs: number, firstSeed: number) {
  const progress = startProgress('running the command without faults')
  const failedSeeds: number[] = []
  let [received, finished]: [NodeJS.Signals | null, number] = [null, 0]
  const interrupt = (signal: NodeJS.Signals) => {
    received = signal
  }
  for (const signal of endSignals) process.on(signal, interrupt)
  const check = () => {
    if (received === null) return
    const seeds = failedSeeds.length === 0 ? '' : `; repeat a failed run with --runs 1 --seed ${failedSeeds[0]}`
    const summary = `interrupted after ${finished} of ${runs} runs, ${failedSeeds.length} failed; there is no report${seeds}`
    throw new Interrupted(received, summary)
  }
  return {
    check,
    onRun(number: number, failedRules: readonly string[]) {
      finished = number
      if (number > 0 && failedRules.length > 0) failedSeeds.push(firstSeed + number - 1)
      progress.setText(`${number} of ${runs} runs, ${failedSeeds.length} failed`, number / runs)
    },
    onTry: (tries: number, faults: number) =>
      progress.setText(`try ${tries} to repeat a failure, with ${faults} faults`),
    stop() {
      for (const signal of endSignals) process.off(signal, interrupt)
      progress.stop()
    },
  }
}
