/** What may be set about the platform. Generated from the schemas by `npm run client-types`: change those instead. */

export interface PlatformOptions {
  /** Whether business time passes by itself. Unless set: Time passes as in the real world. With `manual` the clock stands still until you advance it. */
  clock?: 'realtime' | 'manual' | undefined
  /** Webhook URL for transactions and credentials that have none of their own. Unless set: None: such an event is stored with the outcome `no_url` and can be redelivered later. */
  webhookUrl?: string | undefined
  /** Text that ids, codes and addresses are derived from. Unless set: A new one at every start. */
  seed?: string | undefined
  /** Whether http:// webhook URLs are rejected, except those of the sandbox’s own inboxes. Unless set: http:// is allowed for loopback and private addresses, which cannot have a public certificate. */
  strictWebhooks?: boolean | undefined
  /** Whether the documented rate limits are enforced. Unless set: They are enforced. Load tests can switch them off. */
  rateLimits?: boolean | undefined
  /** When a withdrawal settles: `auto`, `manual`, or a duration such as `5s`. Unless set: `auto`: after 2 seconds. The documentation shows only that the result comes later, by webhook. With `manual` each withdrawal stays pending until you confirm or fail it. */
  cashoutSettle?: number | string | undefined
  /** How long a PIX charge can be paid. Unless set: 1 hour. The documentation shows that a charge expires, but not when. */
  pixChargeLife?: number | string | undefined
  /** Error code for a positive amount below the minimum. Unless set: `BELOW_MIN_LIMIT` (409). The documentation names it and `INVALID_AMOUNT` (422) for the same case. */
  belowMinimum?: 'BELOW_MIN_LIMIT' | 'INVALID_AMOUNT' | undefined
  /** Which amounts are returned to the daily limit. Unless set: `failed`: amounts of failed withdrawals and expired charges, on the day on which they were created. With `refunded` also amounts of refunds; with `never` none. */
  dailyLimitReturns?: 'never' | 'failed' | 'refunded' | undefined
  /** Outcome of a dispute without a reply at its deadline. Unless set: `confirm`: the dispute is confirmed and the money returns to the payer. With `lose` it is lost, which also returns the money; with `manual` it stays open. */
  disputeDeadline?: 'confirm' | 'lose' | 'manual' | undefined
  /** Value of one unit of each currency in BRL. Unless set: A fixed table, so that a conversion always gives the same result. */
  rates?:
    | { [Name in 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB']?: number | string | undefined }
    | undefined
  /** Spread of a conversion, in percent of the rate. Unless set: 1 percent. */
  spreadPercent?: number | string | undefined
  /** The secrets of the demonstration accounts. Unless set: On a loopback address `known`: the published secrets, shown on every page. On any other address `random`: each new database gets its own secrets, and published ones in an existing database or snapshot are replaced. */
  demoSecrets?: 'known' | 'random' | undefined
  /** Accounts to create at the start, in addition to the demonstration accounts; an entry with the username of one of those changes it. Unless set: None. */
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
