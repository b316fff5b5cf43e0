/** What each endpoint takes. Generated from the schemas by `npm run client-types`: change those instead. */

import type { UploadFile } from '../call-options.js'

export interface CashinRequest {
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Amount in the currency of the operation. */
  amount: number
  /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
  chain?: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | undefined
  /** The caller's own identifier; the same one again returns the same object. */
  external_id?: string | undefined
  postback_url?: string | undefined
  /** Who pays. */
  payer?:
    | {
        name?: string | undefined
        /** CPF or CNPJ. */
        document?: string | undefined
        /** E-mail address. */
        email?: string | undefined
      }
    | undefined
  /** Divides the net amount among accounts of the service. */
  split?:
    | Array<{
        /** Name of an account of the service. */
        username: string
        /** Share in percent of the net amount. */
        percentage?: number | undefined
        /** Amount in the currency of the operation. */
        amount?: number | undefined
      }>
    | undefined
}

export interface CashoutRequest {
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Amount in the currency of the operation. */
  amount: number
  /** Destination: a PIX key, a CLABE, or an on-chain address. */
  key: string
  /** The caller's own identifier; the same one again returns the same object. */
  external_id: string
  /** Kind of the PIX key. */
  key_type?: 'cpf' | 'cnpj' | 'email' | 'phone' | 'random' | undefined
  /** Network that carries the money. */
  network?:
    | 'tron'
    | 'ethereum'
    | 'bsc'
    | 'polygon'
    | 'solana'
    | 'bitcoin'
    | 'arbitrum'
    | 'base'
    | 'optimism'
    | undefined
  name?: string | undefined
  /** Code of the bank. */
  bank_code?: string | undefined
  /** Free text. */
  description?: string | undefined
}

export interface ConversionRequest {
  /** Currency to convert from. */
  base_currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Currency to convert to. */
  destination_currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Amount in the currency of the operation. */
  amount: number
  /** The caller's own identifier; the same one again returns the same object. */
  external_id?: string | undefined
}

export interface InfractionDetailRequest {
  id: string
}

export interface InfractionListRequest {
  /** Number of the page, from 1. */
  page?: number | undefined
  /** Rows of a page. */
  page_size?: number | undefined
  status?: 'open' | 'responded' | 'confirmed' | 'won' | 'lost' | 'canceled' | undefined
  type?: string | undefined
}

export interface InfractionReplyRequest {
  id: string
  message: string
  /** At most 5 of 10 MB: PDF, JPG or PNG. */
  files?: readonly UploadFile[] | undefined
}

export interface PixPaymentRequest {
  /** Amount in the currency of the operation. */
  amount: number
  /** Who receives the money. */
  creditParty: {
    name?: string | undefined
    /** Kind of the PIX key. */
    keyType?: 'cpf' | 'cnpj' | 'email' | 'phone' | 'random' | undefined
    /** Destination: a PIX key, a CLABE, or an on-chain address. */
    key: string
    /** CPF or CNPJ of the recipient. */
    taxId?: string | undefined
  }
  /** The caller's own identifier; the same one again returns the same object. */
  external_id?: string | undefined
  /** Free text. */
  description?: string | undefined
}

export interface TransactionListRequest {
  /** Number of the page, from 1. */
  page?: number | undefined
  /** Rows of a page. */
  page_size?: number | undefined
  status?: 'cancelled' | 'pending' | 'confirmed' | 'expired' | 'refunded' | 'failed' | 'completed' | undefined
  type?: 'cashin' | 'cashout' | 'transfer' | 'conversion' | undefined
  /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
  source?: 'dynamic_qr' | 'static' | undefined
  /** Currency of the amount. */
  currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
  /** Earliest day or moment. */
  from_date?: string | undefined
  /** Latest day or moment, inclusive. */
  to_date?: string | undefined
}

export interface TransferRequest {
  /** Name of an account of the service. */
  username: string
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Amount in the currency of the operation. */
  amount: number
  /** The caller's own identifier; the same one again returns the same object. */
  external_id?: string | undefined
  /** Free text. */
  description?: string | undefined
}

export interface WalletRequest {
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
  chain?: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | undefined
}
