/** The objects of the sandbox beyond the platform API, with their history. */
import type { ControlClient } from '../client/control.js'
import type {
  Dispute,
  DisputeInFull,
  Transaction,
  TransactionInFull,
  Wallet,
  WalletInFull,
} from '../client/types/control.js'
import { type Filter, readAll } from './lists.js'

export interface Listing<Row, Whole, Wanted> {
  /** Newest first; filters have the names of the control API. */
  list(filter?: Wanted): Promise<Row[]>
  get(id: string | number): Promise<Whole>
}

/** All kinds, distinguished by `type`. */
export type SandboxTransactions = Listing<Transaction, TransactionInFull, Filter<'GET /transactions'>>
export type SandboxDisputes = Listing<Dispute, DisputeInFull, Filter<'GET /disputes'>>
export type SandboxWallets = Listing<Wallet, WalletInFull, Filter<'GET /wallets'>>

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
