/** Starts the server for `startSandbox`. Loaded only when a sandbox is started. */
import { StartError } from '../client/errors.js'
import type { Send } from '../client/exchange.js'
import { features } from '../features/node.js'
import { megabyte } from '../protocol/platform/limits.js'
import { readInputFile, UnusableFile } from '../runtime/node/files/input.js'
import { openSandbox } from '../runtime/node/sandbox.js'
import { checkBeforeOpening, explainStartError } from '../runtime/node/start-errors.js'
import { configOfOptions, startedWithOptions } from './config.js'
import { callsInProcess } from './in-process.js'
import type { StartOptions } from './options.js'

interface OpenServer {
  url: string
  /** What calls from this process go out by. */
  send: Send
  adminToken: string | null
  close(graceMs: number): Promise<void>
}

const routes = features.flatMap((one) => one.routes ?? [])

/** Throws `UsageError` for wrong options, `StartError` if the database, the scenarios, the snapshot or the port cannot be used. */
export async function openServer(options: StartOptions): Promise<OpenServer> {
  const config = configOfOptions(options)
  const {
    db = ':memory:',
    host = '127.0.0.1',
    port = 0,
    adminToken,
    allowHosts = [],
    scenarios,
    arm = [],
    snapshot,
    databaseDriver,
    durability,
    maxImportMb,
  } = options
  const where = { host, port, db }
  try {
    await checkBeforeOpening(where)
    const running = await openSandbox({
      ...where,
      adminToken: adminToken ?? null,
      allowHosts,
      scenariosDir: scenarios ?? null,
      arm,
      databaseDriver: databaseDriver ?? null,
      ...(durability === undefined ? {} : { durability }),
      snapshot: snapshot === undefined ? null : readSnapshot(snapshot),
      maxImportBytes: maxImportMb === undefined ? null : maxImportMb * megabyte,
      config,
      startedWith: startedWithOptions(options),
      routes,
      overrideGlobals: false,
    })
    endWithRunner()
    const { url, adminToken: token } = running
    const calls = callsInProcess(running.app)
    const close = async (graceMs: number) => {
      await calls.close(graceMs)
      await running.close(graceMs)
    }
    return { url, adminToken: token, send: calls.send, close }
  } catch (error) {
    if (error instanceof StartError) throw error
    const { code, message } = explainStartError(error, where)
    throw new StartError(code, message, { cause: error })
  }
}

function readSnapshot(file: string): string {
  try {
    return readInputFile('snapshot', file).toString('utf8')
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error
    throw new StartError('SNAPSHOT_UNUSABLE', error.message, { cause: error })
  }
}

/** Variables that runners set for the processes of their workers. */
const workerVariables = ['VITEST_POOL_ID', 'JEST_WORKER_ID', 'TEST_WORKER_INDEX', 'NODE_TEST_CONTEXT'] as const
const lookMs = 200
let isWatching = false

/** If a runner is killed, a process that it started for its tests would run on, because of a test that waits or of our server. */
function endWithRunner(): void {
  // Tests of Jest get a copy of the process, in which nothing changes.
  const real = process.getBuiltinModule('node:process')
  const { env, ppid, channel } = real
  const isWorker = workerVariables.some((name) => env[name] !== undefined)
  const isProcess = channel !== undefined || env.NODE_TEST_CONTEXT !== undefined
  if (isWatching || !isWorker || !isProcess) return
  isWatching = true
  setInterval(() => real.ppid === ppid || real.kill(real.pid, 'SIGTERM'), lookMs).unref()
}
