/** The accounts of a sandbox: known by name at any time, made, and funded. */
import type { ControlClient } from '../client/control.js'
import type { Account as AnsweredAccount, Balance, Credential, Currency } from '../client/types/control.js'
import { type Amount, requireKnown } from './options.js'

/** With the fields of its first credential, which is mostly the only one. */
export type Account = AnsweredAccount & Credential

/** By username. `merchant` and `customer` are there from the start. */
export interface Accounts {
  merchant: Account
  customer: Account
  [username: string]: Account
}

export type Balances = Partial<Record<Currency, Amount>>

export interface AccountWish {
  /** One is made up where absent. */
  username?: string | undefined
  name?: string | undefined
  /** CPF or CNPJ. */
  document?: string | undefined
  balances?: Balances | undefined
  credential?: { postback_url?: string | null; webhook_secret?: string; active?: boolean } | undefined
}

export interface AccountChanges {
  /** Sets what is available, by a posting. */
  balances?: Balances | undefined
  limits?: LimitChange[] | undefined
  fees?: FeeChange[] | undefined
  /** Where the webhooks of its first credential go. */
  postback_url?: string | null | undefined
}

type Operation = 'cashin' | 'cashout' | 'transfer' | 'conversion'

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

/** Keeps `known` in step: one object for the life of the sandbox. */
export class AccountBook {
  readonly known = {} as Accounts

  constructor(readonly control: ControlClient) {}

  /** Anew from the sandbox. */
  async refresh(): Promise<void> {
    this.replace((await this.control.call('GET /accounts')).data)
  }

  /** These are all that there are now. */
  replace(accounts: readonly AnsweredAccount[]): void {
    for (const username of Object.keys(this.known)) delete this.known[username]
    for (const account of accounts) this.#learn(account)
  }

  async read(username: string): Promise<Account> {
    return this.#learn(await this.control.call('GET /accounts/{username}', { params: { username } }))
  }

  async create(wish: AccountWish): Promise<Account> {
    return this.#learn(await this.control.call('POST /accounts', { body: wish }))
  }

  /** Throws `UsageError` for a change that there is not. */
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
    const { client_id } = await this.read(username)
    await this.control.call('PATCH /credentials/{client_id}', { params: { client_id }, body: { postback_url } })
  }

  async balances(username: string): Promise<Record<Currency, Balance>> {
    return (await this.read(username)).balances
  }

  #learn(answered: AnsweredAccount): Account {
    const account = { ...answered, ...answered.credentials[0] }
    this.known[account.username] = account
    return account
  }
}
