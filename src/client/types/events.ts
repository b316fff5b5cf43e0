/** The payload of each event. Generated from the schemas by `npm run client-types`: change those instead. */

export interface EventData {
  'cashin.confirmed': {
    /** Identifier of the transaction. */
    transaction_id: string
    /** The caller's own identifier; the same one again returns the same object. */
    external_id: string | null
    type: 'cashin'
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Kind of the currency. */
    currency_type: 'fiat' | 'crypto'
    /** Amount in the currency of the operation. */
    amount: string
    /** Fee charged. */
    fee: string
    /** Amount minus fee. */
    amount_net: string
    status: 'confirmed'
    /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
    source: 'dynamic_qr' | 'static'
    /** Network that carries the money. */
    network:
      | 'PIX'
      | 'SPEI'
      | 'SOLANA'
      | 'TRC20'
      | 'ERC20'
      | 'BEP20'
      | 'POLYGON'
      | 'SPL'
      | 'BITCOIN'
      | 'ARBITRUM'
      | 'BASE'
      | 'OPTIMISM'
    /** PIX only */
    e2e_id?: string | undefined
    /** Crypto only */
    hash?: string | undefined
    /** SPEI only */
    tracking_key?: string | undefined
    /** Who pays. */
    payer: {
      name: string | null
      /** CPF or CNPJ. */
      document: string | null
    }
    /** Available balance before it. */
    old_balance: string
    /** Available balance after it. */
    new_balance: string
    /** When it was confirmed. */
    confirmed_at: string
  }
  'cashin.refunded': {
    /** Identifier of the transaction. */
    transaction_id: string
    /** The transaction that was reversed. */
    original_transaction_id: string
    /** The caller's own identifier; the same one again returns the same object. */
    external_id: string | null
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Amount in the currency of the operation. */
    amount: string
    /** Amount that went back. */
    amount_refunded: string
    status: 'refunded'
    /** The reason given. */
    reason: string
    /** Available balance before it. */
    old_balance: string
    /** Available balance after it. */
    new_balance: string
    /** When it was reversed. */
    refunded_at: string
  }
  'cashin.expired': {
    /** Identifier of the transaction. */
    transaction_id: string
    /** The caller's own identifier; the same one again returns the same object. */
    external_id: string | null
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Amount in the currency of the operation. */
    amount: string
    status: 'expired'
    /** When it expired. */
    expired_at: string
  }
  'cashout.confirmed': {
    /** Identifier of the transaction. */
    transaction_id: string
    /** The caller's own identifier; the same one again returns the same object. */
    external_id: string | null
    type: 'cashout'
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Kind of the currency. */
    currency_type: 'fiat' | 'crypto'
    /** Network that carries the money. */
    network:
      | 'PIX'
      | 'SPEI'
      | 'SOLANA'
      | 'TRC20'
      | 'ERC20'
      | 'BEP20'
      | 'POLYGON'
      | 'SPL'
      | 'BITCOIN'
      | 'ARBITRUM'
      | 'BASE'
      | 'OPTIMISM'
    /** Amount in the currency of the operation. */
    amount: string
    /** Fee charged. */
    fee: string
    status: 'confirmed'
    /** Destination key or address. */
    wallet: string
    /** Kind of the PIX key. */
    key_type: string | null
    /** PIX end-to-end id or on-chain transaction hash. */
    hash: string
    /** Who received the money. */
    receiver: {
      name: string | null
      /** CPF or CNPJ. */
      document: string | null
      bank: string | null
    }
    /** When it was confirmed. */
    confirmed_at: string
  }
  'cashout.failed': {
    /** Identifier of the transaction. */
    transaction_id: string
    /** The caller's own identifier; the same one again returns the same object. */
    external_id: string | null
    type: 'cashout'
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Network that carries the money. */
    network:
      | 'PIX'
      | 'SPEI'
      | 'SOLANA'
      | 'TRC20'
      | 'ERC20'
      | 'BEP20'
      | 'POLYGON'
      | 'SPL'
      | 'BITCOIN'
      | 'ARBITRUM'
      | 'BASE'
      | 'OPTIMISM'
    /** Amount in the currency of the operation. */
    amount: string
    status: 'failed'
    /** Destination key or address. */
    wallet: string
    error_code:
      | 'TRON_ENERGY_FAIL'
      | 'INSUFFICIENT_BALANCE'
      | 'NO_HOT_WALLET'
      | 'INVALID_ADDRESS'
      | 'BLACKLISTED'
      | 'BLOCKCHAIN_REVERT'
      | 'BROADCAST_FAIL'
      | 'PIX_KEY_NOT_FOUND'
      | 'PROVIDER_TIMEOUT'
      | 'UNKNOWN'
    /** The reason in words. */
    error_message: string
    /** Amount that returned to the balance, the fee included. */
    refunded_amount: string
    /** When it failed. */
    failed_at: string
  }
  'cashout.refunded': {
    /** Identifier of the transaction. */
    transaction_id: string
    /** The transaction that was reversed. */
    original_transaction_id: string
    /** The caller's own identifier; the same one again returns the same object. */
    external_id: string | null
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Network that carries the money. */
    network:
      | 'PIX'
      | 'SPEI'
      | 'SOLANA'
      | 'TRC20'
      | 'ERC20'
      | 'BEP20'
      | 'POLYGON'
      | 'SPL'
      | 'BITCOIN'
      | 'ARBITRUM'
      | 'BASE'
      | 'OPTIMISM'
    /** Amount in the currency of the operation. */
    amount: string
    /** Amount that went back. */
    amount_refunded: string
    status: 'refunded'
    /** The reason given. */
    reason: string
    /** When it was reversed. */
    refunded_at: string
  }
  'transfer.confirmed': {
    /** Identifier of the transaction. */
    transaction_id: string
    /** Whether this account sent or received. */
    direction: 'received' | 'sent'
    /** Amount in the currency of the operation. */
    amount: string
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Username of the other party. */
    counterparty: string
    /** Free text. */
    description: string | null
    /** Available balance before it. */
    old_balance: string
    /** Available balance after it. */
    new_balance: string
    /** When it was confirmed. */
    confirmed_at: string
  }
  'conversion.confirmed': {
    /** Identifier of the conversion. */
    conversion_id: string
    /** The caller's own identifier; the same one again returns the same object. */
    external_id: string | null
    /** Amount that left the source balance. */
    amount_from: string
    /** Source currency. */
    currency_from: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Amount that reached the destination balance. */
    amount_to: string
    /** Destination currency. */
    currency_to: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** What one unit of the source currency buys. */
    rate: string
    /** Fee charged. */
    fee: string
    status: 'completed'
    /** When the conversion was carried out. */
    completed_at: string
  }
  'conversion.refunded': {
    /** Identifier of the conversion. */
    conversion_id: string
    /** The conversion that was reversed. */
    original_conversion_id: string
    /** Amount taken from the destination balance. */
    amount_reverted_from: string
    /** Currency of the amount taken. */
    currency_reverted_from: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Amount that came back to the source balance. */
    amount_returned_to: string
    /** Currency of the amount that came back. */
    currency_returned_to: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** The reason given. */
    reason: string
    /** When it was reversed. */
    refunded_at: string
  }
  'wallet.created': {
    /** Identifier of the fixed wallet. */
    wallet_id: number
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Kind of the currency. */
    currency_type: 'fiat' | 'crypto'
    /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
    chain: string | null
    /** Network that carries the money. */
    network:
      | 'PIX'
      | 'SPEI'
      | 'SOLANA'
      | 'TRC20'
      | 'ERC20'
      | 'BEP20'
      | 'POLYGON'
      | 'SPL'
      | 'BITCOIN'
      | 'ARBITRUM'
      | 'BASE'
      | 'OPTIMISM'
    /** Where to pay to: a PIX key, a CLABE, or an on-chain address. */
    address: string
    /** Blocks until a payment counts. */
    min_confirmations: number
    /** When it came into being. */
    created_at: string
  }
  'chargeback.opened': {
    /** Identifier of the dispute. */
    infraction_id: string
    /** Identifier of the transaction. */
    transaction_id: string
    type: string
    status: 'open'
    /** Amount in the currency of the operation. */
    amount: string
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** PIX end-to-end id. */
    e2e_id: string
    /** Until when the dispute can be answered: 7 days after it was opened. */
    deadline_at: string
    /** The reason given. */
    reason: string
    /** When it came into being. */
    created_at: string
  }
  'chargeback.responded': {
    /** Identifier of the dispute. */
    infraction_id: string
    /** Identifier of the transaction. */
    transaction_id: string
    /** Identifier of the reply. */
    reply_id: number
    status: 'responded'
    /** When the reply was registered. */
    responded_at: string
  }
  'chargeback.confirmed': {
    /** Identifier of the dispute. */
    infraction_id: string
    /** Identifier of the transaction. */
    transaction_id: string
    /** Amount in the currency of the operation. */
    amount: string
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** When it was confirmed. */
    confirmed_at: string
  }
  'chargeback.won': {
    /** Identifier of the dispute. */
    infraction_id: string
    /** Identifier of the transaction. */
    transaction_id: string
    /** Amount in the currency of the operation. */
    amount: string
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** When it was decided. */
    resolved_at: string
  }
  'chargeback.lost': {
    /** Identifier of the dispute. */
    infraction_id: string
    /** Identifier of the transaction. */
    transaction_id: string
    /** Amount in the currency of the operation. */
    amount: string
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Amount that went back. */
    amount_refunded: string
    /** When it was decided. */
    resolved_at: string
  }
  'chargeback.canceled': {
    /** Identifier of the dispute. */
    infraction_id: string
    /** Identifier of the transaction. */
    transaction_id: string
    /** Amount in the currency of the operation. */
    amount: string
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Who cancelled. */
    canceled_by: 'payer'
    /** When the payer cancelled. */
    canceled_at: string
  }
}

export type EventName = keyof EventData

/** The envelope of an event (§6.2), told apart by `event`. */
export type SandboxEvent<Name extends EventName = EventName> = {
  [N in Name]: { event: N; timestamp: string; transaction_id: string; data: EventData[N] }
}[Name]
