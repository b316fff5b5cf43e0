/** `payments-sandbox certify client`: runs a program against a sandbox that injects faults, and reports the result of each rule. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Command } from 'commander'
import { exitCodes, UsageError } from '../../cli/errors.js'
import { environmentOf } from '../../cli/start/environment.js'
import { readyOf } from '../../cli/start/ready.js'
import { plainLines } from '../../cli/terminal/progress.js'
import { dim } from '../../cli/terminal/style.js'
import { defaultPort } from '../../protocol/settings/address.js'
import { defaultConfig } from '../../protocol/settings/platform.js'
import { openSandbox, type RunningSandbox } from '../../runtime/node/sandbox.js'
import { type WatchedClient, watchClient } from '../core/client/certify-client.js'
import { withMoreFields } from '../http/more-fields.js'
import { clientRules } from '../protocol/client-rules.js'
import { testedRules } from '../protocol/report.js'
import type { Report } from '../protocol/rules.js'
import { openCallbacks } from '../runtime/callbacks.js'
import { languageOf } from './language.js'
import { addReportFlags, checkReports, type ReportFlags, writeReports } from './report-files.js'
import { conclusion, head, ruleLine } from './report-text.js'
import { addStateFlags, checkStateFlags, type StateFlags, stateSource } from './state-flags.js'

interface Flags extends ReportFlags, StateFlags {
  observe?: boolean
  watch?: boolean
  port?: string
  webhookUrl?: string
}

export function defineCertifyClient(command: Command): void {
  command
    .description('test a program that calls the API; exit code 0: passed, 1: a requirement failed, 2: wrong usage')
    .argument('[command...]', 'command to run, after --; it gets the address of the sandbox in environment variables')
    .passThroughOptions()
    .option('--observe', 'only check the calls; inject no faults')
    .option('--watch', 'run no command; check the calls of a running app until Ctrl-C')
    .option('--port <number>', `port of the sandbox (default: a free port; with --watch: ${defaultPort})`)
    .option('--webhook-url <address>', 'URL that receives webhooks (default: no webhooks are sent)')
  addStateFlags(command)
  addReportFlags(command)
  command.action(async (words: string[], flags: Flags) => {
    if ((words.length === 0) !== (flags.watch === true))
      throw new UsageError(
        words.length === 0
          ? 'give the command after --, or use --watch to check a running app'
          : '--watch cannot be combined with a command',
      )
    checkStateFlags(flags)
    checkReports(flags)
    const what = words.length === 0 ? 'a running app' : words.join(' ')
    const report = await certify(words, what, flags)
    await writeReports(flags, 'client', what, report)
    const lines = testedRules(report)
      .map((rule) => ruleLine(rule, clientRules))
      .join('')
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify(report)}\n`
        : `${head(what)}${lines}${conclusion(report, clientRules, languageOf(flags.language, words))}`,
    )
    process.exitCode = report.verdict === 'passed' ? exitCodes.done : exitCodes.refused
  })
}

/** Withdrawals settle only when the payer simulator settles them, and charges do not expire when the clock jumps. */
const faultConfig = { cashoutSettle: 'manual', pixChargeLifeMs: 30 * 86_400_000 } as const

async function certify(words: readonly string[], what: string, flags: Flags): Promise<Report> {
  const { webhookUrl = null, observe = false, watch = false } = flags
  const sandbox = await openSandbox({
    host: '127.0.0.1',
    port: portOf(flags.port ?? (watch ? String(defaultPort) : '0')),
    db: ':memory:',
    adminToken: null,
    allowHosts: [],
    ...(observe ? {} : { through: withMoreFields }),
    config: { ...defaultConfig, webhookUrl, ...(observe ? {} : faultConfig) },
  }).catch((error: unknown) => {
    throw new UsageError(`the sandbox cannot start: ${error instanceof Error ? error.message : String(error)}`)
  })
  const callbacks = await openCallbacks(stateSource(flags), undefined)
  try {
    const watched = await watchClient(sandbox.workspace, {
      observe,
      stateUrl: callbacks.stateUrl ?? null,
      hasMoreFields: !observe,
    })
    const variables = environmentFor(sandbox)
    const failed = await withCalls(watched, () =>
      watch ? untilInterrupted(sandbox.url) : runCommand(words, variables, flags.json === true),
    )
    const report = await watched.report({ failed })
    if (watched.calls === 0)
      throw new UsageError(`${what} made no call; it must call the address in PAYMENTS_SANDBOX_URL`)
    return report
  } finally {
    callbacks.close()
    await sandbox.close(0)
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new UsageError(`${text} is not a port; use a number from 0 to 65535`)
}

function environmentFor(sandbox: RunningSandbox): Record<string, string> {
  const { base_url, accounts } = readyOf(sandbox)
  const [account] = accounts
  const [credential] = account?.credentials ?? []
  if (account === undefined || credential === undefined) throw new UsageError('the sandbox has no account')
  return environmentOf(base_url, account.username, credential, undefined)
}

const reportEveryMs = 500

/** Prints the number of calls while the command runs. */
async function withCalls<T>(watched: WatchedClient, work: () => Promise<T>): Promise<T> {
  const progress = plainLines('no call so far')
  const timer = setInterval(() => {
    if (watched.calls > 0) progress.setText(`${watched.calls} calls so far`)
  }, reportEveryMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    progress.stop()
  }
}

/** A watched app does not end by itself, so it has no exit code that could fail. */
async function untilInterrupted(url: string): Promise<false> {
  process.stderr.write(dim(`watching: let your app call ${url}, then press Ctrl-C to see the report\n`))
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  return false
}

/** Resolves to whether the command failed. With `--json` its output goes to standard error, apart from the report. */
async function runCommand(
  [file = '', ...args]: readonly string[],
  variables: Record<string, string>,
  isJson: boolean,
): Promise<boolean> {
  const child = spawn(file, args, {
    stdio: ['inherit', isJson ? 2 : 'inherit', 'inherit'],
    env: { ...process.env, ...variables },
  })
  const forward = (signal: NodeJS.Signals) => child.kill(signal)
  const wait = () => {}
  process.on('SIGTERM', forward).on('SIGINT', wait)
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new UsageError(error.code === 'ENOENT' ? `command not found: ${file}` : `${file}: ${error.message}`)),
    )
    child.once('close', (ended, signal) => resolve(ended ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
  process.off('SIGTERM', forward).off('SIGINT', wait)
  if (code !== 0) process.stderr.write(dim(`the command exited with code ${code}\n`))
  return code !== 0
}
