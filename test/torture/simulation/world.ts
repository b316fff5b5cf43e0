/** The sandbox and its model. After each step both must agree. */
import { createMemoryImages } from '../../../src/core/snapshots/images.js'
import type { PlatformSetting } from '../../../src/protocol/settings/platform.js'
import { type Db, reader } from '../../../src/store/db.js'
import { Model, type Name, rates, textOf } from '../../support/model.js'
import { type Chance, chanceOf } from './chance.js'
import { checkDeliveries, type Owed } from './deliveries.js'
import { heal, isKilledNow, Killed, unhindered, writesSoFar } from './disk.js'
import { kindOf } from './history.js'
import { type Network, simulatedNetwork } from './network.js'
import { reach } from './reach.js'
import { configWith, fixedSettings, rulesWith, type Settings } from './settings.js'
import { hold } from './violation.js'
import { type Answer, Process } from './workspace.js'

const names = ['merchant', 'customer'] as const
const urlOf = (name: Name) => `http://127.0.0.1:9/${name}`
const ownerOf = (url: string | null): Name => (url === urlOf('customer') ? 'customer' : 'merchant')
export const secretOf = (kind: 'secret' | 'sk' | 'whsec', name: Name) => `${kind}_sandbox_${name}_${'0'.repeat(40)}`

const zeroRates = { MXN: '1', USDC: '5', ETH: '1', SOL: '1', BNB: '1' }
/** Of an account whose credential is not active. */
export const idleSecret = `secret_sandbox_idle_${'0'.repeat(40)}`

const config = () => ({
  clock: 'manual' as const,
  webhookUrl: null,
  strictWebhooks: false,
  spreadPercent: '1',
  rates: { ...zeroRates, ...Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, String(rate)])) },
  accounts: [
    ...names.map((username) => ({ username, credential: { postbackUrl: urlOf(username) } })),
    { username: 'idle', credential: { clientId: 'client_sandbox_idle', clientSecret: idleSecret, active: false } },
  ],
})

/** The store rejected the token request before the call itself. */
export class StoreRefused extends Error {}

export class World {
  readonly chance: Chance
  readonly network: Network
  readonly model: Model
  process: Process
  wallMs = Date.UTC(2026, 0, 5, 12)
  owed: Owed[] = []
  /** Whether the documented rate limits apply. */
  readonly hasRates: boolean
  readonly isStrict: boolean
  /** Snapshots outlive the process, like files. */
  private readonly images = createMemoryImages(() => this.wallMs)
  isDisturbed = false
  private disturbsUnread = false
  private reordersUnread = false
  private readonly excused = new Set<string>()
  private seenEvent = 0
  private restoredAtMs = 0
  private tokens = new Map<Name, { text: string; atMs: number }>()

  private constructor(
    seed: number,
    private readonly settings: Settings,
  ) {
    this.chance = chanceOf(seed)
    const { hasRates, badReceivers } = kindOf(seed)
    this.hasRates = hasRates
    this.isStrict = settings.strict !== undefined
    const clocks = { nowMs: () => this.process.workspace.clock.now(), wallMs: () => this.wallMs }
    this.network = simulatedNetwork(chanceOf(seed ^ 0x5bd1e995), clocks, badReceivers, (url) =>
      secretOf('whsec', ownerOf(url)),
    )
    this.process = this.start()
    this.model = new Model(this.process.workspace.clock.now(), rulesWith(settings))
  }

  static async open(seed: number, settings: Settings): Promise<World> {
    const world = new World(seed, settings)
    world.meetSettings()
    await world.fund()
    return world
  }

  private meetSettings(): void {
    for (const name of [...fixedSettings, ...(Object.keys(this.settings) as PlatformSetting[])])
      reach.meet('setting', name)
    if (!this.hasRates) reach.meet('setting', 'rate_limits')
  }

  /** Gives both accounts their first money. */
  async fund(): Promise<void> {
    for (const name of names) {
      await this.control('PUT', `/accounts/${name}/balances`, { BRL: '500.00', USDT: '100.00', BTC: '0.01' })
      this.model.of(name, 'BRL').available = 50_000n
      this.model.of(name, 'USDT').available = 10_000n
      this.model.of(name, 'BTC').available = 1_000_000n
    }
  }

  /** Whether a rate limit or a fault may delay a webhook. */
  get mayWait(): boolean {
    return this.hasRates || this.isDisturbed
  }

  /** Stops the process and its network. */
  abandon(): void {
    this.network.cut()
    this.process.close()
  }

