/** The options of `startSandbox`: those of the command line, by names of this language. */
import type { Currency } from '../client/types/control.js'
import type { DisputeDeadline } from '../protocol/api/limits.js'
import type { DatabaseDriver } from '../protocol/control/drivers.js'

export type Amount = number | string
/** A number of seconds, or text: `500ms`, `90s`, `10m`, `2h`, `7d`. */
export type Duration = number | string

export interface StartOptions {
  /** `manual`: time passes only when told. `realtime` where absent. */
  clock?: 'realtime' | 'manual' | undefined
  /** Where webhooks go when neither the transaction nor the credential says so. */
  webhookUrl?: string | undefined
  /** The same seed gives the same ids, codes and addresses. */
  seed?: string | undefined
  /** A folder of your own scenarios. */
  scenarios?: string | undefined
  /** Scenarios armed from the start, and again after a reset. */
  arm?: readonly string[] | undefined
  /** Whether the documented rates are enforced; true where absent. */
  rateLimits?: boolean | undefined
  /** Refuse `http://` webhook addresses everywhere. */
  strictWebhooks?: boolean | undefined
  /** `manual`: a withdrawal settles only when told; a duration: after so long. `2s` where absent. */
  cashoutSettle?: 'auto' | 'manual' | Duration | undefined
  /** How long a PIX charge can be paid; `1h` where absent. */
  pixChargeLife?: Duration | undefined
  /** What a positive amount below the minimum is refused with; `BELOW_MIN_LIMIT` where absent. */
  belowMinimum?: 'BELOW_MIN_LIMIT' | 'INVALID_AMOUNT' | undefined
  /** What becomes of a dispute that nobody answered in time; `confirm` where absent. */
  disputeDeadline?: DisputeDeadline | undefined
  /** What one unit of a currency is worth in BRL. */
  rates?: Partial<Record<Currency, Amount>> | undefined
  /** What a conversion keeps of the rate, in percent; 1 where absent. */
  spreadPercent?: Amount | undefined
  /** Accounts that are there from the start and after a reset, beside the demonstration ones, which they may change. */
  accounts?: readonly StartAccount[] | undefined
  /** A file that was exported from a sandbox: it begins as that, and a reset comes back to it. */
  snapshot?: string | undefined
  /** What opens the database; the first of `better-sqlite3` and `node` that loads where absent. */
  databaseDriver?: DatabaseDriver | undefined
  /** An SQLite file that keeps the state; `:memory:` where absent. */
  db?: string | undefined
  /** `127.0.0.1` where absent. */
  host?: string | undefined
  /** Any free one where absent. */
  port?: number | undefined
  /** Asked for on the control API. */
  adminToken?: string | undefined
  /** Further names that the sandbox answers to as `Host`. */
  allowHosts?: readonly string[] | undefined
}

export interface StartAccount {
  username: string
  name?: string | undefined
  /** CPF or CNPJ. */
  document?: string | undefined
  balances?: Partial<Record<Currency, Amount>> | undefined
  /** What is absent is made up. */
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
}

/** A mistyped option must not be a wish that nobody heard. */
export function requireKnown(what: string, options: object, known: readonly string[]): void {
  const stranger = Object.keys(options).find((name) => !known.includes(name))
  if (stranger === undefined) return
  throw new TypeError(`${what} has no option ${stranger}; it has ${known.join(', ')}`)
}
