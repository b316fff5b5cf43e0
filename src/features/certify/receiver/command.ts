/** `payments-sandbox certify receiver`: tests a webhook receiver and reports the result of each requirement. */
import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import { type ControlClient, connectControl, SandboxError, UnreachableError } from '../../../inside/client.js'
import {
  connect,
  dim,
  httpSend,
  NoSandbox,
  startProgress,
  terminalProgress,
  UsageError,
  withProgress,
} from '../../../inside/commands.js'
import { defaultPort } from '../../../inside/control.js'
import { formatDuration, keysOf, parseDuration } from '../../../inside/values.js'
import { openCallbacks } from '../callbacks.js'
import { loadProgress } from '../load/figures.js'
import { defaultLoadMs } from '../load/profiles.js'
import type { LoadProgress } from '../load/report.js'
import { loadText } from '../load/report-text.js'
import { loadRules } from '../load/rules.js'
import type { FlagsOf } from '../options.js'
import { runRestart } from '../processes.js'
import { loadOptions, receiverOptions } from '../program-options.js'
import type { LiveResult, RuleReport } from '../report/evidence.js'
import { certificates } from '../report/files.js'
import { addOptions, checkOneOf, endWith, exitHelp, flagName, givenIn, stateSource } from '../report/flags.js'
import type { RuleRow } from '../report/rules.js'
import { addLanguageFlag, conclusion, head, type LanguageFlags, languageOf, ruleLine } from '../report/text.js'
import type { ReceiverReport } from '../routes.js'
import { receiverRules } from './rules.js'
import { testEventsNotice } from './timing.js'

interface LoadFlags extends Omit<FlagsOf<typeof loadOptions>, 'rate'> {
  load?: string
}

/** Returns the field `load` of the request; undefined without `--load`. */
export function loadOf(flags: object) {
  const given = givenIn(loadOptions, flags)
  const alone = keysOf(loadOptions).find((name) => given[name] !== undefined)
  if (given.rate !== undefined) return given
  if (alone !== undefined)
    throw new UsageError(`${flagName(loadOptions[alone])} belongs to a load test: add --load 20/s`)
  return undefined
}

const durationOf = ({ for: duration }: LoadFlags): number =>
  (duration === undefined ? null : parseDuration(duration)) ?? defaultLoadMs

interface Flags extends LanguageFlags, FlagsOf<typeof receiverOptions>, LoadFlags {
  url: string
  sandbox?: string
  adminToken?: string
  workspace?: string
}

export function defineCertifyReceiver(command: Command): void {
  command.summary('test a webhook receiver').description(`test a webhook receiver; ${exitHelp}`)
  const { url, ...options } = receiverOptions
  command.requiredOption(url.flag, url.help)
  addOptions(command, options)
  addOptions(command, loadOptions, 'Load test:')
  addLanguageFlag(certificates.addFlags(command))
  for (const [flag, help] of sandboxFlags) command.addOption(new Option(flag, help).helpGroup('Which sandbox:'))
  command.action(async (flags: Flags) => {
    checkOneOf(receiverOptions, flags, 'state_url', 'state_command')
    checkOneOf(receiverOptions, flags, 'restart', 'restart_command')
    loadOf(flags)
    await certificates.check(flags)
    const report = await rejectedAsUsage(() => certify(flags))
    const { load } = report
    const options = { rules: rulesOf(flags.load), language: languageOf(flags.language) }
    const text = () => `${load === undefined ? '' : loadText(load)}${conclusion(report, options)}`
    await certificates.write(flags, { side: 'receiver', what: flags.url, report }, text)
    endWith(report, flags)
  })
}

const rulesOf = (load: unknown): Readonly<Record<string, RuleRow>> => (load === undefined ? receiverRules : loadRules)

export const sandboxFlags = [
  [
    '--sandbox <address>',
    `address of the sandbox (PAYMENTS_SANDBOX_URL; default: the one on port ${defaultPort}, else a new one for this run)`,
  ],
  ['--admin-token <text>', 'admin token, if the sandbox requires one (PAYMENTS_SANDBOX_ADMIN_TOKEN)'],
  ['--workspace <name>', 'workspace to use (PAYMENTS_SANDBOX_WORKSPACE; default: default)'],
] as const

/** Turns a rejection by the sandbox into `UsageError` (exit code 2): the rejection says nothing about the receiver. */
export async function rejectedAsUsage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UnreachableError) throw new NoSandbox(error.message, '--sandbox')
    if (!(error instanceof SandboxError)) throw error
    const { code, message, details } = error
    const rule = 'rule' in details && !message.includes(String(details.rule)) ? ` (${String(details.rule)})` : ''
    throw new UsageError(`${code}: ${message}${rule}`)
  }
}