  private start(disk?: Db): Process {
    return Process.start(
      { ...configWith(this.settings), ...config(), rateLimits: this.hasRates } as never,
      this.network,
      () => this.wallMs,
      this.images,
      disk,
    )
  }

  control = (method: string, path: string, body?: object): Promise<Answer> => this.process.control(method, path, body)

  /** Ends the process and starts another one on its disk. */
  revive(): void {
    const disk = this.process.endedAt(this.chance.hit(0.25))
    this.disturb()
    this.process = unhindered(() => this.start(disk))
  }

  /** Marks all events, because those in flight may be sent twice. */
  disturb(): void {
    this.isDisturbed = true
    this.disturbsUnread = true
    for (const one of this.owed) one.isDisturbed = true
  }

  /** The events of this step may be sent twice, late and in another order. */
  disturbNext(): void {
    this.reordersUnread = true
  }

  /** The same for all events about some objects. */
  excuse(ids: readonly string[]): void {
    for (const id of ids) this.excused.add(id)
  }

  async bearer(name: Name): Promise<Record<string, string>> {
    const token = this.tokens.get(name)
    const nowMs = this.process.workspace.clock.now()
    if (token !== undefined && nowMs < token.atMs + 3_600_000 && nowMs >= token.atMs)
      return { Authorization: `Bearer ${token.text}` }
    const basic = btoa(`client_sandbox_${name}:${secretOf('secret', name)}`)
    const answer = await this.process.call('POST', '/v2/oauth/token', '{"grant_type":"client_credentials"}', {
      Authorization: `Basic ${basic}`,
    })
    if (answer.status === 503) throw new StoreRefused()
    hold(answer.status === 200, () => `the token request failed: ${JSON.stringify(answer.body)}`)
    this.tokens.set(name, { text: answer.body.access_token, atMs: nowMs })
    return { Authorization: `Bearer ${answer.body.access_token}` }
  }

  /** The latest token of an account, if there is one. */
  latestToken = (name: Name) => this.tokens.get(name)

  /** Waits until due jobs and deliveries are done. Continues in a new process if the disk kills this one. */
  async settle(): Promise<void> {
    await this.process.becomeIdle()
    const isKilled = isKilledNow()
    if (heal()) this.disturb()
    if (isKilled) this.revive()
    await this.process.becomeIdle()
  }

  /** Reads the events since the last call, in the model's notation. */
  readEvents(): string[] {
    return unhindered(() => {
      const fresh = eventsSince(this.process.workspace.db, this.seenEvent)
      for (const { id, event, url, subject, bornAtMs } of fresh) {
        const isExcused = this.reordersUnread || this.excused.has(subject)
        this.owed.push({
          id,
          event,
          url: url ?? '',
          subject,
          bornAtMs,
          isDisturbed: this.disturbsUnread || isExcused,
          ...(isExcused ? { isByHand: true } : {}),
        })
      }
      this.disturbsUnread = false
      this.reordersUnread = false
      this.seenEvent = fresh.at(-1)?.seq ?? this.seenEvent
      return fresh.map(({ url, body }) => notationOf(ownerOf(url), JSON.parse(body)))
    })
  }

  /** The ids of the events that a step has redelivered. */
  get byHand(): ReadonlySet<string> {
    return new Set(this.owed.filter(({ isByHand }) => isByHand === true).map(({ id }) => id))
  }

  /** Clears what is known of deliveries after a restore. Redeliveries from before the snapshot may still follow. */
  forgetDeliveries(byHand: ReadonlySet<string>): void {
    this.network.attempts.length = 0
    this.restoredAtMs = this.model.nowMs
    this.owed = []
    this.seenEvent = 0
    this.readEvents()
    for (const one of this.owed) {
      one.isForgiven = true
      if (byHand.has(one.id)) one.isByHand = true
    }
    this.tokens.clear()
  }

  /** Resets the workspace, and the model with it. Snapshots stay. */
  async reset(): Promise<void> {
    const { status, body } = await this.control('POST', '/reset')
    hold(status < 300, () => `the reset failed: ${JSON.stringify(body)}`)
    this.network.forget()
    this.model.load(new Model(this.process.workspace.clock.now()).save())
    this.forgetDeliveries(new Set())
    await this.fund()
  }

