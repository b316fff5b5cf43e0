/** The settings that say how a workspace behaves, the same in every runtime: how each is read, and the configuration that they make. */
import type * as z from 'zod'
import { type Config, defaultConfig } from '../../core/workspace/config.js'
import { disputeDeadlines } from '../../protocol/api/limits.js'
import { accounts, duration, flag, oneOf, percent, rates, settling, text, webUrl } from './setting-values.js'

/** By the name that each has in a configuration file. */
export const configSettings = {
  webhook_url: webUrl,
  clock: oneOf(['realtime', 'manual']),
  seed: text,
  strict_webhooks: flag,
  rate_limits: flag,
  cashout_settle: settling,
  pix_charge_life: duration,
  below_minimum: oneOf(['BELOW_MIN_LIMIT', 'INVALID_AMOUNT']),
  dispute_deadline: oneOf(disputeDeadlines),
  rates,
  spread_percent: percent,
  demo_secrets: oneOf(['known', 'random']),
  accounts,
} as const satisfies Record<string, z.ZodType>

export type ConfigSettings = {
  [Name in keyof typeof configSettings]?: Readonly<z.output<(typeof configSettings)[Name]>> | null
}

/** What is absent or null is as it is by default. */
export function configOf(settings: ConfigSettings): Config {
  return {
    clock: settings.clock ?? defaultConfig.clock,
    webhookUrl: settings.webhook_url ?? defaultConfig.webhookUrl,
    strictWebhooks: settings.strict_webhooks ?? defaultConfig.strictWebhooks,
    rateLimits: settings.rate_limits ?? defaultConfig.rateLimits,
    seed: settings.seed ?? defaultConfig.seed,
    pixChargeLifeMs: settings.pix_charge_life ?? defaultConfig.pixChargeLifeMs,
    cashoutSettle: defaultConfig.cashoutSettle,
    cashoutSettleMs: defaultConfig.cashoutSettleMs,
    ...settings.cashout_settle,
    belowMinimum: settings.below_minimum ?? defaultConfig.belowMinimum,
    disputeDeadline: settings.dispute_deadline ?? defaultConfig.disputeDeadline,
    rates: { ...defaultConfig.rates, ...settings.rates },
    spreadPercent: settings.spread_percent ?? defaultConfig.spreadPercent,
    demoSecrets: settings.demo_secrets ?? defaultConfig.demoSecrets,
    accounts: (settings.accounts ?? []).map(({ credential, ...account }) => ({
      ...account,
      credential: {
        clientId: credential?.client_id,
        clientSecret: credential?.client_secret,
        signingKey: credential?.signing_key,
        webhookSecret: credential?.webhook_secret,
        postbackUrl: credential?.postback_url,
        active: credential?.active,
      },
    })),
  }
}
