/** What each endpoint answers. Generated from the schemas by `npm run client-types`: change those instead. */

export interface BalanceResponse {
  balances: Array<{
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** Kind of the currency. */
    currency_type: 'fiat' | 'crypto'
    /** What can be spent. */
    available: number
    /** What disputes hold back. */
    blocked: number
    /** What is on its way out. */
    pending: number
  }>
}

export interface CashinResponse {
  /** Identifier of the transaction. */
  transaction_id: string
  /** The caller's own identifier; the same one again returns the same object. */
  external_id: string | null
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Amount in the currency of the operation. */
  amount: number
  /** Fee charged. */
  fee: number
  /** Rail of the charge. */
  payment_method: 'pix' | 'spei' | 'crypto'
  /** How to pay: fields depend on payment_method. */
  payment_info:
    | {
        /** PIX copy-and-paste payload (BR Code). */
        qrcode: string
        /** Seconds until it expires. */
        expiration: number
        /** When it expires. */
        expires_at: string
      }
    | {
        /** Where to pay to: a PIX key, a CLABE, or an on-chain address. */
        address: string
        /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
        chain: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | 'arbitrum' | 'base' | 'optimism'
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
        /** Blocks until a payment counts. */
        min_confirmations: number
        /** Seconds until it expires. */
        expiration: number
        /** When it expires. */
        expires_at: string
      }
    | {
        /** Bank account number to pay to by SPEI, 18 digits. */
        clabe: string
        /** Code of the bank. */
        bank_code: string | null
        /** Name of the bank. */
        bank_name: string | null
        /** Name that the transfer is made out to. */
        beneficiary_name: string
        /** Reference to quote in the transfer. */
        reference: string
      }
  status: 'pending' | 'confirmed' | 'expired' | 'refunded'
  postback_url: string | null
  /** When it came into being. */
  created_at: string
}

export interface CashoutResponse {
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
  amount: number
  /** Fee charged. */
  fee: number
  /** Destination key or address. */
  wallet: string
  /** Kind of the PIX key. */
  key_type: string | null
  status: 'pending' | 'confirmed' | 'failed' | 'refunded'
  /** When it came into being. */
  created_at: string
}

export interface ConversionResponse {
  /** Identifier of the conversion. */
  conversion_id: string
  /** The caller's own identifier; the same one again returns the same object. */
  external_id: string | null
  /** Amount that left the source balance. */
  amount_from: number
  /** Source currency. */
  currency_from: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Amount that reached the destination balance. */
  amount_to: number
  /** Destination currency. */
  currency_to: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** What one unit of the source currency buys. */
  rate: number
  /** Fee charged. */
  fee: number
  status: 'completed' | 'refunded'
  /** When the conversion was carried out. */
  completed_at: string
}

export interface FeesResponse {
  /** One row for each currency and operation. */
  fees: Array<{
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** What the row is about. */
    operation: 'cashin' | 'cashout' | 'transfer' | 'conversion'
    /** Part of the fee that does not depend on the amount. */
    fixed: number
    /** Part of the fee in percent of the amount. */
    percent: number
  }>
}

export interface InfractionDetailResponse {
  /** Identifier of the dispute. */
  infraction_id: string
  /** Identifier of the transaction. */
  transaction_id: string
  type: string
  status: 'open' | 'responded' | 'confirmed' | 'won' | 'lost' | 'canceled'
  /** Amount in the currency of the operation. */
  amount: number
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** PIX end-to-end id. */
  e2e_id: string
  /** The reason given. */
  reason: string
  /** Until when the dispute can be answered: 7 days after it was opened. */
  deadline_at: string
  /** When it came into being. */
  created_at: string
  /** When it was decided. */
  resolved_at: string | null
  /** What the merchant replied. */
  replies: Array<{
    /** Identifier of the reply. */
    reply_id: number
    message: string
    /** The files of the reply. */
    files: Array<{
      name: string
      /** Bytes. */
      size: number
      type: string
      /** SHA-256 of the file, in hex. */
      sha256: string
    }>
    /** When it came into being. */
    created_at: string
  }>
}