  /** Compares events, clock, balances and statuses with the model. */
  async compare(): Promise<void> {
    const { model } = this
    hold(this.network.faults.length === 0, () => this.network.faults.join('; '))
    const reported = this.readEvents()
    hold(
      reported.sort().join('\n') === model.reported.sort().join('\n'),
      () =>
        `events differ: the sandbox has [${without(reported, model.reported)}], the model [${without(model.reported, reported)}]`,
    )
    model.reported = []
    const nowMs = this.process.workspace.clock.now()
    hold(nowMs === model.nowMs, () => `the clock is at ${nowMs}, in the model at ${model.nowMs}`)
    const { db } = this.process.workspace
    const { balances, rows, jobs, astray } = unhindered(() => readState(db))
    for (const [key, balance] of model.balances) {
      const row = balances.get(key)
      for (const bucket of ['available', 'blocked', 'pending'] as const) {
        const [actual, expected] = [BigInt(row?.[bucket] ?? 0), balance[bucket]]
        hold(actual === expected, () => `${key} ${bucket} is ${actual}, in the model ${expected}`)
      }
    }
    for (const { kind, id, status, amount, fee } of model.things) {
      const row = rows.get(id)
      hold(row?.status === status, () => `${kind} ${id} is ${row?.status}, in the model ${status}`)
      hold(
        BigInt(row.amount) === amount && BigInt(row.fee) === fee,
        () => `${kind} ${id} has the amount ${row.amount} and the fee ${row.fee}, in the model ${amount} and ${fee}`,
      )
    }
    const due = model.things.filter((one) => one.dueMs !== null && undecided.has(one.status)).length
    hold(jobs === due, () => `${jobs} jobs are scheduled, in the model ${due}`)
    hold(
      astray === undefined,
      () =>
        `${astray?.id} is ${astray?.status} with its next attempt at ${astray?.reportedMs}; its job is due at ${astray?.dueMs}`,
    )
    const pending = model.things.filter(({ status }) => status === 'pending' || status === 'open').length
    const open = [...rows.values()].filter(({ status }) => status === 'pending' || status === 'open').length
    hold(open === pending, () => `${open} objects are pending or open, in the model ${pending}`)
  }

  /** Compares the stored status and attempts of each event with the recorded attempts. */
  private checkEventRows(): void {
    const rows = new Map(eventsSince(this.process.workspace.db, 0).map((row) => [row.id, row]))
    for (const { id, isDisturbed, isForgiven } of this.owed) {
      if (isDisturbed || isForgiven === true) continue
      const attempts = this.network.attempts.filter((one) => one.id === id)
      const status = attempts.some(({ isAccepted }) => isAccepted) ? 'delivered' : 'failed'
      const row = rows.get(id)
      hold(
        row?.status === status && row.attempts === attempts.length && row.nextMs === null,
        () => `${id} is ${row?.status} after ${row?.attempts} attempts instead of ${status} after ${attempts.length}`,
      )
    }
  }

  /** Each transition must begin at the status where the one before ended, and the last must end at the object's status. */
  private checkHistory(): void {
    const reached = new Map<string, string>()
    for (const { id, from, to } of stepsOf(this.process.workspace.db)) {
      const before = reached.get(id) ?? from
      hold(before === from, () => `${id} went from ${from} to ${to}, but was ${before}`)
      reached.set(id, to)
    }
    for (const { id, kind, status } of this.model.things) {
      const last = reached.get(id)
      const isNew = last === undefined && (undecided.has(status) || status === 'completed' || kind === 'cashin')
      hold(last === status || isNew, () => `the history of ${id} ends with ${last}, but it is ${status}`)
    }
  }

  /** Without due jobs the sandbox must not write. */
  private async checkIdle(): Promise<void> {
    await this.process.becomeIdle()
    const before = writesSoFar()
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    hold(writesSoFar() === before, () => 'the sandbox writes although no job is due')
  }

  /** The stored total of transactions must equal their count. */
  private async checkTotals(name: Name): Promise<void> {
    const { body } = await this.process.call(
      'POST',
      '/v2/account/transactions/list',
      '{"page":1,"page_size":1}',
      await this.bearer(name),
    )
    const count = transactionsOf(this.process.workspace.db, name)[0]?.count
    const { total } = body.data.pagination
    hold(total === count, () => `the list of ${name} has a total of ${total}, but there are ${count} transactions`)
  }

