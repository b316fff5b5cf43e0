/** The sandbox and the model side by side: each step is done to both, and afterwards both must tell the same. */
import { createMemoryImages } from '../../../src/core/snapshots/images.js'
import { type Db, reader } from '../../../src/store/db.js'
import { Model, type Name, rates, textOf } from '../../support/model.js'
import { type Chance, chanceOf } from './chance.js'
import { checkDeliveries, type Owed } from './deliveries.js'
import { heal, isKilledNow, Killed, unhindered, writesSoFar } from './disk.js'
import { kindOf } from './history.js'
import { type Network, simulatedNetwork } from './network.js'
import { hold } from './violation.js'
import { type Answer, Process } from './workspace.js'

const names = ['merchant', 'customer'] as const
const urlOf = (name: Name) => `http://127.0.0.1:9/${name}`
const ownerOf = (url: string | null): Name => (url === urlOf('customer') ? 'customer' : 'merchant')
export const secretOf = (kind: 'secret' | 'sk' | 'whsec', name: Name) => `${kind}_sandbox_${name}_${'0'.repeat(40)}`

const zeroRates = { MXN: '1', USDC: '5', ETH: '1', SOL: '1', BNB: '1' }
const config = () => ({
  clock: 'manual' as const,
  webhookUrl: null,
  strictWebhooks: false,
  spreadPercent: '1',
  rates: { ...zeroRates, ...Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, String(rate)])) },
  accounts: names.map((username) => ({ username, credential: { postbackUrl: urlOf(username) } })),
})

/** The store refused before the call itself was made. */
export class StoreRefused extends Error {}

export class World {
  readonly chance: Chance
  readonly network: Network
  readonly model: Model
  process: Process
  wallMs = Date.UTC(2026, 0, 5, 12)
  owed: Owed[] = []
  /** Keeps to the documented rates. */
  private readonly hasRates: boolean
  /** Files beside the database: they outlive the process. */
  private readonly images = createMemoryImages(() => this.wallMs)
  isDisturbed = false
  private disturbsUnread = false
  private seenEvent = 0
  private restoredAtMs = 0
  private tokens = new Map<Name, { text: string; atMs: number }>()

  private constructor(
    seed: number,
    private readonly base: object,
  ) {
    this.chance = chanceOf(seed)
    const { hasRates, badReceivers } = kindOf(seed)
    this.hasRates = hasRates
    const clocks = { nowMs: () => this.process.workspace.clock.now(), wallMs: () => this.wallMs }
    this.network = simulatedNetwork(chanceOf(seed ^ 0x5bd1e995), clocks, badReceivers, (url) =>
      secretOf('whsec', ownerOf(url)),
    )
    this.process = this.start()
    this.model = new Model(this.process.workspace.clock.now())
  }

  static async open(seed: number, base: object): Promise<World> {
    const world = new World(seed, base)
    for (const name of names) {
      await world.control('PUT', `/accounts/${name}/balances`, { BRL: '500.00', USDT: '100.00', BTC: '0.01' })
      world.model.of(name, 'BRL').available = 50_000n
      world.model.of(name, 'USDT').available = 10_000n
      world.model.of(name, 'BTC').available = 1_000_000n
    }
    return world
  }

  /** The rate may hold back what is due, or a fault what is sent. */
  get mayWait(): boolean {
    return this.hasRates || this.isDisturbed
  }

  /** Nothing of it goes on. */
  abandon(): void {
    this.network.cut()
    this.process.close()
  }

  private start(disk?: Db): Process {
    return Process.start(
      { ...this.base, ...config(), rateLimits: this.hasRates } as never,
      this.network,
      () => this.wallMs,
      this.images,
      disk,
    )
  }

  control = (method: string, path: string, body?: object): Promise<Answer> => this.process.control(method, path, body)

  /** The process is gone, and another one opens what it left. */
  revive(): void {
    const disk = this.process.endedAt(this.chance.hit(0.25))
    this.disturb()
    this.process = unhindered(() => this.start(disk))
  }

  /** What is under way may be sent once more. */
  disturb(): void {
    this.isDisturbed = true
    this.disturbsUnread = true
    for (const one of this.owed) one.isDisturbed = true
  }