export interface InfractionListResponse {
  /** This page, newest first. */
  items: Array<{
    /** Identifier of the dispute. */
    infraction_id: string
    /** Identifier of the transaction. */
    transaction_id: string
    type: string
    status: 'open' | 'responded' | 'confirmed' | 'won' | 'lost' | 'canceled'
    /** Amount in the currency of the operation. */
    amount: number
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** PIX end-to-end id. */
    e2e_id: string
    /** The reason given. */
    reason: string
    /** Until when the dispute can be answered: 7 days after it was opened. */
    deadline_at: string
    /** When it came into being. */
    created_at: string
    /** When it was decided. */
    resolved_at: string | null
  }>
  /** Where this page stands. */
  pagination: {
    /** Number of the page, from 1. */
    page: number
    /** Rows of a page. */
    page_size: number
    /** Rows in all. */
    total: number
    /** Pages in all. */
    total_pages: number
  }
}

export interface InfractionReplyResponse {
  /** Identifier of the dispute. */
  infraction_id: string
  /** Identifier of the transaction. */
  transaction_id: string
  /** Identifier of the reply. */
  reply_id: number
  status: 'responded'
  /** The files of the reply. */
  files: Array<{
    name: string
    /** Bytes. */
    size: number
    type: string
    /** SHA-256 of the file, in hex. */
    sha256: string
  }>
  /** When the reply was registered. */
  responded_at: string
}

export interface LimitsResponse {
  /** One row for each currency and operation. */
  limits: Array<{
    /** Currency of the amount. */
    currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
    /** What the row is about. */
    operation: 'cashin' | 'cashout' | 'transfer' | 'conversion'
    /** Smallest amount of one operation. */
    min_amount: number
    /** Largest amount of one operation. */
    max_amount: number
    /** What may be moved in one day. */
    daily_limit: number
    /** What was moved today. */
    daily_used: number
  }>
}

export interface ProfileResponse {
  /** Name of an account of the service. */
  username: string
  name: string
  /** CPF or CNPJ. */
  document: string
  /** When it came into being. */
  created_at: string
  /** Where webhooks go. */
  webhook_url: string | null
}

export interface RateResponse {
  /** Currency to convert from. */
  base_currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Currency to convert to. */
  destination_currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Amount in the currency of the operation. */
  amount: number
  /** What one unit of the source currency buys. */
  rate: number
  /** What the conversion would yield. */
  estimated_amount: number
  /** When this was made. */
  timestamp: string
}

export interface SimulationResponse {
  /** Amount to convert. */
  from_amount: number
  /** What the conversion would yield. */
  to_amount: number
  /** Currency to convert from. */
  base_currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Currency to convert to. */
  destination_currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** What one unit of the source currency buys. */
  rate: number
  /** What the rate keeps, in percent. */
  spread: number
  /** Fee charged. */
  fee: number
  /** When it expires. */
  expires_at: string
}

export interface TokenResponse {
  /** To be sent as `Authorization: Bearer`. */
  access_token: string
  /** Seconds until the token expires: 3600. */
  expires_in: number
  /** About the request. */
  meta: {
    request_id: string
    /** When this was made. */
    timestamp: string
  }
}

