/** Opens the sandbox, reports that it is ready, and closes it on a signal. */
import { spawn } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { codeOf } from '../base/unknown.js'
import { connectControl } from '../client/control.js'
import { SandboxError } from '../client/errors.js'
import { listAccounts } from '../core/auth/account.js'
import { credentialsOf, parsePostbackUrl } from '../core/auth/authenticate.js'
import { credentialFields } from '../http/control/accounts.js'
import type { RouteSet } from '../http/host.js'
import type { Ready } from '../protocol/control/outputs.js'
import { ApiError } from '../protocol/platform/errors.js'
import { megabyte } from '../protocol/platform/limits.js'
import { configOf } from '../protocol/settings/platform.js'
import { readInputFile } from '../runtime/node/files/input.js'
import { checkOutput, type Output, writeOutput } from '../runtime/node/files/output.js'
import { openSandbox, type RunningSandbox } from '../runtime/node/sandbox.js'
import type { ServerTls } from '../runtime/node/server/serve.js'
import { chooseDriver } from '../runtime/node/sqlite/sqlite.js'
import { checkBeforeOpening, explainStartError } from '../runtime/node/start-errors.js'
import { isLoopback } from '../runtime/shared/address-guard.js'
import { httpSend } from './command.js'
import { healthTimeoutMs, recordsAt, runningRecords, setMarkAsTitle } from './detached.js'
import { exitCodes, Failure, UsageError } from './errors.js'
import type { ResolvedSettings } from './settings/resolve.js'
import { type Settings, startedWith } from './settings/settings.js'
import { banner, logChanges, rotatedNotice, startWarnings } from './terminal/start-output.js'
import { isTerminal } from './terminal/style.js'
import { serverCertificate } from './tls-authority.js'

// The TLS settings of `start`: the sandbox's own certificate, or one that the user brings.

const ownHosts = ['localhost', '127.0.0.1', '::1']

/** Returns null for plain HTTP. Throws `UsageError` for settings that contradict each other, and `UnusableFile`. */
async function tlsOf(settings: Settings): Promise<ServerTls | null> {
  const { tls, tls_cert: certificateFile, tls_key: keyFile, allow_host: allowHosts, host } = settings
  if (certificateFile !== null && keyFile !== null) {
    if (tls) throw new UsageError('--tls creates its own certificate: remove --tls, or --tls-cert and --tls-key')
    return readOwnCertificate(certificateFile, keyFile)
  }
  if (certificateFile !== null) throw new UsageError('--tls-cert requires --tls-key')
  if (keyFile !== null) throw new UsageError('--tls-key requires --tls-cert')
  if (!tls) return null
  const names = allowHosts.map((name) => name.replace(/:\d{1,5}$/, '')).filter((name) => !name.includes(':'))
  const address = isIP(host) === 4 && host !== '0.0.0.0' ? [host] : []
  const { certificate, key, authority } = await serverCertificate([...new Set([...ownHosts, ...names, ...address])])
  return { certificate, key, authority }
}

function readOwnCertificate(certificateFile: string, keyFile: string): ServerTls {
  const certificate = readInputFile('certificate', certificateFile, 'name another with --tls-cert').toString('utf8')
  const key = readInputFile('certificate', keyFile, 'name another with --tls-key').toString('utf8')
  const parsed = tryParse(`${certificateFile} is not a certificate in PEM`, () => new X509Certificate(certificate))
  const privateKey = tryParse(`${keyFile} is not a private key in PEM without a passphrase`, () =>
    createPrivateKey(key),
  )
  if (!parsed.checkPrivateKey(privateKey))
    throw new UsageError(`the key ${keyFile} does not belong to the certificate ${certificateFile}`)
  return { certificate, key, authority: null }
}

function tryParse<T>(message: string, read: () => T): T {
  try {
    return read()
  } catch {
    throw new UsageError(message)
  }
}

/** What `start` reports when the sandbox is ready: the data of the banner, `--json` and `--config-out`. */
function readyOf({ url, adminToken, workspace }: RunningSandbox): Ready {
  return {
    event: 'ready',
    base_url: url,
    dashboard_url: `${url}/`,
    database_driver: workspace.db.driver,
    ...(adminToken === null ? {} : { admin_token: adminToken }),
    accounts: listAccounts(workspace.db).map((account) => ({
      username: account.username,
      credentials: credentialsOf(workspace.db, account.seq).map((row) => credentialFields(workspace, row)),
    })),
  }
}

