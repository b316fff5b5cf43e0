/** The sandbox in which a recording is repeated: in memory, on a manual clock; nothing settles or is sent by itself. */
import type { Config } from '../../../inside/control.js'
import {
  byCurrency,
  type Currency,
  currencies,
  currencyNames,
  type EventName,
  tokenLifeMs,
  usernamePattern,
} from '../../../inside/platform.js'
import { hourMs, maxAmountMinor, parseAmount } from '../../../inside/values.js'
import {
  type Account,
  balanceOf,
  type Credential,
  credentialsOf,
  findAccount,
  insertAccount,
  insertCredential,
  issueToken,
  newSecrets,
  reader,
  requireAccount,
  setAvailable,
  updateCredential,
  type Workspace,
} from '../../../inside/workspace.js'

const merchant = 'merchant'

/** Balances are unknown until the recording shows them. Until then they are large, so that no call lacks money. */
const largeBalances = byCurrency(
  (currency) => `1${'0'.repeat(String(maxAmountMinor).length - currencies[currency].scale - 4)}`,
)

/** The given settings, changed so that nothing happens by itself. */
export const scratchConfig = (config: Config): Config => ({
  ...config,
  clock: 'manual',
  cashoutSettle: 'manual',
  webhookUrl: null,
  demoSecrets: 'known',
  seed: 'comparison',
  accounts: [{ username: merchant, balances: largeBalances }],
})

export interface SandboxEvent {
  seq: number
  event: EventName
  /** The object of the event. */
  subjectId: string
  externalId: string | null
  accountSeq: number
  body: string
  createdAtMs: number
}

const eventsAfter = reader<SandboxEvent>(`select seq, event, subject_id as subjectId, external_id as externalId,
  account_seq as accountSeq, body, created_at_ms as createdAtMs from events where seq > ? order by seq`)

export class Scratch {
  #lastEventSeq = 0
  #token = { text: '', untilMs: 0 }
  /** A token that has expired before the first entry. */
  expiredToken = ''
  readonly account: Account
  readonly credential: Credential

  /** `time` is the wall clock of `ws`. */
  constructor(
    readonly ws: Workspace,
    readonly time: { wallMs: number },
  ) {
    const account = findAccount(ws.db, merchant)
    const [credential] = account === undefined ? [] : credentialsOf(ws.db, account.seq)
    if (account === undefined || credential === undefined) throw new Error('the sandbox has no demonstration account')
    this.account = account
    this.credential = credential
  }

  /** Sets the clock to the first entry. */
  async startAt(atMs: number): Promise<void> {
    this.setClock(atMs - 2 * hourMs, atMs)
    this.expiredToken = await this.#issue()
    this.setClock(atMs, atMs)
  }

  nowMs = (): number => this.ws.clock.now()

  setClock(businessMs: number, wallMs = 0): void {
    this.time.wallMs = Math.max(this.time.wallMs, wallMs)
    this.ws.clock.restore({ mode: 'manual', offsetMs: 0, frozenAtMs: businessMs })
  }

  async token(): Promise<string> {
    if (this.#token.untilMs <= this.nowMs())
      this.#token = { text: await this.#issue(), untilMs: this.nowMs() + tokenLifeMs }
    return this.#token.text
  }

  #issue = () => this.ws.unit((unit) => issueToken(unit, this.credential).accessToken)

  /** Returns the events since the last call of this function. */
  newEvents(): SandboxEvent[] {
    const events = eventsAfter(this.ws.db, this.#lastEventSeq)
    this.#lastEventSeq = events.at(-1)?.seq ?? this.#lastEventSeq
    return events
  }

  changeCredential = (change: { postbackUrl: string | null } | { active: boolean }): void =>
    void updateCredential(this.ws, this.credential.seq, change)

  /** Creates the account if it does not exist. Returns false if the username is not valid. */
  async ensureAccount(username: string): Promise<boolean> {
    if (findAccount(this.ws.db, username) !== undefined) return true
    if (!usernamePattern.test(username)) return false
    await this.ws.unit((unit) => {
      const account = insertAccount(unit, { username, name: username, document: this.account.document })
      insertCredential(unit, account.seq, { ...newSecrets(unit.ids), postbackUrl: null, active: true })
      for (const currency of currencyNames)
        setAvailable(unit, account, currency, minorOf(largeBalances[currency], currency))
    })
    return true
  }

  accountNamed = (username: string): Account => requireAccount(this.ws.db, username)

  availableMinor = (currency: Currency): bigint => balanceOf(this.ws.db, this.account.seq, currency).available

  setAvailable(currency: Currency, availableMinor: bigint): Promise<void> {
    return this.ws.unit((unit) => setAvailable(unit, this.account, currency, availableMinor))
  }
}

function minorOf(text: string, currency: Currency): bigint {
  const parsed = parseAmount(text, currencies[currency].scale)
  return parsed.ok ? parsed.minor : 0n
}