export interface TransactionListResponse {
  /** This page, newest first. */
  items: Array<
    | {
        /** Identifier of the transaction. */
        transaction_id: string
        /** The caller's own identifier; the same one again returns the same object. */
        external_id: string | null
        /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
        source: string | null
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
          | null
        /** Amount in the currency of the operation. */
        amount: number
        /** Fee charged. */
        fee: number
        /** When it came into being. */
        created_at: string
        /** When its state last changed. */
        updated_at: string
        type: 'cashin'
        status: 'pending' | 'confirmed' | 'expired' | 'refunded'
        /** Rail of the charge. */
        payment_method: 'pix' | 'spei' | 'crypto'
        /** How to pay: fields depend on payment_method. */
        payment_info:
          | {
              /** PIX copy-and-paste payload (BR Code). */
              qrcode: string
              /** Seconds until it expires. */
              expiration: number
              /** When it expires. */
              expires_at: string
            }
          | {
              /** Where to pay to: a PIX key, a CLABE, or an on-chain address. */
              address: string
              /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
              chain: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | 'arbitrum' | 'base' | 'optimism'
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
              /** Blocks until a payment counts. */
              min_confirmations: number
              /** Seconds until it expires. */
              expiration: number
              /** When it expires. */
              expires_at: string
            }
          | {
              /** Bank account number to pay to by SPEI, 18 digits. */
              clabe: string
              /** Code of the bank. */
              bank_code: string | null
              /** Name of the bank. */
              bank_name: string | null
              /** Name that the transfer is made out to. */
              beneficiary_name: string
              /** Reference to quote in the transfer. */
              reference: string
            }
          | null
        /** PIX end-to-end id. */
        e2e_id: string | null
        /** Tracking key of the SPEI transfer. */
        tracking_key: string | null
        /** PIX end-to-end id or on-chain transaction hash. */
        hash: string | null
        /** Who pays. */
        payer: {
          name: string | null
          /** CPF or CNPJ. */
          document: string | null
          /** E-mail address. */
          email?: string | null | undefined
        } | null
        /** Identifier of the fixed wallet. */
        wallet_id?: number | undefined
        /** Destination key or address. */
        wallet?: string | undefined
        /** Amount that went back. */
        amount_refunded?: number | undefined
        /** The reason given. */
        reason?: string | undefined
      }
    | {
        /** Identifier of the transaction. */
        transaction_id: string
        /** The caller's own identifier; the same one again returns the same object. */
        external_id: string | null
        /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
        source: string | null
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
          | null
        /** Amount in the currency of the operation. */
        amount: number
        /** Fee charged. */
        fee: number
        /** When it came into being. */
        created_at: string
        /** When its state last changed. */
        updated_at: string
        type: 'cashout'
        status: 'pending' | 'confirmed' | 'failed' | 'refunded'
        /** Destination key or address. */
        wallet: string | null
        /** Kind of the PIX key. */
        key_type: string | null
        /** PIX end-to-end id. */
        e2e_id: string | null
        /** Tracking key of the SPEI transfer. */
        tracking_key: string | null
        /** PIX end-to-end id or on-chain transaction hash. */
        hash: string | null
        /** Who received the money. */
        receiver: {
          name: string | null
          /** CPF or CNPJ. */
          document: string | null
          bank: string | null
        } | null
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
          | null
        /** The reason in words. */
        error_message: string | null
        /** Amount that went back. */
        amount_refunded?: number | undefined
        /** The reason given. */
        reason?: string | undefined
      }
    | {
        /** Identifier of the transaction. */
        transaction_id: string
        /** The caller's own identifier; the same one again returns the same object. */
        external_id: string | null
        /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
        source: string | null
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
          | null
        /** Amount in the currency of the operation. */
        amount: number
        /** Fee charged. */
        fee: number
        /** When it came into being. */
        created_at: string
        /** When its state last changed. */
        updated_at: string
        type: 'transfer'
        status: 'confirmed'
        /** Whether this account sent or received. */
        direction: 'sent' | 'received'
        /** Username of the sender. */
        from_user: string
        /** Username of the recipient. */
        to_user: string
        /** Free text. */
        description: string | null
      }
    | {
        /** Identifier of the transaction. */
        transaction_id: string
        /** The caller's own identifier; the same one again returns the same object. */
        external_id: string | null
        /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
        source: string | null
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
          | null
        /** Amount in the currency of the operation. */
        amount: number
        /** Fee charged. */
        fee: number
        /** When it came into being. */
        created_at: string
        /** When its state last changed. */
        updated_at: string
        type: 'conversion'
        status: 'completed' | 'refunded'
        /** Identifier of the conversion. */
        conversion_id: string
        /** Amount that left the source balance. */
        amount_from: number
        /** Source currency. */
        currency_from: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
        /** Amount that reached the destination balance. */
        amount_to: number
        /** Destination currency. */
        currency_to: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
        /** What one unit of the source currency buys. */
        rate: number
        /** When the conversion was carried out. */
        completed_at: string
      }
  >
  /** Where this page stands. */
  pagination: {
    /** Number of the page, from 1. */
    page: number
    /** Rows of a page. */
    page_size: number
    /** Rows in all. */
    total: number
    /** Pages in all. */
    total_pages: number
  }
}

export interface TransferResponse {
  /** Identifier of the transaction. */
  transaction_id: string
  /** The caller's own identifier; the same one again returns the same object. */
  external_id: string | null
  /** Username of the sender. */
  from_user: string
  /** Username of the recipient. */
  to_user: string
  /** Amount in the currency of the operation. */
  amount: number
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Free text. */
  description: string | null
  status: 'confirmed'
  /** When it was confirmed. */
  confirmed_at: string
}

export interface WalletResponse {
  /** Identifier of the fixed wallet. */
  wallet_id: number
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Kind of the currency. */
  currency_type: 'fiat' | 'crypto'
  /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
  chain: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | 'arbitrum' | 'base' | 'optimism' | null
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
