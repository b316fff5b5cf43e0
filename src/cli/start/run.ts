/** Opens the sandbox, reports that it is ready, and closes it on a signal. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { parsePostbackUrl } from '../../core/endpoints/operations.js'
import type { RouteSet } from '../../http/host.js'
import type { Ready } from '../../protocol/control/shapes/outputs.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { megabyte } from '../../protocol/platform/limits.js'
import { configOf } from '../../protocol/settings/platform.js'
import { readInputFile } from '../../runtime/node/files/input.js'
import { checkOutput } from '../../runtime/node/files/output.js'
import { openSandbox, type RunningSandbox } from '../../runtime/node/sandbox.js'
import type { ServerTls } from '../../runtime/node/server/serve.js'
import { checkBeforeOpening, explainStartError } from '../../runtime/node/start-errors.js'
import { setMarkAsTitle } from '../detached/records.js'
import { exitCodes, Failure, UsageError } from '../errors.js'
import type { Settings } from '../settings/settings.js'
import { isTerminal } from '../terminal/style.js'
import { logChanges } from '../watch/log-lines.js'
import { banner } from './banner.js'
import { sandboxOnPort } from './port-in-use.js'
import { readyOf, readyOutput, writeReady } from './ready.js'
import { tlsOf } from './tls.js'
import { rotatedNotice, startWarnings } from './warning.js'

/** Returns when the sandbox is ready; the process runs until a signal ends it. */
export async function runSandbox(settings: Settings, routes: readonly RouteSet[]): Promise<void> {
  setMarkAsTitle()
  const { sandbox, ready } = await openFromSettings(settings, routes)
  endOnSignal(sandbox)
  const level = settings.log_level ?? (isTerminal(process.stderr) ? 'info' : 'error')
  sandbox.onWorkspace((ws) => logChanges(ws, level, (line) => process.stderr.write(line)))
  process.stdout.write(settings.json ? `${JSON.stringify(ready)}\n` : banner(ready, sandbox.host.version))
  if (settings.open) openInBrowser(ready.dashboard_url)
}

/** Opens the sandbox and writes `--config-out`. Throws `Failure` with what is wrong and how to fix it. */
export async function openFromSettings(
  settings: Settings,
  routes: readonly RouteSet[],
): Promise<{ sandbox: RunningSandbox; ready: Ready }> {
  checkWebhookUrl(settings)
  if (settings.snapshot !== null && settings.accounts !== null && settings.accounts.length > 0)
    throw new UsageError(
      'the snapshot already contains accounts: remove --snapshot, or remove the setting accounts from the configuration file',
    )
  if (settings.config_out !== null) checkOutput(readyOutput(settings.config_out))
  const tls = await tlsOf(settings)
  const hasState = settings.db !== ':memory:' && existsSync(settings.db)
  try {
    const sandbox = await openWithSettings(settings, tls, routes)
    if (settings.snapshot !== null && hasState)
      process.stderr.write(
        `payments-sandbox: ${settings.db} already has a state, which is used; reset returns to ${settings.snapshot}\n`,
      )
    startWarnings(settings)
    if (sandbox.adminTokenIsRotated) process.stderr.write(rotatedNotice)
    const ready = readyOf(sandbox)
    if (settings.config_out !== null) await closeOnError(sandbox, () => writeReady(settings.config_out ?? '', ready))
    return { sandbox, ready }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure((await sandboxOnPort(error, settings)) ?? explainStartError(error, settings).message)
  }
}

/** Applies the same rule as for every other webhook URL. Throws `UsageError`. */
function checkWebhookUrl(settings: Settings): void {
  const { webhookUrl, strictWebhooks } = configOf(settings)
  try {
    parsePostbackUrl(webhookUrl, strictWebhooks)
  } catch (error) {
    const rule = error instanceof ApiError ? String(error.details.rule) : String(error)
    throw new UsageError(`webhook URL ${webhookUrl} is not allowed: it ${rule}`)
  }
}

async function openWithSettings(
  settings: Settings,
  tls: ServerTls | null,
  routes: readonly RouteSet[],
): Promise<RunningSandbox> {
  const { snapshot } = settings
  await checkBeforeOpening(settings)
  return openSandbox({
    host: settings.host,
    port: settings.port,
    db: settings.db,
    adminToken: settings.admin_token,
    allowHosts: settings.allow_host,
    scenariosDir: settings.scenarios,
    arm: settings.arm,
    databaseDriver: settings.database_driver,
    durability: settings.durability,
    routes,
    snapshot:
      snapshot === null
        ? null
        : readInputFile('snapshot', snapshot, 'name another file with --snapshot').toString('utf8'),
    tls,
    maxImportBytes: settings.max_import_mb === null ? null : settings.max_import_mb * megabyte,
    config: configOf(settings),
  })
}

async function closeOnError(sandbox: RunningSandbox, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    await sandbox.close(0)
    throw error
  }
}

/** Closes the sandbox at the first signal, after running work. A second Ctrl-C exits at once. */
function endOnSignal(sandbox: RunningSandbox): void {
  let stopping = false
  const end = (signal: 'SIGINT' | 'SIGTERM') => {
    if (stopping && signal === 'SIGINT') process.exit(130)
    if (stopping) return
    stopping = true
    if (isTerminal(process.stderr)) process.stderr.write('\n  stopping; press Ctrl-C again to exit at once\n')
    void sandbox.close().then(
      () => process.exit(exitCodes.done),
      (error: unknown) => {
        process.stderr.write(`payments-sandbox: could not stop cleanly: ${String(error)}\n`)
        process.exit(exitCodes.failed)
      },
    )
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
}

const openers: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
}

/** Prefers the program in `BROWSER` to the system's own. If none works, the URL is still in the banner. */
function openInBrowser(url: string): void {
  const { BROWSER } = process.env
  const [command = 'xdg-open', ...args] =
    BROWSER === undefined || BROWSER === '' ? (openers[process.platform] ?? []) : [BROWSER]
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () =>
    process.stderr.write(`payments-sandbox: no browser could be opened; the dashboard is ${url}\n`),
  )
  child.unref()
}
