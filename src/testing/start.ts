/** `startSandbox` starts a sandbox in this process; `connectSandbox` uses one that runs elsewhere. */

import { randomUUID } from 'node:crypto'
import { withoutTrailing } from '../base/text.js'
import { fieldsIn } from '../base/unknown.js'
import { apiClientFor } from '../client/api.js'
import { type ControlClient, connectControl } from '../client/control.js'
import { UnreachableError, UsageError } from '../client/errors.js'
import type { Send } from '../client/exchange.js'
import { exportState, importState } from '../client/snapshots.js'
import type { ApiClient } from '../client/types/api-client.js'
import type {
  ActionName,
  Account as AnsweredAccount,
  Balance,
  Currency,
  Ledger,
  Snapshot,
} from '../client/types/control.js'
import { defaultUrl } from '../protocol/settings/process.js'
import {
  type Account,
  AccountCache,
  type AccountChanges,
  type AccountOptions,
  type Accounts,
  type StatementFilter,
  type StatementOf,
} from './accounts.js'
import {
  type ActionInput,
  chaosOf,
  clockOf,
  runsOf,
  type SandboxChaos,
  type SandboxClock,
  type SandboxRuns,
  type SandboxScenarios,
  scenariosOf,
  type Trigger,
  triggerOn,
} from './controls.js'
import {
  disputesOf,
  requestsOf,
  type SandboxDisputes,
  type SandboxRequests,
  type SandboxTransactions,
  type SandboxWallets,
  type SandboxWebhooks,
  transactionsOf,
  walletsOf,
  webhooksOf,
} from './lists.js'
import { requireKnown, type StartOptions } from './options.js'
import { type LocalReceiver, openReceiver, type Receiver, type ReceiverOptions } from './receiver.js'

