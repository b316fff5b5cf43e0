/** `payments-sandbox certify client`: runs a program against a sandbox that injects faults, and reports the result of each rule. */
import { once } from 'node:events'
import type { Command } from 'commander'
import { asUsage, dim, plainLines, portNumber, UsageError } from '../../../inside/commands.js'
import { defaultPort } from '../../../inside/control.js'
import { minuteMs } from '../../../inside/values.js'
import { chaosOptions, clientOptions, type FlagsOf } from '../options.js'
import { addLanguageFlag, languageOf } from '../report/examples.js'
import { certificates } from '../report/files.js'
import { addOptions, checkOneOf, endWith, exitHelp, stateSource } from '../report/flags.js'
import type { Report } from '../report/rules.js'
import { reportText } from '../report/text.js'
import { type ChaosFlags, certifyCommandUnderChaos, checkChaosFlags } from './chaos/command.js'
import { type ClientProgram, commandProgram, NotCertifiable } from './program.js'
import { clientRules } from './rules.js'
import { certifyProgram } from './run-client.js'

interface Flags extends ChaosFlags, FlagsOf<typeof clientOptions> {}

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
    const what = words.length === 0 ? 'a running app' : words.join(' ')
    const port = portNumber('--port', flags.port ?? (flags.watch === true ? String(defaultPort) : '0'))
    const run = () =>
      flags.chaos === undefined ? certify(words, what, port, flags) : certifyCommandUnderChaos(words, what, port, flags)
    const report = await asUsage<Report | null>(run, NotCertifiable)
    if (report !== null) endWith(report, flags)
  })
}

async function certify(words: readonly string[], what: string, port: number, flags: Flags): Promise<Report> {
  const { webhookUrl = null, observe = false, watch = false, json = false } = flags
  const program = watch ? untilInterrupted : withExitCode(words, json)
  const progress = plainLines('no call so far')
  try {
    const report = await certifyProgram(program, {
      ...{ port, webhookUrl, observe, stateFor: (variables) => stateSource(flags, variables) },
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
