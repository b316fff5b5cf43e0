/** The accounts of a sandbox: read by name without waiting, created, and funded. */
import type { ControlClient } from '../client/control.js'
import type {
  Account as AnsweredAccount,
  Balance,
  Credential,
  Currency,
  StatementEntry,
} from '../client/types/control.js'
import type { Operation } from '../protocol/platform/limits.js'
import { type Amount, requireKnown } from './options.js'

/** With the fields of its first credential, usually the only one. */
export type Account = AnsweredAccount & Credential

/** By username. `merchant` and `customer` exist from the start. */
export interface Accounts {
  merchant: Account
  customer: Account
  [username: string]: Account
}

export type Balances = Partial<Record<Currency, Amount>>

export interface AccountOptions {
  /** Generated if omitted. */
  username?: string | undefined
  name?: string | undefined
  /** CPF or CNPJ. */
  document?: string | undefined
  balances?: Balances | undefined
  credential?: { postback_url?: string | null; webhook_secret?: string; active?: boolean } | undefined
}

export interface AccountChanges {
  /** Sets the available balances by a posting. */
  balances?: Balances | undefined
  limits?: LimitChange[] | undefined
  fees?: FeeChange[] | undefined
  /** Webhook address of its first credential. */
  postback_url?: string | null | undefined
}

export interface LimitChange {
  currency: Currency
  operation: Operation
  min_amount?: Amount | undefined
  max_amount?: Amount | undefined
  daily_limit?: Amount | undefined
}

export interface FeeChange {
  currency: Currency
  operation: Operation
  fixed?: Amount | undefined
  percent?: Amount | undefined
}

export interface StatementFilter {
  currency?: Currency | undefined
  /** First day, or a moment as ISO 8601 with offset. */
  from?: string | undefined
  /** Last day, inclusive, or a moment. */
  to?: string | undefined
  /** Time zone of days and times (default: `America/Sao_Paulo`). */
  time_zone?: string | undefined
}

/** One amount with `currency` in the filter, otherwise one for each currency. */
type StatementSums<Filter> = Filter extends { currency: Currency } ? string : Record<Currency, string>

export interface StatementOf<Filter> {
  opening: StatementSums<Filter>
  entries: StatementEntry[]
  closing: StatementSums<Filter>
}

/** Keeps `known` up to date: one object for the life of the sandbox. */
export class AccountCache {
  readonly known = {} as Accounts

  constructor(readonly control: ControlClient) {}

  async refresh(): Promise<void> {
    this.replace((await this.control.call('GET /accounts')).data)
  }

  replace(accounts: readonly AnsweredAccount[]): void {
    for (const username of Object.keys(this.known)) delete this.known[username]
    for (const account of accounts) this.#update(account)
  }

  async read(username: string): Promise<Account> {
    return this.#update(await this.control.call('GET /accounts/{username}', { params: { username } }))
  }

  async create(options: AccountOptions): Promise<Account> {
    return this.#update(await this.control.call('POST /accounts', { body: options }))
  }

  /** Throws `UsageError` for an unknown change. */
  async change(username: string, changes: AccountChanges): Promise<Account> {
    requireKnown('configure', changes, ['balances', 'limits', 'fees', 'postback_url'])
    const { balances, limits, fees, postback_url } = changes
    const params = { username }
    if (limits !== undefined || fees !== undefined)
      await this.control.call('PATCH /accounts/{username}', { params, body: { limits, fees } })
    if (balances !== undefined) await this.control.call('PUT /accounts/{username}/balances', { params, body: balances })
    if (postback_url !== undefined) await this.pointWebhooks(username, postback_url)
    return this.read(username)
  }

  async pointWebhooks(username: string, postback_url: string | null): Promise<void> {
    await this.pointCredential((await this.read(username)).client_id, postback_url)
  }

  async pointCredential(client_id: string, postback_url: string | null): Promise<void> {
    await this.control.call('PATCH /credentials/{client_id}', { params: { client_id }, body: { postback_url } })
  }

  async balances(username: string): Promise<Record<Currency, Balance>> {
    return (await this.read(username)).balances
  }

  /** Throws `UsageError` for an unknown filter. */
  async statement<Filter extends StatementFilter>(username: string, filter?: Filter): Promise<StatementOf<Filter>> {
    requireKnown('statement', filter ?? {}, ['currency', 'from', 'to', 'time_zone'])
    const query: StatementFilter = filter ?? {}
    const answer = await this.control.call('GET /accounts/{username}/statement', { params: { username }, query })
    // The shape of the sums follows from the filter.
    return answer as StatementOf<Filter>
  }

  #update(response: AnsweredAccount): Account {
    const account = { ...response, ...response.credentials[0] }
    this.known[account.username] = account
    return account
  }
}
