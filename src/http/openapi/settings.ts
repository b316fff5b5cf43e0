/** What each setting is for, in words for users: the page of assumptions and the OpenAPI document tell it from here. */
import type { Config } from '../../core/workspace/config.js'

interface SettingRow {
  /** Its name in the configuration file. */
  key: string
  title: string
  /** What the sandbox does unless told otherwise. */
  unlessSet: string
  /** The flag of `start`, where there is one. */
  flag?: string
  /** The setting stands for a guess about the platform, not for a wish about the sandbox. */
  guess: boolean
}

export const settingTable: Record<keyof Config, SettingRow> = {
  clock: {
    key: 'clock',
    title: 'Whether business time passes by itself',
    unlessSet: 'Time passes as it does outside; `manual` holds it until it is told to move.',
    flag: '--clock',
    guess: false,
  },
  webhookUrl: {
    key: 'webhook_url',
    title: 'Where webhooks go when neither transaction nor credential says so',
    unlessSet: 'Nowhere: such an event is kept with the outcome `no_url` and can be sent again later.',
    flag: '--webhook-url',
    guess: false,
  },
  strictWebhooks: {
    key: 'strict_webhooks',
    title: 'Whether http:// webhook addresses are refused everywhere but at its own inboxes',
    unlessSet: 'http:// is allowed to loopback and private addresses, where no certificate can be had.',
    flag: '--strict-webhooks',
    guess: true,
  },
  rateLimits: {
    key: 'rate_limits',
    title: 'Whether the documented rates are enforced',
    unlessSet: 'They are. A load test may switch them off.',
    flag: '--no-rate-limits',
    guess: false,
  },
  seed: {
    key: 'seed',
    title: 'Text that ids, codes and addresses are derived from',
    unlessSet: 'Different ones at every start.',
    flag: '--seed',
    guess: false,
  },
  pixChargeLifeMs: {
    key: 'pix_charge_life',
    title: 'How long a PIX charge can be paid',
    unlessSet: 'An hour; the documentation shows that a charge expires, not when.',
    guess: true,
  },
  cashoutSettle: {
    key: 'cashout_settle',
    title: 'Whether withdrawals settle by themselves',
    unlessSet: '`auto`: they do. With `manual` each waits until it is told to succeed or fail.',
    guess: true,
  },
  cashoutSettleMs: {
    key: 'cashout_settle',
    title: 'After how long a withdrawal settles by itself, such as `5s`',
    unlessSet: '2 seconds; the documentation shows only that the result comes later, by webhook.',
    guess: true,
  },
  belowMinimum: {
    key: 'below_minimum',
    title: 'What a positive amount below the minimum is refused with',
    unlessSet: '`BELOW_MIN_LIMIT` (409). The documentation names it and `INVALID_AMOUNT` (422) for the same case.',
    guess: true,
  },
  disputeDeadline: {
    key: 'dispute_deadline',
    title: 'What becomes of a dispute that nobody answered in time',
    unlessSet:
      '`confirm`: the money returns to the payer. With `lose` it is lost, which returns it too; with `manual` it stays open.',
    flag: '--dispute-deadline',
    guess: true,
  },
  rates: {
    key: 'rates',
    title: 'What one unit of each currency is worth in BRL',
    unlessSet: 'A fixed table, so that a conversion gives the same result every time.',
    guess: true,
  },
  spreadPercent: {
    key: 'spread_percent',
    title: 'What a conversion keeps of the rate, in percent',
    unlessSet: '1 percent.',
    guess: true,
  },
  demoSecrets: {
    key: 'demo_secrets',
    title: 'The secrets of the demonstration accounts',
    unlessSet: '`known`: those that every page shows. With `random` each new database has its own.',
    guess: false,
  },
  accounts: {
    key: 'accounts',
    title: 'Accounts that are there from the start, beside the demonstration ones',
    unlessSet: 'None.',
    guess: false,
  },
}
