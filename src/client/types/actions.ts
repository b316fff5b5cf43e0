/** The parameters of each action. Generated from the schemas by `npm run client-types`: change those instead. */

export interface ActionParameters {
  'cashin.pay': {
    /** Who pays; the one that the charge names, or somebody made up, where absent */
    payer?:
      | {
          name?: string | undefined
          /** CPF or CNPJ. */
          document?: string | undefined
        }
      | undefined
    /** What really arrived (crypto, SPEI); the amount of the charge where absent */
    amount?: number | string | undefined
    /** The PIX end-to-end id or on-chain hash; one is made up where absent */
    hash?: string | undefined
  }
  'cashin.expire': Record<never, never>
  'cashin.refund': {
    /** A part of it; all where absent */
    amount?: number | string | undefined
    /** What the event says of it */
    reason?: string | undefined
  }
  'cashout.confirm': {
    /** The PIX end-to-end id or on-chain hash; one is made up where absent */
    hash?: string | undefined
    /** Who has received it; the one that the withdrawal names where absent */
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
    /** `UNKNOWN` where absent */
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
    /** That of the code where absent */
    error_message?: string | undefined
  }
  'cashout.refund': {
    /** A part of it; all where absent */
    amount?: number | string | undefined
    /** What the event says of it */
    reason?: string | undefined
  }
  'conversion.refund': {
    /** What the event says of it */
    reason?: string | undefined
  }
  'wallet.deposit': {
    /** What arrives */
    amount: number | string
    /** Who pays; the one that the charge names, or somebody made up, where absent */
    payer?:
      | {
          name?: string | undefined
          /** CPF or CNPJ. */
          document?: string | undefined
        }
      | undefined
    /** The PIX end-to-end id or on-chain hash; one is made up where absent */
    hash?: string | undefined
  }
  'dispute.open': {
    /** A part of it; all where absent */
    amount?: number | string | undefined
    /** `REFUND_REQUEST` where absent */
    type?: string | undefined
    /** What the payer says */
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
