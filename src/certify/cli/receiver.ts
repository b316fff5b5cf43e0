/** `payments-sandbox certify receiver`: tries a receiver of webhooks and says of each rule whether it holds. */

import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import { adminTokenOf, connect } from '../../cli/connection/connection.js'
import { httpSend } from '../../cli/connection/http-send.js'
import { exitCodes, UsageError } from '../../cli/errors.js'
import { startProgress, withProgress } from '../../cli/terminal/progress.js'
import { type ControlClient, connectControl } from '../../client/control.js'
import { SandboxError, UnreachableError } from '../../client/errors.js'
import { defaultPort } from '../../protocol/settings/address.js'
import { openAsked } from '../../runtime/node/asked.js'
import { receiverRules } from '../protocol/receiver-rules.js'
import { certifyModes } from '../protocol/routes.js'
import type { Report, RuleReport } from '../protocol/rules.js'
import { languageOf } from './language.js'
import { runAbout, runLine } from './line.js'
import { addReportFlags, checkReports, type ReportFlags, writeReports } from './report-files.js'
import { conclusion, head, ruleLine } from './report-text.js'

interface Flags extends ReportFlags {
  url: string
  effects?: string
  effectsCommand?: string
  restart?: string
  restartCommand?: string
  mode?: string
  productionUrl?: string
  webhookSecret?: string
  sandbox?: string
  adminToken?: string
  workspace?: string
}

export function defineCertifyReceiver(command: Command): void {
  command
    .description('try a receiver of webhooks; exit code 0 right, 1 broken, 2 could not run')
    .requiredOption('--url <address>', 'where the receiver is')
    .option('--effects <address>', 'a URL that tells what became of a transaction')
    .option('--effects-command <line>', 'a command that does; gets the id as its last argument')
    .option('--restart <address>', 'a URL that restarts the receiver, and answers when it is up again')
    .option('--restart-command <line>', 'a command that does')
    .addOption(
      new Option('--mode <mode>', 'production: without X-Sandbox, which is to be refused').choices(certifyModes),
    )
    .option('--production-url <address>', 'where the receiver is in production: is that an https address that works?')
    .option('--webhook-secret <text>', 'what to sign with (default: the secret of the sandbox)')
  addReportFlags(command)
  for (const [flag, help] of which) command.addOption(new Option(flag, help).helpGroup('Which sandbox:'))
  command.action(async (flags: Flags) => {
    if (flags.effects !== undefined && flags.effectsCommand !== undefined)
      throw new UsageError('--effects and --effects-command are two ways to tell the same: give one of them')
    if (flags.restart !== undefined && flags.restartCommand !== undefined)
      throw new UsageError('--restart and --restart-command are two ways to do the same: give one of them')
    checkReports(flags)
    const report = await orCouldNotRun(() => certify(flags))
    await writeReports(flags, 'receiver', flags.url, report)
    if (flags.json === true) process.stdout.write(`${JSON.stringify(report)}\n`)
    else process.stdout.write(conclusion(report, receiverRules, languageOf(flags.language)))
    process.exitCode = report.verdict === 'right' ? exitCodes.done : exitCodes.refused
  })
}

const which = [
  [
    '--sandbox <address>',
    `where it is (PAYMENTS_SANDBOX_URL; default: the one on port ${defaultPort}, or one for this run alone)`,
  ],
  ['--admin-token <text>', 'where it asks for one (PAYMENTS_SANDBOX_ADMIN_TOKEN)'],
  ['--workspace <name>', 'whose secrets are used (PAYMENTS_SANDBOX_WORKSPACE)'],
] as const

/** Whatever keeps it from running is no verdict about the receiver. */
async function orCouldNotRun<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UnreachableError) throw new UsageError(error.message)
    if (error instanceof SandboxError)
      throw new UsageError(
        `${error.code}: ${error.message}${'rule' in error.details ? ` (${String(error.details.rule)})` : ''}`,
      )
    throw error
  }
}