  async bearer(name: Name): Promise<Record<string, string>> {
    const held = this.tokens.get(name)
    const nowMs = this.process.workspace.clock.now()
    if (held !== undefined && nowMs < held.atMs + 3_600_000 && nowMs >= held.atMs)
      return { Authorization: `Bearer ${held.text}` }
    const basic = btoa(`client_sandbox_${name}:${secretOf('secret', name)}`)
    const answer = await this.process.call('POST', '/v2/oauth/token', '{"grant_type":"client_credentials"}', {
      Authorization: `Basic ${basic}`,
    })
    if (answer.status === 503) throw new StoreRefused()
    hold(answer.status === 200, () => `no token: ${JSON.stringify(answer.body)}`)
    this.tokens.set(name, { text: answer.body.access_token, atMs: nowMs })
    return { Authorization: `Bearer ${answer.body.access_token}` }
  }

  /** A token that was given before; undefined where none is held. */
  heldToken = (name: Name) => this.tokens.get(name)

  /** Everything that is due has happened, deliveries and their answers included; where the disk struck meanwhile, in another process. */
  async settle(): Promise<void> {
    await this.process.rest()
    const isKilled = isKilledNow()
    if (heal()) this.disturb()
    if (isKilled) this.revive()
    await this.process.rest()
  }

  /** Events that came since somebody looked, as the model tells them. */
  readEvents(): string[] {
    return unhindered(() => {
      const fresh = eventsSince(this.process.workspace.db, this.seenEvent)
      for (const { id, event, url, subject, bornAtMs } of fresh)
        this.owed.push({ id, event, url: url ?? '', subject, bornAtMs, isDisturbed: this.disturbsUnread })
      this.disturbsUnread = false
      this.seenEvent = fresh.at(-1)?.seq ?? this.seenEvent
      return fresh.map(({ url, body }) => tellingOf(ownerOf(url), JSON.parse(body)))
    })
  }

  /** Events that somebody has asked for once more. */
  get byHand(): ReadonlySet<string> {
    return new Set(this.owed.filter(({ isByHand }) => isByHand === true).map(({ id }) => id))
  }

  /** After a restore: the time that passed since is no more, nor is what was sent in it. What was asked for by hand before may still be to come. */
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

  /** Balances, statuses and the news of the last step. */
  async compare(): Promise<void> {
    const { model } = this
    hold(this.network.faults.length === 0, () => this.network.faults.join('; '))
    const reported = this.readEvents()
    hold(
      reported.sort().join('\n') === model.reported.sort().join('\n'),
      () =>
        `events differ: [${without(reported, model.reported)}], by the model [${without(model.reported, reported)}]`,
    )
    model.reported = []
    const nowMs = this.process.workspace.clock.now()
    hold(nowMs === model.nowMs, () => `it is ${nowMs}, by the model ${model.nowMs}`)
    const { db } = this.process.workspace
    const { balances, rows, jobs, astray } = unhindered(() => readState(db))
    for (const [key, balance] of model.balances) {
      const row = balances.get(key)
      for (const bucket of ['available', 'blocked', 'pending'] as const) {
        const [is, was] = [BigInt(row?.[bucket] ?? 0), balance[bucket]]
        hold(is === was, () => `${key} ${bucket} is ${is}, by the model ${was}`)
      }
    }
    for (const { kind, id, status, amount, fee } of model.things) {
      const row = rows.get(id)
      hold(row?.status === status, () => `${kind} ${id} is ${row?.status}, by the model ${status}`)
      hold(
        BigInt(row.amount) === amount && BigInt(row.fee) === fee,
        () => `${kind} ${id} is of ${row.amount}, fee ${row.fee}, by the model ${amount}, fee ${fee}`,
      )
    }
    const due = model.things.filter((one) => one.dueMs !== null && undecided.has(one.status)).length
    hold(jobs === due, () => `${jobs} things are to happen by themselves, by the model ${due}`)
    hold(
      astray === undefined,
      () => `${astray?.id} is ${astray?.status} and goes out at ${astray?.reportedMs}, its job says ${astray?.dueMs}`,
    )
    const pending = model.things.filter(({ status }) => status === 'pending' || status === 'open').length
    const open = [...rows.values()].filter(({ status }) => status === 'pending' || status === 'open').length
    hold(open === pending, () => `${open} are pending or open, by the model ${pending}`)
  }