  private async checkBalances(name: Name): Promise<void> {
    const { body } = await this.process.call('GET', '/v2/account/balance', undefined, await this.bearer(name))
    for (const { currency, available, blocked, pending } of body.data.balances) {
      const balance = this.model.balances.get(`${name} ${currency}`)
      if (balance === undefined) continue
      const figures = [balance.available, balance.blocked, balance.pending].map((minor) =>
        Number(textOf(minor, currency)),
      )
      hold(
        [available, blocked, pending].map(Number).join() === figures.join(),
        () => `${name} sees ${currency} ${[available, blocked, pending]}, in the model ${figures}`,
      )
    }
  }

  /** Advances hour by hour until no delivery is left, then runs all checks. */
  async finish(): Promise<void> {
    for (let hour = 0; hour < 30; hour++) {
      const { body } = await this.control('POST', '/clock/advance', { by: '1h' })
      this.model.advance(3_600_000)
      hold(body.now !== undefined, () => 'the clock does not advance')
      if (deliveriesLeft(this.process.workspace.db).length === 0) break
    }
    await this.compare()
    checkDeliveries(this.owed, this.network.attempts, {
      hasRates: this.hasRates,
      isDisturbed: this.isDisturbed,
      sinceMs: this.restoredAtMs,
    })
    this.checkEventRows()
    this.checkHistory()
    await this.checkIdle()
    for (const name of names) {
      await this.checkBalances(name)
      await this.checkTotals(name)
    }
    const ledger = await this.control('GET', '/ledger')
    hold(ledger.body.balanced === true, () => 'the ledger does not balance')
    this.process.close()
  }
}

// These queries run thousands of times a second, so they bypass the control API. At the end its responses are checked too.
const eventsSince = reader<{
  seq: number
  id: string
  event: string
  url: string | null
  subject: string
  bornAtMs: number
  body: string
  status: string
  attempts: number
  nextMs: number | null
}>(`select seq, id, event, url, subject_id as subject, created_at_ms as bornAtMs, body, status, attempts,
  next_attempt_at_ms as nextMs from events where seq > ? order by seq`)
const allBalances = reader<{ name: string; currency: string } & Record<'available' | 'blocked' | 'pending', number>>(
  'select username as name, currency, available, blocked, pending from balances join accounts a on a.seq = account_seq',
)
const allRows = reader<{ id: string; status: string; amount: number; fee: number }>(
  `select id, status, amount_minor as amount, fee_minor as fee from transactions
    union all select id, status, amount_minor, 0 from disputes`,
)
const deliveriesLeft = reader(`select 1 from jobs where kind = 'deliver' limit 1`)

const jobsOfThings = reader<{ count: number }>(
  `select count(*) as count from jobs where kind not in ('deliver', 'scenario')`,
)
/** Finds an event whose next attempt differs from its job. */
const strayEvents = reader<{ id: string; status: string; reportedMs: number | null; dueMs: number | null }>(
  `select e.id, e.status, next_attempt_at_ms as reportedMs, min(due_at_ms) as dueMs from jobs j join events e on e.id = j.ref
    where j.kind = 'deliver' group by e.id having reportedMs is not dueMs or e.status = 'failed' limit 1`,
)
const transactionsOf = reader<{ count: number }>(
  'select count(*) as count from transactions join accounts a on a.seq = account_seq where username = ?',
)
const stepsOf = reader<{ id: string; from: string; to: string }>(
  'select object_id as id, from_status as "from", to_status as "to" from history order by seq',
)
const undecided = new Set(['pending', 'open', 'responded'])

const readState = (db: Db) => ({
  balances: new Map(allBalances(db).map((row) => [`${row.name} ${row.currency}`, row])),
  jobs: jobsOfThings(db)[0]?.count ?? 0,
  astray: strayEvents(db)[0],
  rows: new Map(allRows(db).map((row) => [row.id, row])),
})

interface Reported {
  event: string
  transaction_id: string
  data: Record<string, string | undefined>
}

function notationOf(name: Name, { event, transaction_id, data }: Reported): string {
  const subject = data.original_transaction_id ?? data.original_conversion_id ?? transaction_id
  const direction = data.direction === undefined ? '' : ` ${data.direction}`
  const about = data.direction === 'received' ? data.counterparty : subject
  const balances = data.new_balance === undefined ? '' : ` ${data.old_balance} ${data.new_balance}`
  return `${name} ${event}${direction} ${about}${balances}`
}

/** Returns the items of a list that another lacks, or the whole list if it only contains items twice. */
function without(list: readonly string[], other: readonly string[]): string {
  const left = list.filter((one) => !other.includes(one))
  return (left.length === 0 && list.length > other.length ? list : left).join(', ')
}

export const isKilled = (error: unknown): boolean => error instanceof Killed
