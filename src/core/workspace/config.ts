/** What an integrator may set about the platform's behaviour: the readings that decisions.md marks as a choice. */

import type { ClockMode } from '../../base/clock.js'
import { byCurrency, type Currency, currencies } from '../../protocol/api/currencies.js'
import {
  cashoutSettleMs,
  conversionSpreadPercent,
  type DisputeDeadline,
  pixChargeLifeMs,
} from '../../protocol/api/limits.js'

/** An account made with the database, beside the demonstration ones; under the name of one of those it changes that one. */
export interface SeedAccount {
  username: string
  name?: string | undefined
  document?: string | undefined
  /** Decimal strings. */
  balances?: Partial<Record<Currency, string>> | undefined
  /** What is absent is made up. */
  credential?:
    | {
        clientId?: string | undefined
        clientSecret?: string | undefined
        signingKey?: string | undefined
        webhookSecret?: string | undefined
        postbackUrl?: string | undefined
        active?: boolean | undefined
      }
    | undefined
}

export interface Config {
  /** null: as the database left it, `realtime` where it is new. */
  clock: ClockMode | null
  /** Where webhooks go when neither the transaction nor the credential says so. */
  webhookUrl: string | null
  /** Refuse `http://` webhook addresses even on loopback and private networks. */
  strictWebhooks: boolean
  rateLimits: boolean
  /** The same seed gives the same ids, codes and addresses. null: different ones at every start. */
  seed: string | null
  pixChargeLifeMs: number
  /** `auto`: a cash-out settles by itself after `cashoutSettleMs`; `manual`: only when told. */
  cashoutSettle: 'auto' | 'manual'
  cashoutSettleMs: number
  /** What a positive amount below the minimum is refused with. */
  belowMinimum: 'BELOW_MIN_LIMIT' | 'INVALID_AMOUNT'
  /** What happens to a dispute that nobody answered by its deadline. */
  disputeDeadline: DisputeDeadline
  /** One unit of each currency in BRL, decimal strings. */
  rates: Record<Currency, string>
  spreadPercent: string
  /** The secrets of the demonstration accounts: those that every page shows, or new ones for each workspace. */
  demoSecrets: 'known' | 'random'
  /** Made with the database, and again by a reset. */
  accounts: readonly SeedAccount[]
}

export const defaultConfig: Config = {
  clock: null,
  webhookUrl: null,
  strictWebhooks: false,
  rateLimits: true,
  seed: null,
  pixChargeLifeMs,
  cashoutSettle: 'auto',
  cashoutSettleMs,
  belowMinimum: 'BELOW_MIN_LIMIT',
  disputeDeadline: 'confirm',
  rates: byCurrency((currency) => currencies[currency].worth),
  spreadPercent: conversionSpreadPercent,
  demoSecrets: 'known',
  accounts: [],
}