export interface Sandbox {
  /** Base URL of the platform API, without a slash at the end. */
  readonly url: string
  /** Accounts with their credentials. The object stays the same and is kept up to date. */
  readonly accounts: Accounts
  readonly clock: SandboxClock
  readonly webhooks: SandboxWebhooks
  readonly scenarios: SandboxScenarios
  /** Random faults of calls and webhooks. */
  readonly chaos: SandboxChaos
  readonly runs: SandboxRuns
  readonly transactions: SandboxTransactions
  readonly disputes: SandboxDisputes
  readonly wallets: SandboxWallets
  /** The request log: calls, answers, why a signature was invalid; and expectations about them. */
  readonly requests: SandboxRequests
  /** For control routes that have no method here. */
  readonly control: ControlClient
  /** Typed calls as that account (default: `merchant`): fetches tokens and signs. */
  client(username?: string): ApiClient
  /** Performs an action of the state table. Without `id`, on the newest eligible object. */
  trigger: Trigger
  /** Creates an account. */
  account(options?: AccountOptions): Promise<Account>
  /** Changes an account: balances, limits, fees, webhook address. */
  configure(username: string, changes: AccountChanges): Promise<Account>
  balances(username?: string): Promise<Record<Currency, Balance>>
  /** Every posting that changes the available balance of an account, with opening and closing balance. */
  statement<Filter extends StatementFilter>(username?: string, filter?: Filter): Promise<StatementOf<Filter>>
  /** All balances, recomputed from the postings. */
  ledger(): Promise<Ledger>
  /** Saves the complete state under a name (default: a generated one). */
  snapshot(name?: string): Promise<Snapshot>
  /** Restores rows, clock and queue. */
  restore(snapshot: string | Snapshot): Promise<Snapshot>
  /** Returns the present state, or a named snapshot, as the text of a file. */
  exportSnapshot(name?: string): Promise<string>
  /** Replaces the present state by an exported file. With a name, stores it as a snapshot instead. */
  importSnapshot(text: string, name?: string): Promise<Snapshot>
  /** Returns to the state right after start. Receivers stay open and are emptied. */
  reset(): Promise<void>
  /** Creates a separate sandbox in the same process: own database, clock, accounts, queue. Closing it deletes it. */
  workspace(name?: string): Promise<Sandbox>
  /** Opens a webhook receiver in this process, which receives the webhooks of `merchant`. */
  receiver(options?: ReceiverOptions): Promise<Receiver>
  /** Closes what this object opened: receivers, workspaces, and the sandbox itself if `startSandbox` started it. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Time that requests in progress get at closing. */
const graceMs = 2_000

/** Listens on a free port, with the state in memory. The server is loaded here, so that verifying a webhook does not load it. */
export async function startSandbox(options: StartOptions = {}): Promise<Sandbox> {
  const { openServer } = await import('./server.js')
  const server = await openServer(options)
  const close = () => server.close(graceMs)
  try {
    return await openHandle({ root: server.url, adminToken: server.adminToken ?? undefined, send: server.send }, close)
  } catch (error) {
    await close()
    throw error
  }
}

export interface ConnectOptions {
  /** Required if the sandbox has an admin token. */
  adminToken?: string | undefined
  /** An existing workspace, instead of `default`. */
  workspace?: string | undefined
}

const names = ['adminToken', 'workspace'] as const satisfies readonly (keyof ConnectOptions)[]

/**
 * Throws `UsageError` if `url` is not a URL, `UnreachableError` if no sandbox answers there. Closing leaves the sandbox
 * running.
 */
export async function connectSandbox(url: string, options: ConnectOptions = {}): Promise<Sandbox> {
  requireKnown('connectSandbox', options, names)
  if (typeof url !== 'string' || !URL.canParse(url))
    throw new UsageError(`connectSandbox requires the URL of a sandbox, such as ${defaultUrl}`)
  return openHandle({ root: withoutTrailing(url, '/'), ...options }, null)
}

/** The address of a sandbox. */
interface SandboxAddress {
  /** Base URL of the default workspace. */
  root: string
  adminToken?: string | undefined
  workspace?: string | undefined
  /** What its calls go out by; `fetch` if absent. */
  send?: Send | undefined
}

/**
 * `end` stops the sandbox at closing; null if it continues to run. `accounts`, if they are known. Throws
 * `UnreachableError` if nothing answers.
 */
async function openHandle(
  address: SandboxAddress,
  end: (() => Promise<void>) | null,
  accounts?: readonly AnsweredAccount[],
): Promise<Sandbox> {
  const { root, ...options } = address
  const ending = new AbortController()
  // Closing rejects calls that still wait.
  const control = connectControl(root, { ...options, signal: ending.signal })
  const cache = new AccountCache(control)
  if (accounts === undefined) await cache.refresh()
  else cache.replace(accounts)
  return Object.assign(new Handle(address, end, control, cache, ending), callsOf(control, cache))
}

type Calls = Omit<Sandbox, keyof Handle>

const closed = () => new UnreachableError('the sandbox was closed', { code: 'SANDBOX_CLOSED' })

function nameOf(snapshot: string | Snapshot): string {
  const name = typeof snapshot === 'string' ? snapshot : fieldsIn(snapshot).name
  if (typeof name !== 'string' || name === '') throw new UsageError('restore requires a snapshot or its name')
  return name
}

interface Attached {
  receiver: LocalReceiver
  account: string | null
}

/** What the control API answers without more. */
const callsOf = (control: ControlClient, accounts: AccountCache): Calls => ({
  control,
  url: control.url,
  accounts: accounts.known,
  clock: clockOf(control),
  webhooks: webhooksOf(control),
  scenarios: scenariosOf(control),
  chaos: chaosOf(control),
  runs: runsOf(control),
  transactions: transactionsOf(control),
  disputes: disputesOf(control),
  wallets: walletsOf(control),
  requests: requestsOf(control),
  trigger: <Name extends ActionName>(action: Name, params?: ActionInput<Name>) => triggerOn(control, action, params),
  account: (options = {}) => accounts.create(options),
  configure: (username, changes) => accounts.change(username, changes),
  balances: (username = 'merchant') => accounts.balances(username),
  statement: (username = 'merchant', filter) => accounts.statement(username, filter),
  ledger: () => control.call('GET /ledger'),
  snapshot: (name) => control.call('POST /snapshots', { body: { name } }),
  exportSnapshot: (name) => exportState(control, name),
})

/** What opens, closes or replaces something. Methods are bound, so that `const { client, reset } = sandbox` works. */
class Handle {
  readonly #clients = new Map<string, ApiClient>()
  readonly #receivers = new Set<Attached>()
  readonly #workspaces = new Set<Sandbox>()
  #closed: Promise<void> | null = null

