/** `payments-sandbox certify client --chaos`: runs a command many times with random faults, and shrinks each failure. */
import { parseDuration } from '../../base/duration.js'
import { UsageError } from '../../cli/errors.js'
import { resolveFlag } from '../../cli/settings/resolve.js'
import { startProgress } from '../../cli/terminal/progress.js'
import type { Chaos } from '../../protocol/settings/chaos.js'
import { faultIdPattern } from '../../protocol/settings/chaos-faults.js'
import type { ChaosReport } from '../protocol/client-routes.js'
import { certifyProgramUnderChaos } from '../runtime/client.js'
import { commandProgram } from '../runtime/program.js'
import { type ChaosFlags, maxRuns, usualRuns, usualTimeout } from './chaos-flags.js'
import { chaosText } from './chaos-text.js'
import { languageOf } from './language.js'
import { runLine } from './line.js'
import { writeReports } from './report-files.js'

export async function certifyCommandUnderChaos(
  words: readonly string[],
  what: string,
  port: number,
  flags: ChaosFlags,
): Promise<ChaosReport> {
  const { webhookUrl = null, payers = false, booksCommand, json = false, timeout = usualTimeout } = flags
  const only = flags.only?.split(',').map((id) => id.trim())
  const strange = only?.find((id) => !faultIdPattern.test(id))
  if (strange !== undefined)
    throw new UsageError(`--only ${strange} is not the id of a fault, such as reset:0123456789`)
  const runs = numberOf('runs', flags.runs, only === undefined ? usualRuns : 1, 1, maxRuns)
  const seed = numberOf('seed', flags.seed, 1, 0, Number.MAX_SAFE_INTEGER - maxRuns)
  const timeoutMs = parseDuration(timeout)
  if (timeoutMs === null || timeoutMs <= 0) throw new UsageError('--timeout must be a duration such as 90s or 5m')
  // The schema of the setting has this type.
  const faults = (await resolveFlag('chaos', flags.chaos ?? '')) as Chaos
  const outputTo = runs > 1 ? 'report' : json ? 'standard error' : 'terminal'
  const progress = progressOf(runs)
  try {
    const report = await certifyProgramUnderChaos(
      commandProgram(words, { outputTo, timeoutMs }),
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
  } finally {
    progress.stop()
  }
}

function numberOf(name: string, text: string | undefined, usual: number, least: number, most: number): number {
  if (text === undefined) return usual
  const number = Number(text)
  if (/^\d{1,16}$/.test(text) && number >= least && number <= most) return number
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}, not ${text}`)
}

/** Shows the progress. Ctrl-C ends the runs; the report then contains the finished ones. */
function progressOf(runs: number) {
  const progress = startProgress('running the command without faults')
  let [isInterrupted, failed] = [false, 0]
  const interrupt = () => {
    isInterrupted = true
  }
  process.once('SIGINT', interrupt)
  return {
    onRun(number: number, failedRules: readonly string[]) {
      if (failedRules.length > 0) failed++
      progress.setText(`${number} of ${runs} runs, ${failed} failed`, number / runs)
    },
    onTry: (tries: number, faults: number) =>
      progress.setText(`try ${tries} to repeat a failure, with ${faults} faults`),
    isOver: () => isInterrupted,
    stop() {
      process.off('SIGINT', interrupt)
      progress.stop()
    },
  }
}
