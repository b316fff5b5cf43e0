/** From the options of `startSandbox` to the configuration of a workspace. */
import { parseDuration } from '../base/duration.js'
import { type Config, defaultConfig, type SeedAccount } from '../core/workspace/config.js'
import { disputeDeadlines } from '../protocol/api/limits.js'
import { requireKnown, type StartAccount, type StartOptions } from './options.js'

/** Options that are about the process rather than the platform. */
const processOptions = [
  'db',
  'databaseDriver',
  'snapshot',
  'host',
  'port',
  'adminToken',
  'allowHosts',
  'scenarios',
  'arm',
] as const
type Wish = Omit<StartOptions, (typeof processOptions)[number]>

const readers: { [Name in keyof Wish]-?: (value: NonNullable<Wish[Name]>) => Partial<Config> } = {
  clock: (clock) => ({ clock: oneOf('clock', clock, ['realtime', 'manual']) }),
  webhookUrl: (webhookUrl) => ({ webhookUrl: webAddress('webhookUrl', webhookUrl) }),
  seed: (seed) => ({ seed }),
  rateLimits: (rateLimits) => ({ rateLimits }),
  strictWebhooks: (strictWebhooks) => ({ strictWebhooks }),
  cashoutSettle: (wish) =>
    wish === 'auto' || wish === 'manual'
      ? { cashoutSettle: wish }
      : { cashoutSettle: 'auto', cashoutSettleMs: milliseconds('cashoutSettle', wish) },
  pixChargeLife: (life) => ({ pixChargeLifeMs: milliseconds('pixChargeLife', life) }),
  belowMinimum: (code) => ({ belowMinimum: oneOf('belowMinimum', code, ['BELOW_MIN_LIMIT', 'INVALID_AMOUNT']) }),
  disputeDeadline: (wish) => ({ disputeDeadline: oneOf('disputeDeadline', wish, disputeDeadlines) }),
  rates: (rates) => ({ rates: { ...defaultConfig.rates, ...texts(rates) } }),
  spreadPercent: (percent) => ({ spreadPercent: String(percent) }),
  accounts: (accounts) => ({ accounts: accounts.map(seedOf) }),
}

/** Throws `TypeError` for an option that does not exist, or a value that is none. */
export function configOf(options: StartOptions): Config {
  requireKnown('startSandbox', options, [...Object.keys(readers), ...processOptions])
  if (options.snapshot !== undefined && options.accounts !== undefined)
    throw new TypeError('the accounts come from the snapshot: leave out snapshot or accounts')
  const given = Object.entries(readers).map(([name, read]) => {
    const value = options[name as keyof Wish]
    return value === undefined ? {} : (read as (value: unknown) => Partial<Config>)(value)
  })
  return Object.assign({ ...defaultConfig }, ...given)
}

function oneOf<const T extends string>(name: string, value: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value)
  if (found === undefined) throw new TypeError(`${name} must be one of ${choices.join(', ')}, not ${value}`)
  return found
}

function milliseconds(name: string, value: string | number): number {
  const ms = parseDuration(value)
  if (ms === null) throw new TypeError(`${name} must be a duration such as 90s, 10m or 2h, not ${value}`)
  return ms
}

function webAddress(name: string, value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value
  throw new TypeError(`${name} must be an http:// or https:// address, not ${value}`)
}

const texts = <Key extends string>(amounts: Partial<Record<Key, string | number>>): Partial<Record<Key, string>> =>
  Object.fromEntries(Object.entries(amounts).map(([key, amount]) => [key, String(amount)])) as Partial<
    Record<Key, string>
  >

function seedOf({ credential = {}, balances = {}, ...account }: StartAccount): SeedAccount {
  const { client_id, client_secret, signing_key, webhook_secret, postback_url, active } = credential
  return {
    ...account,
    balances: texts(balances),
    credential: {
      clientId: client_id,
      clientSecret: client_secret,
      signingKey: signing_key,
      webhookSecret: webhook_secret,
      postbackUrl: postback_url,
      active,
    },
  }
}
