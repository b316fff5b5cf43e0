/** The sandbox object of the library, and its methods. */
import type { ControlClient } from '../client/control.js'
import type { ApiClient } from '../client/types/api-client.js'
import type { Balance, Currency, Ledger, Snapshot } from '../client/types/control.js'
import type { Account, AccountChanges, AccountOptions, Accounts, StatementFilter, StatementOf } from './accounts.js'
import type { SandboxChaos, SandboxClock, SandboxRuns, SandboxScenarios, Trigger } from './controls.js'
import type { SandboxDisputes, SandboxRequests, SandboxTransactions, SandboxWallets, SandboxWebhooks } from './lists.js'
import type { Receiver, ReceiverOptions } from './receiver.js'

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
