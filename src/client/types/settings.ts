/** What may be set about the platform. Generated from the schemas by `npm run client-types`: change those instead. */

export interface PlatformOptions {
  /** Whether business time passes by itself. Unless set: Time passes as it does outside; `manual` holds it until it is told to move. */
  clock?: 'realtime' | 'manual' | undefined
  /** Where webhooks go when neither transaction nor credential says so. Unless set: Nowhere: such an event is kept with the outcome `no_url` and can be sent again later. */
  webhookUrl?: string | undefined
  /** Text that ids, codes and addresses are derived from. Unless set: Different ones at every start. */
  seed?: string | undefined
  /** Whether http:// webhook addresses are refused everywhere but at its own inboxes. Unless set: http:// is allowed to loopback and private addresses, where no certificate can be had. */
  strictWebhooks?: boolean | undefined
  /** Whether the documented rates are enforced. Unless set: They are. A load test may switch them off. */
  rateLimits?: boolean | undefined
  /** Whether withdrawals settle by themselves, or after how long, such as `5s`. Unless set: `auto`: after 2 s; the documentation shows only that the result comes later, by webhook. With `manual` each waits for an action to succeed or fail. */
  cashoutSettle?: number | string | undefined
  /** How long a PIX charge can be paid. Unless set: An hour; the documentation shows that a charge expires, not when. */
  pixChargeLife?: number | string | undefined
  /** What a positive amount below the minimum is refused with. Unless set: `BELOW_MIN_LIMIT` (409). The documentation names it and `INVALID_AMOUNT` (422) for the same case. */
  belowMinimum?: 'BELOW_MIN_LIMIT' | 'INVALID_AMOUNT' | undefined
  /** Which amounts are given back to the daily limit that they counted to. Unless set: `failed`: those of withdrawals that fail and of charges that expire, to the day on which they were created. With `refunded` those of refunds too, with `never` none. */
  dailyLimitReturns?: 'never' | 'failed' | 'refunded' | undefined
  /** What becomes of a dispute that nobody answered in time. Unless set: `confirm`: the money returns to the payer. With `lose` it is lost, which returns it too; with `manual` it stays open. */
  disputeDeadline?: 'confirm' | 'lose' | 'manual' | undefined
  /** What one unit of each currency is worth in BRL. Unless set: A fixed table, so that a conversion gives the same result every time. */
  rates?:
    | { [Name in 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB']?: number | string | undefined }
    | undefined
  /** What a conversion keeps of the rate, in percent. Unless set: 1 percent. */
  spreadPercent?: number | string | undefined
  /** The secrets of the demonstration accounts. Unless set: On a loopback address `known`: those that every page shows. On any other address `random`: each new database has its own, and known ones in an existing database or snapshot are replaced. */
  demoSecrets?: 'known' | 'random' | undefined
  /** Accounts that are there from the start, beside the demonstration ones, which they may change. Unless set: None. */
  accounts?:
    | ReadonlyArray<{
        /** Name of an account of the service. */
        username: string
        name?: string | undefined
        /** CPF or CNPJ. */
        document?: string | undefined
        balances?:
          | { [Name in 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB']?: number | string | undefined }
          | undefined
        credential?:
          | {
              client_id?: string | undefined
              client_secret?: string | undefined
              signing_key?: string | undefined
              webhook_secret?: string | undefined
              postback_url?: string | undefined
              active?: boolean | undefined
            }
          | undefined
      }>
    | undefined
}