async function certify(flags: Flags): Promise<Report> {
  const { effectsCommand, restartCommand } = flags
  const { sandbox, close } = await findSandbox(flags)
  const asked = await openAsked(
    effectsCommand === undefined ? withScheme(flags.effects) : runAbout(effectsCommand),
    restartCommand === undefined ? withScheme(flags.restart) : async () => void (await runLine(restartCommand)),
  )
  try {
    const given = {
      url: withScheme(flags.url),
      effects: asked.effects,
      restart: asked.restart,
      mode: flags.mode,
      production_url: flags.productionUrl,
      webhook_secret: flags.webhookSecret,
      run: randomUUID(),
    }
    return await (flags.json === true
      ? withProgress('certifying the receiver', () => post(sandbox, given))
      : told(sandbox, given))
  } finally {
    await close()
    asked.close()
  }
}

type Wish = { url: string; run: string }
const post = (sandbox: ControlClient, wish: Wish) => sandbox.call<Report>('POST', '/certify/receiver', wish)

/** One line a rule as soon as it is known. */
async function told(sandbox: ControlClient, wish: Wish): Promise<Report> {
  const stop = new AbortController()
  const shown = new Set<string>()
  process.stdout.write(head(wish.url))
  const progress = startProgress('the first event')
  const show = (rule: Pick<RuleReport, 'id' | 'result' | 'seen' | 'blocked_by'>) => {
    if (shown.has(rule.id)) return
    shown.add(rule.id)
    progress.clear()
    // Those that another rule kept from being tested are one line at the end.
    if (rule.blocked_by === undefined) process.stdout.write(ruleLine(rule, receiverRules))
    const all = Object.keys(receiverRules).length
    progress.say(`${shown.size} of ${all} rules`, shown.size / all)
  }
  // Without the stream the lines come at the end.
  void sandbox
    .stream((change) => {
      if (change.type !== 'certify' || change.id !== wish.run) return
      const by = change.blocked_by
      show({
        // The sandbox sends a result in `status`.
        ...{ id: String(change.rule), result: change.status as RuleReport['result'], seen: String(change.seen) },
        ...(by === undefined ? {} : { blocked_by: String(by) }),
      })
    }, stop.signal)
    .catch(() => undefined)
  try {
    const report = await post(sandbox, wish)
    for (const rule of report.rules) show(rule)
    return report
  } finally {
    progress.stop()
    stop.abort()
  }
}

const withScheme = <Address extends string | undefined>(address: Address) =>
  address === undefined || /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`

/** The one that is named, else the one on the usual port, else one for this run alone: it needs none that runs already. */
async function findSandbox(flags: Flags): Promise<{ sandbox: ControlClient; close: () => Promise<void> }> {
  const { sandbox: named = process.env.PAYMENTS_SANDBOX_URL, adminToken, workspace } = flags
  const sandbox = connect({
    ...(named === undefined || named === '' ? {} : { url: named }),
    ...(adminToken === undefined ? {} : { adminToken }),
    ...(workspace === undefined ? {} : { workspace }),
  })
  try {
    await sandbox.call('GET', '/health')
    return { sandbox, close: async () => {} }
  } catch (error) {
    if (!(error instanceof UnreachableError) || (named !== undefined && named !== '') || workspace !== undefined)
      throw error
  }
  const [{ openSandbox }, { defaultConfig }] = await Promise.all([
    import('../../runtime/node/sandbox.js'),
    import('../../protocol/settings/platform.js'),
  ])
  const own = { host: '127.0.0.1', port: 0, db: ':memory:', adminToken: adminTokenOf(flags) ?? null, allowHosts: [] }
  const running = await openSandbox({ ...own, config: defaultConfig })
  return {
    sandbox: connectControl(running.url, { send: httpSend }),
    close: () => running.close(0),
  }
}
