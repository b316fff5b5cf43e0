/** The parameters of each action. Generated from the schemas by `npm run client-types`: change those instead. */

export interface ActionParameters {
  'cashin.pay': {
    /** Who pays. */
    payer?:
      | {
          /** Name. */
          name?: string | undefined
          /** CPF or CNPJ. */
          document?: string | undefined
        }
      | undefined
    /** Amount in the currency of the operation. */
    amount?: number | string | undefined
    /** PIX end-to-end id or on-chain transaction hash. */
    hash?: string | undefined
  }
  'cashin.expire': Record<never, never>
  'cashin.refund': {
    /** Amount in the currency of the operation. */
    amount?: number | string | undefined
    /** The reason given. */
    reason?: string | undefined
  }
  'cashout.confirm': {
    /** PIX end-to-end id or on-chain transaction hash. */
    hash?: string | undefined
    /** Who received the money. */
    receiver?:
      | {
          /** Name. */
          name?: string | undefined
          /** CPF or CNPJ. */
          document?: string | undefined
          bank?: string | undefined
        }
      | undefined
  }
  'cashout.fail': {
    /** Why the withdrawal failed. */
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
    /** The reason in words. */
    error_message?: string | undefined
  }
  'cashout.refund': {
    /** Amount in the currency of the operation. */
    amount?: number | string | undefined
    /** The reason given. */
    reason?: string | undefined
  }
  'conversion.refund': {
    /** The reason given. */
    reason?: string | undefined
  }
  'wallet.deposit': {
    /** Amount in the currency of the operation. */
    amount: number | string
    /** Who pays. */
    payer?:
      | {
          /** Name. */
          name?: string | undefined
          /** CPF or CNPJ. */
          document?: string | undefined
        }
      | undefined
    /** PIX end-to-end id or on-chain transaction hash. */
    hash?: string | undefined
  }
  'dispute.open': {
    /** Amount in the currency of the operation. */
    amount?: number | string | undefined
    /** Kind of the object. */
    type?: string | undefined
    /** The reason given. */
    reason?: string | undefined
  }
  'dispute.respond': {
    /** What the merchant replies. */
    message?: string | undefined
  }
  'dispute.confirm': Record<never, never>
  'dispute.win': Record<never, never>
  'dispute.lose': Record<never, never>
  'dispute.cancel': Record<never, never>
}

export type ActionName = keyof ActionParameters
