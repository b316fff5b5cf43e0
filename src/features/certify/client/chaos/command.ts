/** `payments-sandbox certify client --chaos`: runs a command many times with random faults, and shrinks each failure. */

import { resolveFlag, startProgress, UsageError } from '../../../../inside/commands.js'
import { type Chaos, faultIdPattern } from '../../../../inside/control.js'
import { parseDuration } from '../../../../inside/values.js'
import { languageOf } from '../../language.js'
import { runLine } from '../../line.js'
import { writeReports } from '../../report/files.js'
import { commandProgram } from '../program.js'
import type { ChaosReport } from '../routes.js'
import { certifyProgramUnderChaos } from '../run-client.js'
import { type ChaosFlags, maxRuns, usualRuns, usualTimeout } from './flags.js'
import { chaosText } from './report-text.js'

export async function certifyCommandUnderChaos(
  words: readonly string[],
  what: string,
  port: number,
  flags: ChaosFlags,
): Promise<ChaosReport | Interrupted> {
  const { webhookUrl = null, payers = false, booksCommand, json = false, timeout = usualTimeout } = flags
  const only = flags.only?.split(',').map((id) => id.trim())
  const strange = only?.find((id) => !faultIdPattern.test(id))
  if (strange !== undefined)
    throw new UsageError(`--only "${strange}" is not the id of a fault, such as reset:0123456789`)
  const runs = numberOf('runs', flags.runs, only === undefined ? usualRuns : 1, 1, maxRuns)
  const seed = numberOf('seed', flags.seed, 1, 0, Number.MAX_SAFE_INTEGER - maxRuns)
  const timeoutMs = parseDuration(timeout)
  if (timeoutMs === null || timeoutMs <= 0) throw new UsageError('--timeout must be a duration such as 90s or 5m')
  // The schema of the setting has this type.
  const faults = (await resolveFlag('chaos', flags.chaos ?? '')) as Chaos
  const outputTo = runs > 1 ? 'report' : json ? 'standard error' : 'terminal'
  const progress = progressOf(runs, seed)
  try {
    const program = commandProgram(words, { outputTo, timeoutMs, ownGroup: true })
    const report = await certifyProgramUnderChaos(
      async (variables) => (progress.isInterrupted() ? interruptedEnd : program(variables)),
      {
        ...{ port, webhookUrl, payers, seed, runs },
        chaos: { ...faults, ...(only === undefined ? {} : { only }) },
        ledger: booksCommand === undefined ? null : (variables) => runLine(booksCommand, { ...variables }),
      },
      progress,
    )
    progress.stop()
    await writeReports(flags, 'client', what, report)
    const text = chaosText(report, { what, words, flags, language: languageOf(flags.language, words) })
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : text)
    return report
  } catch (error) {
    const { signal, summary } = progress.interruption()
    if (signal === null) throw error
    progress.stop()
    process.stderr.write(`${summary}\n`)
    return { signal }
  } finally {
    progress.stop()
  }
}

const interruptedEnd = { failure: 'it was interrupted', output: '' }

/** The signal that ended the runs before there was a report. */
export interface Interrupted {
  signal: NodeJS.Signals
}

function numberOf(name: string, text: string | undefined, usual: number, least: number, most: number): number {
  if (text === undefined) return usual
  const number = Number(text)
  if (/^\d{1,16}$/.test(text) && number >= least && number <= most) return number
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}, not ${text}`)
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Shows the progress. Ctrl-C ends the runs without a report. */
function progressOf(runs: number, firstSeed: number) {
  const progress = startProgress('running the command without faults')
  const failedSeeds: number[] = []
  let [received, finished]: [NodeJS.Signals | null, number] = [null, 0]
  const interrupt = (signal: NodeJS.Signals) => {
    received = signal
  }
  for (const signal of endSignals) process.on(signal, interrupt)
  const summary = () => {
    const seeds = failedSeeds.length === 0 ? '' : `; repeat a failed run with --runs 1 --seed ${failedSeeds[0]}`
    return `interrupted after ${finished} of ${runs} runs, ${failedSeeds.length} failed; there is no report${seeds}`
  }
  return {
    onRun(number: number, failedRules: readonly string[]) {
      finished = number
      if (number > 0 && failedRules.length > 0) failedSeeds.push(firstSeed + number - 1)
      progress.setText(`${number} of ${runs} runs, ${failedSeeds.length} failed`, number / runs)
    },
    onTry: (tries: number, faults: number) =>
      progress.setText(`try ${tries} to repeat a failure, with ${faults} faults`),
    isInterrupted: () => received !== null,
    interruption: () => ({ signal: received, summary: summary() }),
    stop() {
      for (const signal of endSignals) process.off(signal, interrupt)
      progress.stop()
    },
  }
}