  constructor(
    private readonly place: SandboxAddress,
    private readonly end: (() => Promise<void>) | null,
    private readonly calls: ControlClient,
    private readonly cache: AccountCache,
    private readonly ending: AbortController,
  ) {}

  /** One client for each account, so that tests stay below the rate limit of the token endpoint. */
  client = (username = 'merchant'): ApiClient => {
    const known = this.#clients.get(username)
    if (known !== undefined) return known
    const client = apiClientFor(
      this.calls.url,
      async () => {
        const { client_id, client_secret, signing_key } = await this.cache.read(username)
        return { clientId: client_id, clientSecret: client_secret, signingKey: signing_key }
      },
      this.place.send,
    )
    this.#clients.set(username, client)
    return client
  }

  importSnapshot = async (text: string, name?: string): Promise<Snapshot> => {
    const imported = await importState(this.calls, text, name)
    if (name !== undefined) return imported
    await this.cache.refresh()
    await this.#reattachReceivers()
    return imported
  }

  restore = async (snapshot: string | Snapshot): Promise<Snapshot> => {
    const name = nameOf(snapshot)
    const restored = await this.calls.call('POST /snapshots/{name}/restore', { params: { name } })
    await this.cache.refresh()
    await this.#reattachReceivers()
    return restored
  }

  reset = async (): Promise<void> => {
    this.cache.replace((await this.calls.call('POST /reset')).accounts)
    await this.#reattachReceivers()
  }

  workspace = async (name = `test-${randomUUID()}`): Promise<Sandbox> => {
    const { adminToken, send } = this.place
    const root = connectControl(this.place.root, { adminToken, send })
    const { accounts } = await root.call('POST /workspaces', { body: { name } })
    const deleteWorkspace = async () => {
      this.#workspaces.delete(opened)
      await root.call('DELETE /workspaces/{name}', { params: { name } })
    }
    const opened = await openHandle({ ...this.place, workspace: name }, deleteWorkspace, accounts)
    this.#workspaces.add(opened)
    return opened
  }

  receiver = async (options: ReceiverOptions = {}): Promise<Receiver> => {
    const { account = 'merchant' } = options
    const receiver = await openReceiver(() => this.#secrets(), options)
    const attached = { receiver, account }
    const known = account === null ? null : await this.cache.read(account)
    receiver.onClose = async () => {
      this.#receivers.delete(attached)
      if (account !== null && !this.ending.signal.aborted)
        await this.cache.pointWebhooks(account, known?.postback_url ?? null)
    }
    this.#receivers.add(attached)
    if (known !== null) await this.cache.pointCredential(known.client_id, receiver.url)
    return receiver
  }

  close = (): Promise<void> => {
    this.#closed ??= this.#close()
    return this.#closed
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    // A sandbox that continues to run gets its webhook addresses back.
    if (this.end !== null) this.ending.abort(closed())
    await Promise.allSettled([...this.#receivers].map(({ receiver }) => receiver.close()))
    await Promise.all([...this.#workspaces].map((workspace) => workspace.close()))
    this.ending.abort(closed())
    await this.end?.()
  }

  #secrets(): string[] {
    return Object.values(this.cache.known).flatMap(({ credentials }) => credentials.map((row) => row.webhook_secret))
  }

  /** The state was replaced: receivers are registered again. */
  async #reattachReceivers(): Promise<void> {
    for (const { receiver, account } of this.#receivers) {
      receiver.clear()
      if (account !== null) await this.cache.pointWebhooks(account, receiver.url)
    }
  }
}