async function certify(flags: Flags): Promise<ReceiverReport> {
  const { restartCommand } = flags
  const { sandbox, close } = await findSandbox(flags)
  const callbacks = await openCallbacks(
    stateSource({ ...flags, ...(flags.stateUrl === undefined ? {} : { stateUrl: withScheme(flags.stateUrl) }) }),
    restartCommand === undefined ? withScheme(flags.restart) : () => runRestart(restartCommand),
  )
  try {
    const { state_command: _, restart_command: __, ...given } = givenIn(receiverOptions, flags)
    const addresses = { url: withScheme(flags.url), state_url: callbacks.stateUrl, restart: callbacks.restart }
    const optionValues = { ...given, ...addresses, load: loadOf(flags), run: randomUUID() }
    return await (flags.json === true
      ? withProgress(
          flags.load === undefined
            ? 'certifying the receiver'
            : `sending the load for ${formatDuration(durationOf(flags))}`,
          () => post(sandbox, optionValues),
        )
      : showLive(sandbox, optionValues))
  } finally {
    await close()
    callbacks.close()
  }
}

type CertifyRequest = { url: string; run: string; load: unknown }
const post = (sandbox: ControlClient, request: CertifyRequest) =>
  sandbox.call<ReceiverReport>('POST', '/certify/receiver', request)

/** Prints one line for each requirement as soon as its result is known. */
async function showLive(sandbox: ControlClient, request: CertifyRequest): Promise<ReceiverReport> {
  const stop = new AbortController()
  const shownIds = new Set<string>()
  const rules = rulesOf(request.load)
  process.stdout.write(head(request.url))
  if (request.load === undefined) process.stdout.write(`  ${dim(testEventsNotice)}\n\n`)
  // Without a terminal, the lines of the requirements show the progress.
  const progress =
    request.load === undefined ? terminalProgress('sending the first event') : startProgress('sending the first event')
  const show = (rule: Pick<RuleReport, 'id' | 'result' | 'observed' | 'blocked_by'>, leftMs?: number) => {
    if (shownIds.has(rule.id)) return
    shownIds.add(rule.id)
    progress.clear()
    // Rules that were not tested are summarized in one line at the end.
    if (rule.blocked_by === undefined) process.stdout.write(ruleLine(rule, rules))
    const all = Object.keys(rules).length
    const left = leftMs !== undefined ? `, at most ${formatDuration(Math.ceil(leftMs / 1000) * 1000)} left` : ''
    if (request.load === undefined)
      progress.setText(`${shownIds.size} of ${all} requirements${left}`, shownIds.size / all)
  }
  // If the stream is not available, all lines are printed at the end.
  void sandbox
    .stream((change) => {
      if (change.type !== 'certify' || change.id !== request.run) return
      // The sandbox sends these fields with every part of a load.
      if (change.load !== undefined) return progress.setText(...loadProgress(change.load as LoadProgress))
      // The sandbox sends a result with these fields.
      const live = change as unknown as LiveResult
      const { rule: id, status: result, observed, blocked_by } = live
      show({ id, result, observed, blocked_by }, live.left_ms)
    }, stop.signal)
    .catch(() => undefined)
  try {
    const report = await post(sandbox, request)
    for (const rule of report.rules) show(rule)
    return report
  } finally {
    progress.stop()
    stop.abort()
  }
}

const withScheme = <Address extends string | undefined>(address: Address) =>
  address === undefined || /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`

/** Returns the sandbox of `--sandbox`, else the sandbox on the default port, else a new sandbox for this run. */
async function findSandbox(flags: Flags): Promise<{ sandbox: ControlClient; close: () => Promise<void> }> {
  const { sandbox: url = process.env.PAYMENTS_SANDBOX_URL, adminToken, workspace } = flags
  const sandbox = connect({ url: url || undefined, adminToken, workspace })
  try {
    await sandbox.call('GET', '/health')
    return { sandbox, close: async () => {} }
  } catch (error) {
    if (!(error instanceof UnreachableError) || (url !== undefined && url !== '') || workspace !== undefined)
      throw error
  }
  const { openOwnSandbox } = await import('../client/run-client.js')
  const running = await openOwnSandbox({})
  return { sandbox: connectControl(running.url, { send: httpSend }), close: () => running.close(0) }
}
