/** What the library gives: a sandbox, and what can be done with it. */
import type { ControlClient } from '../client/control.js'
import type { ApiClient } from '../client/types/api-client.js'
import type { Balance, Currency, Ledger, Snapshot } from '../client/types/control.js'
import type { Account, AccountChanges, Accounts, AccountWish } from './accounts.js'
import type { SandboxClock } from './clock.js'
import type { SandboxDisputes, SandboxTransactions, SandboxWallets } from './objects.js'
import type { Receiver, ReceiverOptions } from './receiver.js'
import type { SandboxRequests } from './requests.js'
import type { SandboxRuns, SandboxScenarios } from './scenarios.js'
import type { Trigger } from './trigger.js'
import type { SandboxWebhooks } from './webhooks.js'

export interface Sandbox {
  /** Base URL of the faked API, without a slash at the end. */
  readonly url: string
  /** With their credentials; the same object for the life of the sandbox, in step with it. */
  readonly accounts: Accounts
  readonly clock: SandboxClock
  readonly webhooks: SandboxWebhooks
  readonly scenarios: SandboxScenarios
  readonly runs: SandboxRuns
  readonly transactions: SandboxTransactions
  readonly disputes: SandboxDisputes
  readonly wallets: SandboxWallets
  /** The log of API calls: what came, what was answered, why a signature did not verify; and what is expected of it. */
  readonly requests: SandboxRequests
  /** For whatever has no method here. */
  readonly control: ControlClient
  /** Typed calls as that account, `merchant` where absent: fetches tokens and signs. */
  client(username?: string): ApiClient
  /** Does an action of the state table. Without `id` on the newest object that it is allowed on. */
  trigger: Trigger
  /** Makes an account. */
  account(wish?: AccountWish): Promise<Account>
  /** Changes an account: balances, limits, fees, webhook address. */
  configure(username: string, changes: AccountChanges): Promise<Account>
  balances(username?: string): Promise<Record<Currency, Balance>>
  /** Every balance, recomputed from the postings. */
  ledger(): Promise<Ledger>
  /** Keeps the whole state under a name; one is made up where absent. */
  snapshot(name?: string): Promise<Snapshot>
  /** Rows, clock and queue as they were. */
  restore(snapshot: string | Snapshot): Promise<Snapshot>
  /** The present state as the text of a file, or that of a snapshot that is named. */
  exportSnapshot(name?: string): Promise<string>
  /** The present state becomes that of an exported file; under a name it is kept, and the present state left alone. */
  importSnapshot(text: string, name?: string): Promise<Snapshot>
  /** Back to the state right after start. Receivers stay, emptied. */
  reset(): Promise<void>
  /** A sandbox of its own on the same process: own database, clock, accounts, queue. Closing it drops it. */
  workspace(name?: string): Promise<Sandbox>
  /** A receiver of webhooks in this process; the webhooks of `merchant` go to it. */
  receiver(options?: ReceiverOptions): Promise<Receiver>
  /** Ends what was begun here: receivers, workspaces, and the sandbox itself where it was started here. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
