/** Opens sandboxes for tests, in this process or under workerd: alone, or with a checked receiver for each account. */
import { expect } from 'vitest'
import { type Config, defaultConfig, type SeedAccount } from '../../src/protocol/settings/platform.js'
import { openSandbox as openRunning, type RunningSandbox, type SandboxOptions } from '../../src/runtime/node/sandbox.js'
import { type CheckedReceiver, startCheckedReceiver } from './checked-receiver.js'
import { type Api, openClient } from './client.js'
import { featureRoutes } from './control-rows.js'
import { databaseDriver } from './database.js'
import { closeAfter } from './hooks.js'
import { type Answer, type Body, send } from './http.js'
import { note } from './noted.js'
import { secretsOf } from './signing.js'
import { onWorkers, openOnWorkers, type There, workersOpener } from './workers.js'

export type Options = Partial<Omit<SandboxOptions, 'config'>>

/** Longer than any test: a process that stands still must not end a webhook that is to be answered. */
const patient = { connectMs: 170_000, totalMs: 170_000 }

/** Starts a sandbox in this process without webhook URLs (default: real time, in memory, patient with receivers). The caller closes it. */
export function startSandbox(config: Partial<Config> = {}, options: Options = {}): Promise<RunningSandbox> {
  for (const name of Object.keys(config)) note('setting', name)
  return openRunning({
    databaseDriver,
    host: '127.0.0.1',
    port: 0,
    db: ':memory:',
    adminToken: null,
    allowHosts: [],
    routes: featureRoutes,
    ...options,
    sendTimeouts: { ...patient, ...options.sendTimeouts },
    config: { ...defaultConfig, ...config },
  })
}

/** Starts a sandbox that is closed after the test. */
export async function openSandbox(config: Partial<Config> = {}, options: Options = {}): Promise<RunningSandbox> {
  if (onWorkers) return elsewhere(await openOnWorkers({ ...defaultConfig, ...config }, options))
  const sandbox = await startSandbox(config, options)
  closeAfter(() => sandbox.close(0))
  return sandbox
}

/** A sandbox under workerd, of which the tests know only the URL. */
function elsewhere({ url, close }: There): RunningSandbox {
  closeAfter(close)
  const inside = (): never => {
    throw new Error('the sandbox is in no process that a test can look into')
  }
  return {
    url,
    close,
    adminToken: null,
    adminTokenIsRotated: false,
    onWorkspace: inside,
    get app() {
      return inside()
    },
    get host() {
      return inside()
    },
    get workspace() {
      return inside()
    },
  }
}

export interface TestSandbox {
  readonly url: string
  readonly running: RunningSandbox
  hooks: CheckedReceiver
  customerHooks: CheckedReceiver
  api(username?: string): Promise<Api>
  control(method: string, path: string, body?: unknown): Promise<Answer>
  trigger(action: string, id?: unknown, params?: object): Promise<Answer>
  /** Advances the manual clock and waits for all due jobs, webhooks and their responses. */
  advance(by: string | number): Promise<Body>
  /** Waits for all due jobs and deliveries. */
  settle(): Promise<void>
  /** Restarts the sandbox on the same database, at another URL. */
  restart(): Promise<void>
  end(): Promise<void>
}

/** Stops the sandbox, and fails if its ledger is not balanced or a webhook had a problem. */
export async function closeChecked({ control, end, hooks, customerHooks }: TestSandbox): Promise<void> {
  const ledger = await control('GET', '/ledger')
  await end()
  await Promise.all([hooks.close(), customerHooks.close()])
  expect(ledger.body.balanced, JSON.stringify(ledger.body)).toBe(true)
  expect(hooks.problems).toEqual([])
  expect(customerHooks.problems).toEqual([])
}

/** Opens a sandbox as `openForFile` does. It is closed after the test, and its ledger and webhooks are checked. */
export async function openWithReceivers(config?: Partial<Config>, db?: string): Promise<TestSandbox> {
  const sandbox = await openForFile(config, db)
  closeAfter(() => closeChecked(sandbox))
  return sandbox
}

/** Opens a sandbox on a manual clock (by default), with a receiver for each account. The caller closes it, by `closeChecked`. */
export async function openForFile(config: Partial<Config> = {}, db = ':memory:'): Promise<TestSandbox> {
  const hooks = await startCheckedReceiver(secretsOf('merchant').webhookSecret)
  const customerHooks = await startCheckedReceiver(secretsOf('customer').webhookSecret)
  const accounts: SeedAccount[] = [
    { username: 'merchant', credential: { postbackUrl: hooks.url } },
    { username: 'customer', credential: { postbackUrl: customerHooks.url } },
    ...(config.accounts ?? []),
  ]
  const given: Partial<Config> = { clock: 'manual', ...config, accounts }
  for (const name of Object.keys(given)) note('setting', name)
  const open = opener({ ...defaultConfig, ...given }, db)
  let there = await open()
  const control = (method: string, path: string, body?: unknown) => send(method, `${there.url}/_sandbox${path}`, body)
  const advance = async (by: string | number) => {
    const answer = await control('POST', '/clock/advance', { by })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  return {
    get url() {
      return there.url
    },
    get running() {
      if (there.running === undefined) throw new Error('the sandbox is in no process that a test can look into')
      return there.running
    },
    hooks,
    customerHooks,
    api: (username = 'merchant') => openClient(there.url, username),
    control,
    trigger: (action, id, params = {}) => control('POST', '/trigger', { action, id, ...params }),
    advance,
    settle: async () => void (await advance(0)),
    async restart() {
      await there.close()
      there = await open()
    },
    end: () => there.close(),
  }
}

interface Opened extends There {
  /** The sandbox, if it runs in this process. */
  running?: RunningSandbox
}

/** Returns a function that opens sandboxes on the same database. */
function opener(config: Config, db: string): () => Promise<Opened> {
  if (onWorkers) return workersOpener(config, { db })
  return async () => {
    const running = await startSandbox(config, { db })
    return { url: running.url, running, close: () => running.close(0) }
  }
}
