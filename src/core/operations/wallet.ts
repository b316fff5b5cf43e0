/** Fixed wallets and the deposits that arrive at them (interface.md §4.3, assumptions.md decision 22). */

import { isoUtc } from '../../base/iso.js'
import type { ActionParams } from '../../protocol/actions/actions.js'
import { type Currency, labelOf, type Network } from '../../protocol/platform/currencies.js'
import { railOf } from '../../protocol/rails/index.js'
import type { Caller } from '../auth/authenticate.js'
import { parseAmountField } from '../ledger/pricing.js'
import { idSourceOf, type Unit } from '../unit/unit.js'
import { chainFor, paymentEffect } from './cashin.js'
import { type Cashin, findWalletOf, type Handler, type Wallet } from './transactions.js'
import { createInState, newTransaction, type Outcome } from './transition.js'

/** Creates a new wallet at each call, unless the setting `second_wallet` says otherwise. */
export function createWallet(
  unit: Unit,
  caller: Caller,
  request: { currency: Currency; chain: Network | null },
): Wallet {
  const { ids } = unit
  const { account, credential } = caller
  const known = unit.config.secondWallet === 'same' ? findWalletOf(unit.db, account.seq, request) : undefined
  if (known !== undefined) return known
  const wallet: Wallet = {
    seq: ids.sequence('wallets'),
    accountSeq: account.seq,
    credentialSeq: credential?.seq ?? null,
    currency: request.currency,
    chain: request.chain,
    address: railOf(request.currency).newDestination(idSourceOf(unit), request.chain),
    createdAtMs: unit.atMs,
  }
  createInState(unit, { kind: 'wallet', row: wallet }, 'create', () => ({
    event: {
      name: 'wallet.created',
      to: {
        accountSeq: wallet.accountSeq,
        credentialSeq: wallet.credentialSeq,
        externalId: null,
        postbackUrl: null,
        subjectId: String(wallet.seq),
      },
      transactionId: String(wallet.seq),
      data: () => walletFields(wallet),
    },
  }))
  return wallet
}

export function walletFields(wallet: Wallet) {
  const currency = wallet.currency
  const chain = wallet.chain
  const rail = railOf(currency)
  return {
    wallet_id: wallet.seq,
    currency,
    currency_type: rail.type,
    chain,
    network: labelOf(currency, chain),
    address: wallet.address,
    min_confirmations: rail.confirmations(chain),
    created_at: isoUtc(wallet.createdAtMs),
  }
}

/** `wallet.deposit`: creates a confirmed charge with `source: static`. */
export function deposit(
  unit: Unit,
  wallet: Wallet,
  params: ActionParams<'wallet.deposit'>,
): Outcome & { cashin: Cashin } {
  const currency = wallet.currency
  const amountMinor = parseAmountField(params.amount, currency)
  const cashin = newTransaction(unit, 'cashin', 'deposit', {
    accountSeq: wallet.accountSeq,
    credentialSeq: wallet.credentialSeq,
    source: 'static',
    currency,
    amountMinor,
    feeMinor: 0n,
    network: wallet.chain,
    detail: { walletId: wallet.seq, wallet: wallet.address },
  })
  const outcome = createInState(unit, { kind: 'cashin', row: cashin }, 'deposit', () =>
    paymentEffect(unit, cashin, amountMinor, params),
  )
  return { ...outcome, cashin }
}

export const wallet: Handler<'wallet'> = (call, request) => {
  const currency = request.currency
  return walletFields(
    createWallet(call.unit, call.caller, { currency, chain: chainFor(call.unit.config, currency, request.chain) }),
  )
}
