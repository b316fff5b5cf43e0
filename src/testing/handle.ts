/** A sandbox in the hand: its calls go over HTTP, wherever it runs. */
import { randomUUID } from 'node:crypto'
import { fieldsIn } from '../base/unknown.js'
import { apiClientFor } from '../client/api.js'
import { type ControlClient, connectControl } from '../client/control.js'
import { UnreachableError, UsageError } from '../client/errors.js'
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
import { type Account, AccountBook, type AccountChanges, type Accounts, type AccountWish } from './accounts.js'
import { clockOf, type SandboxClock } from './clock.js'
import {
  disputesOf,
  type SandboxDisputes,
  type SandboxTransactions,
  type SandboxWallets,
  transactionsOf,
  walletsOf,
} from './objects.js'
import { type LocalReceiver, openReceiver, type Receiver, type ReceiverOptions } from './receiver.js'
import { requestsOf, type SandboxRequests } from './requests.js'
import type { Sandbox } from './sandbox.js'
import { runsOf, type SandboxRuns, type SandboxScenarios, scenariosOf } from './scenarios.js'
import { type ActionInput, type Trigger, type Triggered, triggerOn } from './trigger.js'
import { type SandboxWebhooks, webhooksOf } from './webhooks.js'
/** Where a sandbox is. */
export interface Place {
  /** Base URL of the default workspace. */
  root: string
  adminToken?: string | undefined
  workspace?: string | undefined
}

/** `end` ends the sandbox at closing; null where it lives on. `accounts`, where they are known. Throws `UnreachableError` where nothing answers. */
export async function openHandle(
  place: Place,
  end: (() => Promise<void>) | null,
  accounts?: readonly AnsweredAccount[],
): Promise<Sandbox> {
  const handle = new Handle(place, end)
  if (accounts === undefined) await handle.book.refresh()
  else handle.book.replace(accounts)
  return handle
}

const closed = () => new UnreachableError('the sandbox was closed', { code: 'SANDBOX_CLOSED' })

function nameOf(snapshot: string | Snapshot): string {
  const name = typeof snapshot === 'string' ? snapshot : fieldsIn(snapshot).name
  if (typeof name !== 'string' || name === '') throw new UsageError('restore needs a snapshot, or the name of one')
  return name
}

interface Attached {
  receiver: LocalReceiver
  account: string | null
}

/** Methods are bound, so that `const { client, trigger } = sandbox` works. */
class Handle implements Sandbox {
  readonly control: ControlClient
  readonly book: AccountBook
  readonly url: string
  readonly accounts: Accounts
  readonly clock: SandboxClock
  readonly webhooks: SandboxWebhooks
  readonly scenarios: SandboxScenarios
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
    readonly place: Place,
    readonly end: (() => Promise<void>) | null,
  ) {
    const { root, adminToken, workspace } = place
    // Whoever still waits at closing is told so, instead of holding it up.
    this.control = connectControl(root, { adminToken, workspace, signal: this.#ending.signal })
    this.url = this.control.url
    this.book = new AccountBook(this.control)
    this.accounts = this.book.known
    this.clock = clockOf(this.control)
    this.webhooks = webhooksOf(this.control)
    this.scenarios = scenariosOf(this.control)
    this.runs = runsOf(this.control)
    this.transactions = transactionsOf(this.control)
    this.disputes = disputesOf(this.control)
    this.wallets = walletsOf(this.control)
    this.requests = requestsOf(this.control)
  }

  /** One for each account, so that tests do not run into the rate of the token endpoint. */
  client = (username = 'merchant'): ApiClient => {
    const known = this.#clients.get(username)
    if (known !== undefined) return known
    const client = apiClientFor(this.url, async () => {
      const { client_id, client_secret, signing_key } = await this.book.read(username)
      return { clientId: client_id, clientSecret: client_secret, signingKey: signing_key }
    })
    this.#clients.set(username, client)
    return client
  }

  trigger: Trigger = <Name extends ActionName>(action: Name, params?: ActionInput<Name>): Promise<Triggered<Name>> => {
    return triggerOn(this.control, action, params)
  }

  account = (wish: AccountWish = {}): Promise<Account> => {
    return this.book.create(wish)
  }

  configure = (username: string, changes: AccountChanges): Promise<Account> => {
    return this.book.change(username, changes)
  }

  balances = (username = 'merchant'): Promise<Record<Currency, Balance>> => {
    return this.book.balances(username)
  }

  ledger = (): Promise<Ledger> => {
    return this.control.call('GET /ledger')
  }

  snapshot = (name?: string): Promise<Snapshot> => {
    return this.control.call('POST /snapshots', { body: { name } })
  }

  exportSnapshot = (name?: string): Promise<string> => {
    return exportState(this.control, name)
  }

  importSnapshot = async (text: string, name?: string): Promise<Snapshot> => {
    const imported = await importState(this.control, text, name)
    if (name !== undefined) return imported
    await this.book.refresh()
    await this.#takeUp()
    return imported
  }

  restore = async (snapshot: string | Snapshot): Promise<Snapshot> => {
    const name = nameOf(snapshot)
    const restored = await this.control.call('POST /snapshots/{name}/restore', { params: { name } })
    await this.book.refresh()
    await this.#takeUp()
    return restored
  }

  reset = async (): Promise<void> => {
    this.book.replace((await this.control.call('POST /reset')).accounts)
    await this.#takeUp()
  }

  workspace = async (name = `test-${randomUUID()}`): Promise<Sandbox> => {
    const root = connectControl(
      this.place.root,
      this.place.adminToken === undefined ? {} : { adminToken: this.place.adminToken },
    )
    const { accounts } = await root.call('POST /workspaces', { body: { name } })
    const drop = async () => {
      this.#workspaces.delete(made)
      await root.call('DELETE /workspaces/{name}', { params: { name } })
    }
    const made = await openHandle({ ...this.place, workspace: name }, drop, accounts)
    this.#workspaces.add(made)
    return made
  }

  receiver = async (options: ReceiverOptions = {}): Promise<Receiver> => {
    const { account = 'merchant' } = options
    const receiver = await openReceiver(() => this.#secrets(), options)
    const attached = { receiver, account }
    const before = account === null ? null : (await this.book.read(account)).postback_url
    receiver.onClose = async () => {
      this.#receivers.delete(attached)
      if (account !== null && !this.#ending.signal.aborted) await this.book.pointWebhooks(account, before)
    }
    this.#receivers.add(attached)
    if (account !== null) await this.book.pointWebhooks(account, receiver.url)
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
    // What lives on gets its webhook addresses back; what ends needs none.
    if (this.end !== null) this.#ending.abort(closed())
    await Promise.allSettled([...this.#receivers].map(({ receiver }) => receiver.close()))
    await Promise.all([...this.#workspaces].map((workspace) => workspace.close()))
    this.#ending.abort(closed())
    await this.end?.()
  }

  #secrets(): string[] {
    return Object.values(this.accounts).flatMap(({ credentials }) => credentials.map((row) => row.webhook_secret))
  }

  /** The state is another now: receivers go on as if they were new. */
  async #takeUp(): Promise<void> {
    for (const { receiver, account } of this.#receivers) {
      receiver.clear()
      if (account !== null) await this.book.pointWebhooks(account, receiver.url)
    }
  }
}
