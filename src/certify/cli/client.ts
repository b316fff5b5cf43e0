/** `payments-sandbox certify client`: runs a program against a sandbox that puts hardships in its way, and says of each rule whether it held. */

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
import { openAsked } from '../../runtime/node/asked.js'
import { openSandbox, type RunningSandbox } from '../../runtime/node/sandbox.js'
import { type WatchedClient, watchClient } from '../core/client/certify-client.js'
import { withMoreFields } from '../http/more-fields.js'
import { clientRules } from '../protocol/client-rules.js'
import { testedRules } from '../protocol/report.js'
import type { Report } from '../protocol/rules.js'
import { languageOf } from './language.js'
import { runAbout } from './line.js'
import { addReportFlags, checkReports, type ReportFlags, writeReports } from './report-files.js'
import { conclusion, head, ruleLine } from './report-text.js'

interface Flags extends ReportFlags {
  observe?: boolean
  watch?: boolean
  port?: string
  webhookUrl?: string
  effects?: string
  effectsCommand?: string
}

export function defineCertifyClient(command: Command): void {
  command
    .description('try a program that calls the API; exit code 0 right, 1 broken, 2 could not run')
    .argument('[command...]', 'what to run, behind --; it finds the sandbox by its environment')
    .passThroughOptions()
    .option('--observe', 'put nothing in its way, judge what it does')
    .option('--watch', 'run no command: judge an app that runs, until Ctrl-C')
    .option('--port <number>', `where the sandbox listens (default: a free port; with --watch ${defaultPort})`)
    .option('--webhook-url <address>', 'where webhooks go (default: nowhere)')
    .option('--effects <address>', 'a URL that tells what became of a transaction')
    .option('--effects-command <line>', 'a command that does; gets the id as its last argument')
  addReportFlags(command)
  command.action(async (words: string[], flags: Flags) => {
    if ((words.length === 0) !== (flags.watch === true))
      throw new UsageError(
        words.length === 0
          ? 'name the command behind --, or watch an app that runs with --watch'
          : '--watch runs no command: leave one of the two out',
      )
    if (flags.effects !== undefined && flags.effectsCommand !== undefined)
      throw new UsageError('--effects and --effects-command are two ways to tell the same: give one of them')
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
    process.exitCode = report.verdict === 'right' ? exitCodes.done : exitCodes.refused
  })
}

/** Withdrawals wait for what is done to them, and charges outlive the hours that pass. */
const ofHardships = { cashoutSettle: 'manual', pixChargeLifeMs: 30 * 86_400_000 } as const

async function certify(words: readonly string[], what: string, flags: Flags): Promise<Report> {
  const { effects, effectsCommand, webhookUrl = null, observe = false, watch = false } = flags
  const sandbox = await openSandbox({
    host: '127.0.0.1',
    port: portOf(flags.port ?? (watch ? String(defaultPort) : '0')),
    db: ':memory:',
    adminToken: null,
    allowHosts: [],
    ...(observe ? {} : { through: withMoreFields }),
    config: { ...defaultConfig, webhookUrl, ...(observe ? {} : ofHardships) },
  }).catch((error: unknown) => {
    throw new UsageError(`the sandbox cannot start: ${error instanceof Error ? error.message : String(error)}`)
  })
  const asked = await openAsked(effectsCommand === undefined ? effects : runAbout(effectsCommand), undefined)
  try {
    const watched = await watchClient(sandbox.workspace, {
      observe,
      effects: asked.effects ?? null,
      hasMoreFields: !observe,
    })
    const variables = environmentFor(sandbox)
    const failed = await withCalls(watched, () =>
      watch ? untilTold(sandbox.url) : runToItsEnd(words, variables, flags.json === true),
    )
    const report = await watched.report({ failed })
    if (watched.calls === 0)
      throw new UsageError(`${what} made no call: it finds the sandbox by PAYMENTS_SANDBOX_URL and its siblings`)
    return report
  } finally {
    asked.close()
    await sandbox.close(0)
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new UsageError(`${text} is no port`)
}

function environmentFor(sandbox: RunningSandbox): Record<string, string> {
  const { base_url, accounts } = readyOf(sandbox)
  const [account] = accounts
  const [credential] = account?.credentials ?? []
  if (account === undefined || credential === undefined) throw new UsageError('the sandbox has no account')
  return environmentOf(base_url, account.username, credential, undefined)
}

const lookEveryMs = 500

/** Tells how far it has come; beside the command's own words. */
async function withCalls<T>(watched: WatchedClient, work: () => Promise<T>): Promise<T> {
  const progress = plainLines('no call so far')
  const timer = setInterval(() => {
    if (watched.calls > 0) progress.say(`${watched.calls} calls so far`)
  }, lookEveryMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    progress.stop()
  }
}

/** An app that is watched does not end by itself, so it does not fail. */
async function untilTold(url: string): Promise<false> {
  process.stderr.write(dim(`watching: let your app call ${url}, and press Ctrl-C when it has done enough\n`))
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  return false
}

/** Whether it failed. What it prints stays apart from the JSON. */
async function runToItsEnd(
  [file = '', ...args]: readonly string[],
  variables: Record<string, string>,
  isJson: boolean,
): Promise<boolean> {
  const child = spawn(file, args, {
    stdio: ['inherit', isJson ? 2 : 'inherit', 'inherit'],
    env: { ...process.env, ...variables },
  })
  const passOn = (signal: NodeJS.Signals) => child.kill(signal)
  const wait = () => {}
  process.on('SIGTERM', passOn).on('SIGINT', wait)
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new UsageError(error.code === 'ENOENT' ? `there is no command ${file}` : `${file}: ${error.message}`)),
    )
    child.once('close', (ended, signal) => resolve(ended ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
  process.off('SIGTERM', passOn).off('SIGINT', wait)
  if (code !== 0) process.stderr.write(dim(`the command ended with ${code}\n`))
  return code !== 0
}