  /** What the control API would tell of each event. */
  private checkTellings(): void {
    const rows = new Map(eventsSince(this.process.workspace.db, 0).map((row) => [row.id, row]))
    for (const { id, isDisturbed, isForgiven } of this.owed) {
      if (isDisturbed || isForgiven === true) continue
      const attempts = this.network.attempts.filter((one) => one.id === id)
      const status = attempts.some(({ isAccepted }) => isAccepted) ? 'delivered' : 'failed'
      const row = rows.get(id)
      hold(
        row?.status === status && row.attempts === attempts.length && row.nextMs === null,
        () => `${id} is ${row?.status} after ${row?.attempts}, not ${status} after ${attempts.length}`,
      )
    }
  }

  /** Each step begins where the one before has led, and the last leads to where the thing stands. */
  private checkHistory(): void {
    const reached = new Map<string, string>()
    for (const { id, from, to } of stepsOf(this.process.workspace.db)) {
      const before = reached.get(id) ?? from
      hold(before === from, () => `${id} went from ${from} to ${to}, and was ${before}`)
      reached.set(id, to)
    }
    for (const { id, kind, status } of this.model.things) {
      const last = reached.get(id)
      const isNew = last === undefined && (undecided.has(status) || status === 'completed' || kind === 'cashin')
      hold(last === status || isNew, () => `the history of ${id} ends with ${last}, it is ${status}`)
    }
  }

  /** Where nothing is due, nothing happens. */
  private async checkIdle(): Promise<void> {
    await this.process.rest()
    const before = writesSoFar()
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    hold(writesSoFar() === before, () => 'it goes on writing although nothing is due')
  }

  /** Totals are kept up with every write: they are those that counting gives. */
  private async checkTotals(name: Name): Promise<void> {
    const { body } = await this.process.call(
      'POST',
      '/v2/account/transactions/list',
      '{"page":1,"page_size":1}',
      await this.bearer(name),
    )
    const count = transactionsOf(this.process.workspace.db, name)[0]?.count
    const { total } = body.data.pagination
    hold(total === count, () => `${name} is reported of ${total} transactions, there are ${count}`)
  }

  private async checkBalances(name: Name): Promise<void> {
    const { body } = await this.process.call('GET', '/v2/account/balance', undefined, await this.bearer(name))
    for (const { currency, available, blocked, pending } of body.data.balances) {
      const held = this.model.balances.get(`${name} ${currency}`)
      if (held === undefined) continue
      const figures = [held.available, held.blocked, held.pending].map((minor) => Number(textOf(minor, currency)))
      hold(
        [available, blocked, pending].join() === figures.join(),
        () => `${name} sees ${currency} ${[available, blocked, pending]}, by the model ${figures}`,
      )
    }
  }

  /** All debts are paid: an hour and a half is longer than the ladder with everything deferred. */
  async finish(): Promise<void> {
    for (let hour = 0; hour < 30; hour++) {
      const { body } = await this.control('POST', '/clock/advance', { by: '1h' })
      this.model.advance(3_600_000)
      hold(body.now !== undefined, () => 'the clock has stopped')
      if (deliveriesLeft(this.process.workspace.db).length === 0) break
    }
    await this.compare()
    checkDeliveries(this.owed, this.network.attempts, {
      hasRates: this.hasRates,
      isDisturbed: this.isDisturbed,
      sinceMs: this.restoredAtMs,
    })
    this.checkTellings()
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

// Read past the control API: they are asked some thousand times a second, and the books are held against its answers at the end.
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

const jobsOfThings = reader<{ count: number }>(`select count(*) as count from jobs where kind <> 'deliver'`)
/** An event that tells of another next attempt than its job. */
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

function tellingOf(name: Name, { event, transaction_id, data }: Reported): string {
  const subject = data.original_transaction_id ?? data.original_conversion_id ?? transaction_id
  const direction = data.direction === undefined ? '' : ` ${data.direction}`
  const about = data.direction === 'received' ? data.counterparty : subject
  const balances = data.new_balance === undefined ? '' : ` ${data.old_balance} ${data.new_balance}`
  return `${name} ${event}${direction} ${about}${balances}`
}

/** What of a list is not in another; where all is, the list itself: then something is there twice. */
function without(list: readonly string[], other: readonly string[]): string {
  const left = list.filter((one) => !other.includes(one))
  return (left.length === 0 && list.length > other.length ? list : left).join(', ')
}

export const isKilled = (error: unknown): boolean => error instanceof Killed
