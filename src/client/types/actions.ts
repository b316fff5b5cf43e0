/** The parameters of each action. Generated from the schemas by `npm run client-types`: change those instead. */

export interface ActionParameters {
  'cashin.pay': {
    /** Who pays. Who pays; the one that the charge names, or somebody made up, where absent. */
    payer?:
      | {
          /** Name. */
          name?: string | undefined
          /** CPF or CNPJ. */
          document?: string | undefined
        }
      | undefined
    /** Amount in the currency of the operation. What really arrived (crypto, SPEI); the amount of the charge where absent. */
    amount?: number | string | undefined
    /** PIX end-to-end id or on-chain transaction hash. The PIX end-to-end id or on-chain hash; one is made up where absent. */
    hash?: string | undefined
  }
  'cashin.expire': Record<never, never>
  'cashin.refund': {
    /** Amount in the currency of the operation. A part of it; all where absent. */
    amount?: number | string | undefined
    /** The reason given. What the event says of it. */
    reason?: string | undefined
  }
  'cashout.confirm': {
    /** PIX end-to-end id or on-chain transaction hash. The PIX end-to-end id or on-chain hash; one is made up where absent. */
    hash?: string | undefined
    /** Who received the money. Who has received it; the one that the withdrawal names where absent. */
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
    /** Why the withdrawal failed. `UNKNOWN` where absent. */
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
    /** The reason in words. That of the code where absent. */
    error_message?: string | undefined
  }
  'cashout.refund': {
    /** Amount in the currency of the operation. A part of it; all where absent. */
    amount?: number | string | undefined
    /** The reason given. What the event says of it. */
    reason?: string | undefined
  }
  'conversion.refund': {
    /** The reason given. What the event says of it. */
    reason?: string | undefined
  }
  'wallet.deposit': {
    /** Amount in the currency of the operation. What arrives. */
    amount: number | string
    /** Who pays. Who pays; the one that the charge names, or somebody made up, where absent. */
    payer?:
      | {
          /** Name. */
          name?: string | undefined
          /** CPF or CNPJ. */
          document?: string | undefined
        }
      | undefined
    /** PIX end-to-end id or on-chain transaction hash. The PIX end-to-end id or on-chain hash; one is made up where absent. */
    hash?: string | undefined
  }
  'dispute.open': {
    /** Amount in the currency of the operation. A part of it; all where absent. */
    amount?: number | string | undefined
    /** Kind of the object. `REFUND_REQUEST` where absent. */
    type?: string | undefined
    /** The reason given. What the payer says. */
    reason?: string | undefined
  }
  'dispute.respond': {
    /** What the merchant replies. The defence. */
    message?: string | undefined
  }
  'dispute.confirm': Record<never, never>
  'dispute.win': Record<never, never>
  'dispute.lose': Record<never, never>
  'dispute.cancel': Record<never, never>
}

export type ActionName = keyof ActionParameters
