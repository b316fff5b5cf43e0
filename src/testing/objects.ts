/** Lists and reads transactions, disputes and wallets through the control API, with their history. */
import type { ControlClient } from '../client/control.js'
import type {
  Dispute,
  DisputeDetails,
  Transaction,
  TransactionDetails,
  Wallet,
  WalletDetails,
} from '../client/types/control.js'
import { type Filter, readAll } from './lists.js'

export interface ObjectReader<Row, Details, Query> {
  /** Newest first; filters have the names of the control API. */
  list(filter?: Query): Promise<Row[]>
  get(id: string | number): Promise<Details>
}

/** All kinds, distinguished by `type`. */
export type SandboxTransactions = ObjectReader<Transaction, TransactionDetails, Filter<'GET /transactions'>>
export type SandboxDisputes = ObjectReader<Dispute, DisputeDetails, Filter<'GET /disputes'>>
export type SandboxWallets = ObjectReader<Wallet, WalletDetails, Filter<'GET /wallets'>>

export const transactionsOf = (control: ControlClient): SandboxTransactions => ({
  list: (filter = {}) => readAll(control, 'GET /transactions', filter),
  get: (id) => control.call('GET /transactions/{id}', { params: { id } }),
})

export const disputesOf = (control: ControlClient): SandboxDisputes => ({
  list: (filter = {}) => readAll(control, 'GET /disputes', filter),
  get: (id) => control.call('GET /disputes/{id}', { params: { id } }),
})

export const walletsOf = (control: ControlClient): SandboxWallets => ({
  list: (filter = {}) => readAll(control, 'GET /wallets', filter),
  get: (id) => control.call('GET /wallets/{id}', { params: { id } }),
})
