/** A sandbox in the hand: its calls go over HTTP, or to the app itself where that runs in this process. */
import { randomUUID } from 'node:crypto'
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
import {
  type Account,
  AccountCache,
  type AccountChanges,
  type AccountOptions,
  type Accounts,
  type StatementFilter,
  type StatementOf,
} from './accounts.js'
import { chaosOf, type SandboxChaos } from './chaos.js'
import { clockOf, type SandboxClock } from './clock.js'
import {
  disputesOf,
  requestsOf,
  type SandboxDisputes,
  type SandboxRequests,
  type SandboxTransactions,
  type SandboxWallets,
  transactionsOf,
  walletsOf,
} from './lists.js'
import { type LocalReceiver, openReceiver, type Receiver, type ReceiverOptions } from './receiver.js'
import type { Sandbox } from './sandbox.js'
import { runsOf, type SandboxRuns, type SandboxScenarios, scenariosOf } from './scenarios.js'
import { type ActionInput, type Trigger, type Triggered, triggerOn } from './trigger.js'
import { type SandboxWebhooks, webhooksOf } from './webhooks.js'
/** The address of a sandbox. */
export interface SandboxAddress {
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
export async function openHandle(
  address: SandboxAddress,
  end: (() => Promise<void>) | null,
  accounts?: readonly AnsweredAccount[],
): Promise<Sandbox> {
  const handle = new Handle(address, end)
  if (accounts === undefined) await handle.accountCache.refresh()
  else handle.accountCache.replace(accounts)
  return handle
}

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

/** Methods are bound, so that `const { client, trigger } = sandbox` works. */
class Handle implements Sandbox {
  readonly control: ControlClient
  readonly accountCache: AccountCache
  readonly url: string
  readonly accounts: Accounts
  readonly clock: SandboxClock
  readonly webhooks: SandboxWebhooks
  readonly scenarios: SandboxScenarios
  readonly chaos: SandboxChaos
  readonly runs: SandboxRuns
  readonly transactions: SandboxTransactions
  readonly disputes: SandboxDisputes
  readonly wallets: SandboxWallets
  readonly requests: SandboxRequests
  readonly #clients = new Map<string, ApiClient>()
  readonly #receivers = new Set<Attached>()
  readonly #workspaces = new Set<Sandbox>()
  readonly #ending = new AbortController()
  #closed: Promise<void> | null = null

  constructor(
    readonly place: SandboxAddress,
    readonly end: (() => Promise<void>) | null,
  ) {
    const { root, adminToken, workspace, send } = place
    // Closing rejects calls that still wait.
    this.control = connectControl(root, { adminToken, workspace, send, signal: this.#ending.signal })
    this.url = this.control.url
    this.accountCache = new AccountCache(this.control)
    this.accounts = this.accountCache.known
    this.clock = clockOf(this.control)
    this.webhooks = webhooksOf(this.control)
    this.scenarios = scenariosOf(this.control)
    this.chaos = chaosOf(this.control)
    this.runs = runsOf(this.control)
    this.transactions = transactionsOf(this.control)
    this.disputes = disputesOf(this.control)
    this.wallets = walletsOf(this.control)
    this.requests = requestsOf(this.control)
  }

  /** One client for each account, so that tests stay below the rate limit of the token endpoint. */
  client = (username = 'merchant'): ApiClient => {
    const known = this.#clients.get(username)
    if (known !== undefined) return known
    const client = apiClientFor(
      this.url,
      async () => {
        const { client_id, client_secret, signing_key } = await this.accountCache.read(username)
        return { clientId: client_id, clientSecret: client_secret, signingKey: signing_key }
      },
      this.place.send,
    )
    this.#clients.set(username, client)
    return client
  }

  trigger: Trigger = <Name extends ActionName>(action: Name, params?: ActionInput<Name>): Promise<Triggered<Name>> => {
    return triggerOn(this.control, action, params)
  }

  account = (options: AccountOptions = {}): Promise<Account> => {
    return this.accountCache.create(options)
  }

  configure = (username: string, changes: AccountChanges): Promise<Account> => {
    return this.accountCache.change(username, changes)
  }

  balances = (username = 'merchant'): Promise<Record<Currency, Balance>> => {
    return this.accountCache.balances(username)
  }

  statement = <Filter extends StatementFilter>(
    username = 'merchant',
    filter?: Filter,
  ): Promise<StatementOf<Filter>> => {
    return this.accountCache.statement(username, filter)
  }

  ledger = (): Promise<Ledger> => this.control.call('GET /ledger')

  snapshot = (name?: string): Promise<Snapshot> => {
    return this.control.call('POST /snapshots', { body: { name } })
  }

  exportSnapshot = (name?: string): Promise<string> => {
    return exportState(this.control, name)
  }

  importSnapshot = async (text: string, name?: string): Promise<Snapshot> => {
    const imported = await importState(this.control, text, name)
    if (name !== undefined) return imported
    await this.accountCache.refresh()
    await this.#reattachReceivers()
    return imported
  }

  restore = async (snapshot: string | Snapshot): Promise<Snapshot> => {
    const name = nameOf(snapshot)
    const restored = await this.control.call('POST /snapshots/{name}/restore', { params: { name } })
    await this.accountCache.refresh()
    await this.#reattachReceivers()
    return restored
  }

  reset = async (): Promise<void> => {
    this.accountCache.replace((await this.control.call('POST /reset')).accounts)
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
    const known = account === null ? null : await this.accountCache.read(account)
    receiver.onClose = async () => {
      this.#receivers.delete(attached)
      if (account !== null && !this.#ending.signal.aborted)
        await this.accountCache.pointWebhooks(account, known?.postback_url ?? null)
    }
    this.#receivers.add(attached)
    if (known !== null) await this.accountCache.pointCredential(known.client_id, receiver.url)
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
    if (this.end !== null) this.#ending.abort(closed())
    await Promise.allSettled([...this.#receivers].map(({ receiver }) => receiver.close()))
    await Promise.all([...this.#workspaces].map((workspace) => workspace.close()))
    this.#ending.abort(closed())
    await this.end?.()
  }

  #secrets(): string[] {
    return Object.values(this.accounts).flatMap(({ credentials }) => credentials.map((row) => row.webhook_secret))
  }

  /** The state was replaced: receivers are registered again. */
  async #reattachReceivers(): Promise<void> {
    for (const { receiver, account } of this.#receivers) {
      receiver.clear()
      if (account !== null) await this.accountCache.pointWebhooks(account, receiver.url)
    }
  }
}
