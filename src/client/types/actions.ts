/** The parameters of each action. Generated from the schemas by `npm run client-types`: change those instead. */

export interface ActionParameters {
  'cashin.pay': {
    /** Who pays (default: the payer of the charge, or a generated one) */
    payer?:
      | {
          name?: string | undefined
          /** CPF or CNPJ. */
          document?: string | undefined
        }
      | undefined
    /** The amount received (crypto, SPEI; default: the amount of the charge) */
    amount?: number | string | undefined
    /** The PIX end-to-end id or on-chain hash (default: generated) */
    hash?: string | undefined
  }
  'cashin.expire': Record<never, never>
  'cashin.refund': {
    /** Part of the amount (default: the full amount) */
    amount?: number | string | undefined
    /** Reason, as reported in the event */
    reason?: string | undefined
  }
  'cashout.confirm': {
    /** The PIX end-to-end id or on-chain hash (default: generated) */
    hash?: string | undefined
    /** Who received the money (default: the receiver of the withdrawal) */
    receiver?:
      | {
          name?: string | undefined
          /** CPF or CNPJ. */
          document?: string | undefined
          bank?: string | undefined
        }
      | undefined
  }
  'cashout.fail': {
    /** Error code (default: `UNKNOWN`) */
    error_code?:
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
      | undefined
    /** Error message (default: the message of the code) */
    error_message?: string | undefined
  }
  'cashout.refund': {
    /** Part of the amount (default: the full amount) */
    amount?: number | string | undefined
    /** Reason, as reported in the event */
    reason?: string | undefined
  }
  'conversion.refund': {
    /** Reason, as reported in the event */
    reason?: string | undefined
  }
  'wallet.deposit': {
    /** The amount received */
    amount: number | string
    /** Who pays (default: the payer of the charge, or a generated one) */
    payer?:
      | {
          name?: string | undefined
          /** CPF or CNPJ. */
          document?: string | undefined
        }
      | undefined
    /** The PIX end-to-end id or on-chain hash (default: generated) */
    hash?: string | undefined
  }
  'dispute.open': {
    /** Part of the amount (default: the full amount) */
    amount?: number | string | undefined
    /** Type of the dispute (default: `REFUND_REQUEST`) */
    type?: string | undefined
    /** Reason that the payer gives */
    reason?: string | undefined
  }
  'dispute.respond': {
    /** The defence */
    message?: string | undefined
  }
  'dispute.confirm': Record<never, never>
  'dispute.win': Record<never, never>
  'dispute.lose': Record<never, never>
  'dispute.cancel': Record<never, never>
}

export type ActionName = keyof ActionParameters
