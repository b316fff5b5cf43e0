/** `payments-sandbox certify client`: runs a program against a sandbox that injects faults, or with `--chaos` many times with random ones, and reports the result of each rule. */
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Command } from 'commander'
import {
  asUsage,
  dim,
  plainLines,
  portNumber,
  replaceControls,
  resolveFlag,
  startProgress,
  UsageError,
} from '../../../inside/commands.js'
import { type Chaos, defaultPort } from '../../../inside/control.js'
import { word } from '../../../inside/platform.js'
import { keysOf, minuteMs } from '../../../inside/values.js'
import type { FlagsOf } from '../options.js'
import { type ClientProgram, commandProgram, NotCertifiable, runLine } from '../processes.js'
import { clientOptions } from '../program-options.js'
import { certificates } from '../report/files.js'
import { addOptions, checkOneOf, endWith, exitHelp, flagName, givenIn, stateSource } from '../report/flags.js'
import type { Report } from '../report/rules.js'
import { addLanguageFlag, type LanguageFlags, languageOf, reportText } from '../report/text.js'
import { chaosPlanOf } from './certify-chaos.js'
import { chaosOptions } from './chaos-options.js'
import type { ChaosFailure, ChaosReport, FaultOfRun } from './routes.js'
import { chaosRules, clientRules } from './rules.js'
import { certifyProgram, certifyProgramUnderChaos } from './run-client.js'

interface Flags extends LanguageFlags, FlagsOf<typeof clientOptions>, FlagsOf<typeof chaosOptions> {
  port?: string
}

export function defineCertifyClient(command: Command): void {
  command
    .summary('test a program that calls the API')
    .description(`test a program that calls the API; ${exitHelp}`)
    .argument('[command...]', 'command to run, after --; it gets the address of the sandbox in environment variables')
    .passThroughOptions()
    .option('--port <number>', `port of the sandbox (default: a free port; with --watch: ${defaultPort})`)
  addOptions(command, clientOptions)
  addLanguageFlag(certificates.addFlags(command))
  addOptions(command, chaosOptions, 'Chaos:')
  command.action(async (words: string[], flags: Flags) => {
    if ((words.length === 0) !== (flags.watch === true))
      throw new UsageError(
        words.length === 0
          ? 'give the command after --, or use --watch to check a running app'
          : '--watch cannot be combined with a command',
      )
    checkOneOf(clientOptions, flags, 'state_url', 'state_command')
    checkChaosFlags(flags, ['observe', 'watch', 'state_url', 'state_command'])
    await certificates.check(flags)
    const run = flags.chaos === undefined ? certify : certifyUnderChaos
    const report = await asUsage<Report | null>(() => run(words, flags), NotCertifiable)
    if (report !== null) endWith(report, flags)
  })
}

/** Where the client runs, and its name in the report. */
function placeOf(words: readonly string[], { port, watch, webhookUrl }: Flags) {
  const number = portNumber('--port', port ?? (watch === true ? String(defaultPort) : '0'))
  const what = words.length === 0 ? 'a running app' : words.join(' ')
  return { what, place: { port: number, webhookUrl: webhookUrl ?? null } }
}

async function certify(words: readonly string[], flags: Flags): Promise<Report> {
  const { observe = false, watch = false, json = false } = flags
  const { what, place } = placeOf(words, flags)
  const program = watch ? untilInterrupted : withExitCode(words, json)
  const progress = plainLines('no call so far')
  try {
    const report = await certifyProgram(program, {
      ...{ ...place, observe, stateFor: (variables) => stateSource(flags, variables) },
      repeat: watch ? null : commandProgram(words, { outputTo: 'report', timeoutMs: longestRepeatMs, ownGroup: true }),
      onCall: (calls) => progress.setText(`${calls} calls so far`),
    })
    const above = `  ${dim(`calls judged: ${report.calls}`)}\n\n`
    const options = { rules: clientRules, language: languageOf(flags.language, words), above }
    await certificates.write(flags, { side: 'client', what, report }, () => reportText(what, report, options))
    return report
  } finally {
    progress.stop()
  }
}

/** For a run without faults. */
const longestRepeatMs = 5 * minuteMs

/** Waits until it is interrupted, for an app that is already running. The app does not exit, so it cannot fail. */
const untilInterrupted: ClientProgram = async ({ PAYMENTS_SANDBOX_URL: url }) => {
  process.stderr.write(dim(`watching: let your app call ${url}, then press Ctrl-C to see the report\n`))
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  return { failure: null, output: '' }
}

/** With `--json` the output of the client goes to standard error, separate from the report. */
const withExitCode =
  (words: readonly string[], isJson: boolean): ClientProgram =>
  async (variables) => {
    const outputTo = isJson ? 'standard error' : 'terminal'
    const end = await commandProgram(words, { outputTo, timeoutMs: null, ownGroup: false })(variables)
    if (end.failure !== null) process.stderr.write(dim(`${end.failure.replace(/^it /, 'the command ')}\n`))
    return end
  }

/** Throws `UsageError` for a flag that requires `--chaos`, or that cannot be combined with it. */
function checkChaosFlags(flags: Flags, without: readonly (keyof typeof clientOptions)[]): void {
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
function chaosText(report: ChaosReport, what: string, words: readonly string[], flags: Flags): string {
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
function repeatCommand(words: readonly string[], flags: Flags, { seed, faults, repeats }: ChaosFailure): string {
  const { chaos = '', port, webhookUrl, payers, booksCommand, timeout } = flags
  const only = repeats ? ['--only', faults.map(({ id }) => id).join(',')] : ['--runs', '1']
  const given = (flag: string, value: string | undefined) => (value === undefined ? [] : [flag, value])
  const flagWords = [
    ...['--chaos', chaos, '--seed', String(seed), ...only],
    ...[...given('--port', port), ...given('--webhook-url', webhookUrl)],
    ...(payers === true ? ['--payers'] : []),
    ...[...given('--books-command', booksCommand), ...given('--timeout', timeout)],
  ]
  return ['payments-sandbox certify client', ...flagWords.map(word), '--', ...words.map(word)].join(' ')
}

/** Returns null if the user interrupted the runs: the missing ones could change each result, so there is no report. */
async function certifyUnderChaos(words: readonly string[], flags: Flags): Promise<ChaosReport | null> {
  const { payers = false, booksCommand, json = false } = flags
  const { what, place } = placeOf(words, flags)
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
      ...{ ...place, payers, seed, runs },
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