const readyOutput = (file: string): Output => ({ file, kind: 'ready', flag: '--config-out' })

/** Writes the file as a whole and readable only by its owner, so that a waiting process never reads a part of it. */
async function writeReady(file: string, ready: Ready): Promise<void> {
  await writeOutput(readyOutput(file), `${JSON.stringify(ready, null, 2)}\n`)
}

// Recognizes a sandbox on a port that is in use, and names the commands for it.

const anyHost: readonly string[] = ['0.0.0.0', '::', '']

interface ListenAddress {
  host: string
  port: number
}

/** Returns a message if the error says that another sandbox uses the port; null in all other cases. */
async function sandboxOnPort(error: unknown, { host, port }: ListenAddress): Promise<string | null> {
  if (codeOf(error) !== 'EADDRINUSE') return null
  const name = anyHost.includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  const url = `http://${name}:${port}`
  const found = await sandboxAt(url)
  if (found === null) return null
  const isDetached = recordsAt(await runningRecords(), url).length > 0
  const ending = isDetached
    ? `payments-sandbox stop --url ${url}`
    : found.pid === undefined
      ? 'Ctrl-C in its terminal'
      : `kill ${found.pid}`
  return `port ${port} on ${host} is in use by a running sandbox${found.text}: use it (payments-sandbox env --url ${url}), end it (${ending}), or start another with --port 0, which chooses any free port`
}

interface FoundSandbox {
  text: string
  pid?: number | undefined
}

async function sandboxAt(url: string): Promise<FoundSandbox | null> {
  try {
    const sandbox = connectControl(url, { send: httpSend })
    const health = await sandbox.call('GET /health', { signal: AbortSignal.timeout(healthTimeoutMs) })
    // Without its admin token, a sandbox answers with the status alone, as other programs do, but rejects other calls.
    if (health.version === undefined) await sandbox.call('GET /clock', { signal: AbortSignal.timeout(healthTimeoutMs) })
    if (health.version === undefined) return null
    const pid = health.process?.pid
    return { text: ` (version ${health.version}${pid === undefined ? '' : `, process ${pid}`})`, pid }
  } catch (error) {
    return error instanceof SandboxError && error.code === 'UNAUTHORIZED' ? { text: '' } : null
  }
}

const logLevelOfTerminal = () => (isTerminal(process.stderr) ? 'info' : 'error')

/** Returns when the sandbox is ready; the process runs until a signal ends it. */
export async function runSandbox(resolved: ResolvedSettings, routes: readonly RouteSet[]): Promise<void> {
  setMarkAsTitle()
  const { settings } = resolved
  const { sandbox, ready } = await openFromSettings(resolved, routes)
  endOnSignal(sandbox)
  const level = settings.log_level ?? logLevelOfTerminal()
  sandbox.onWorkspace((ws) => logChanges(ws, level, (line) => process.stderr.write(line)))
  process.stdout.write(settings.json ? `${JSON.stringify(ready)}\n` : banner(ready, settings, sandbox.host.version))
  if (settings.open) openInBrowser(ready.dashboard_url)
}

/** Opens the sandbox and writes `--config-out`. Throws `Failure` with what is wrong and how to fix it. */
export async function openFromSettings(
  resolved: ResolvedSettings,
  routes: readonly RouteSet[],
): Promise<{ sandbox: RunningSandbox; ready: Ready }> {
  const { settings } = resolved
  checkWebhookUrl(settings)
  if (settings.snapshot !== null && settings.accounts !== null && settings.accounts.length > 0)
    throw new UsageError(
      'the snapshot already contains accounts: remove --snapshot, or remove the setting accounts from the configuration file',
    )
  if (settings.config_out !== null) checkOutput(readyOutput(settings.config_out))
  const tls = await tlsOf(settings)
  const hasState = settings.db !== ':memory:' && existsSync(settings.db)
  try {
    const sandbox = await openWithSettings(resolved, tls, routes)
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

/** Throws `UsageError` unless the webhook URL of the settings follows the rule for all webhook URLs. */
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
  { settings, sources }: ResolvedSettings,
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
    startedWith: startedWith(settings, sources, {
      database_driver: chooseDriver(settings.database_driver).name,
      log_level: logLevelOfTerminal(),
      admin_token: isLoopback(settings.host) ? null : '(generated)',
    }),
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

/** At the first signal, closes the sandbox, which completes work in flight. A second Ctrl-C exits at once. */
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
