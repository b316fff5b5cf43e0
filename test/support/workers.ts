/** Opens a sandbox under workerd instead of in this process, for behavior tests that know only its URL. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWorkerd, wakeWorkspaces } from '../../scripts/workerd.mjs'
import type { Config } from '../../src/protocol/settings/platform.js'

export const onWorkers = process.env.TEST_PLATFORM === 'workers'

const variablesOf = (config: Config): Record<string, unknown> => {
  const settings = {
    webhook_url: config.webhookUrl,
    clock: config.clock,
    seed: config.seed,
    strict_webhooks: config.strictWebhooks,
    strict: config.strict,
    rate_limits: config.rateLimits,
    cashout_settle: config.cashoutSettle === 'manual' ? 'manual' : `${config.cashoutSettleMs}ms`,
    pix_charge_life: `${config.pixChargeLifeMs}ms`,
    below_minimum: config.belowMinimum,
    dispute_deadline: config.disputeDeadline,
    daily_limit_returns: config.dailyLimitReturns,
    rates: config.rates,
    webhook_rate_key: config.webhookRateKey,
    spread_percent: config.spreadPercent,
    demo_secrets: config.demoSecrets,
    accounts: config.accounts.map(({ credential = {}, ...account }) => ({
      ...account,
      credential: {
        client_id: credential.clientId,
        client_secret: credential.clientSecret,
        signing_key: credential.signingKey,
        webhook_secret: credential.webhookSecret,
        postback_url: credential.postbackUrl,
        active: credential.active,
      },
    })),
  }
  const given = Object.entries(settings).filter(([, value]) => value !== null)
  return Object.fromEntries(given.map(([name, value]) => [`PAYMENTS_SANDBOX_${name.toUpperCase()}`, value]))
}

/** A folder that is deleted when the test process ends. */
let folder: string | undefined
const storages = (): string => {
  if (folder !== undefined) return folder
  const made = mkdtempSync(join(tmpdir(), 'payments-sandbox-objects-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  folder = made
  return made
}

export interface There {
  url: string
  close(): Promise<void>
}

/** Shortens the time limits of webhooks in a process. Objects always use the documented limits. */
export const sendingWithin = (sendTimeouts: { totalMs: number } | { connectMs: number }) =>
  onWorkers ? {} : { sendTimeouts }

interface OpenOptions {
  arm?: readonly string[]
  /** `:memory:` or a file. The same file opens the same data again. */
  db?: string
}

/** Opens a sandbox under workerd. Throws for options that an object does not support. */
export function openOnWorkers(config: Config, { arm = [], db = ':memory:', ...others }: OpenOptions): Promise<There> {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`an object does not support the option ${unknown}`)
  return workersOpener(config, { arm, db })()
}

/** Returns a function that opens sandboxes on the same storage. */
export function workersOpener(config: Config, { arm = [], db = ':memory:' }: OpenOptions = {}): () => Promise<There> {
  const storage = db === ':memory:' ? mkdtempSync(join(storages(), 'one-')) : `${db}.objects`
  return async () => {
    const { url, stop } = await startWorkerd({
      storage,
      variables: { PAYMENTS_SANDBOX_LOCAL: 'true', PAYMENTS_SANDBOX_ARM: arm, ...variablesOf(config) },
    })
    await wakeWorkspaces(url)
    return { url, close: async () => void (await stop('SIGKILL')) }
  }
}
