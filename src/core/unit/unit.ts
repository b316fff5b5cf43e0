/**
 * A unit of work and a workspace as the code of the core sees them. A unit reads, decides and writes, and is committed
 * completely or not at all. It can run more than once before it is committed (`store/unit-of-work.ts`), so effects
 * outside the database use `after` or are reverted with `undo`. The methods of the unit do so.
 */

import type { CallAfter, Clock } from '../../base/clock.js'
import { seededRandom, systemRandom } from '../../base/crypto.js'
import { createIdMaker, type Random, type RandomBytes, randomText, type StreamPositions } from '../../base/random.js'
import type { ChangeType } from '../../protocol/control/stream-and-pages.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Source } from '../../protocol/rails/rail.js'
import type { DeliveryFaults } from '../../protocol/scenario/steps.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { WireFormat } from '../../protocol/settings/wire-format.js'
import { type Db, lastSeqReader } from '../../store/db.js'
import { clearRowCache, createUnits, type Scope } from '../../store/unit-of-work.js'
import type { ScenarioSource, Send, Wake } from './ports.js'

export interface Unit extends Scope {
  readonly db: Db
  /** The business time of the whole unit, read once. */
  readonly atMs: number
  /** The real time, read once, for signatures and nonces only (assumptions.md decision 5). */
  readonly wallMs: number
  readonly ids: Ids
  readonly config: Config
  /** Rewrites events as the settings choose; null if all settings have their defaults. */
  readonly wireFormat: WireFormat | null
  readonly memory: Memory
  readonly scenarios: ScenarioSource
  /** How the events of this unit are delivered, if a scenario changes it. */
  deliveryFaults: DeliveryFaults | null
  /** Publishes the change once this unit is committed. */
  publishChange(change: Change): void
  /** Wakes the scheduler at that time. The alarm is set once this unit is committed. */
  wakeAt(dueAtMs: number): void
}

export interface Workspace {
  readonly name: string
  readonly config: Config
  /** Rewrites responses and events as the settings choose; null if all settings have their defaults. */
  readonly wireFormat: WireFormat | null
  readonly db: Db
  readonly clock: Clock
  readonly send: Send
  readonly callAfter: CallAfter
  readonly wake: Wake
  /** Called before each step of a long advance. Returns null to continue at once, else a promise to wait for. */
  readonly pauseAdvance: () => Promise<void> | null
  readonly bus: Bus
  /** State that outlives a reset or a restore. */
  readonly state: StateSlots<Workspace>
  readonly scenarios: ScenarioSource
  /** A new object after each reset or restore. Work that started before must not write to the new object. */
  memory: Memory
  closed: boolean
  /** Runs a unit of work, completely or not at all. It runs at the end of this event-loop turn, together with others. */
  unit<T>(work: (unit: Unit) => T): Promise<T>
}

/** Error for work that is still running in a workspace when it is deleted. */
export const workspaceDeletedError = (name: string) =>
  new ApiError('NOT_FOUND', { workspace: name }, `The workspace ${name} has been deleted.`)

/** What modules above this one do when a unit changes something. */
export interface UnitEffects {
  /** Sets the alarm earlier if a new job is due before it. */
  wakeEarlier(ws: Workspace, dueAtMs: number): void
  /** Called inside the unit, with each change. */
  changed(unit: Unit, change: Change): void
}

export function unitsOf(db: Db, workspace: () => Workspace, effects: UnitEffects): Workspace['unit'] {
  const units = createUnits(db, (error) => (workspace().closed ? workspaceDeletedError(workspace().name) : error))
  return (work) => units.run((scope) => work(unitOf(workspace(), scope, effects)))
}

export function unitOf(ws: Workspace, scope: Scope, effects: UnitEffects): Unit {
  const { memory } = ws
  const { ids } = memory
  scope.undo(ids.checkpoint())
  const unit: Unit = {
    db: ws.db,
    atMs: ws.clock.now(),
    wallMs: ws.clock.wall(),
    ids,
    config: ws.config,
    wireFormat: ws.wireFormat,
    memory,
    scenarios: ws.scenarios,
    deliveryFaults: null,
    after: (step) => scope.after(step),
    undo: (step) => scope.undo(step),
    attempt: (part) => scope.attempt(part),
    wakeAt: (dueAtMs) => scope.after(() => effects.wakeEarlier(ws, dueAtMs)),
    publishChange(change) {
      scope.after(() => ws.bus.publish(change))
      effects.changed(unit, change)
    },
  }
  return unit
}

// The state of a workspace in memory. It is one object: a reset or a restore replaces it by a new one, or keeps it if the
// reset or restore fails.

/** The key and initial value of one kind of state. `Owner` is the object that the state belongs to. */
interface Slot<Owner, State> {
  begin(owner: Owner): State
  /** Runs when the owner is replaced or closed. */
  end?(state: State): void
}

export class StateSlots<Owner> {
  readonly #states = new Map<Slot<Owner, unknown>, unknown>()

  constructor(private readonly owner: () => Owner) {}

  of<State>(slot: Slot<Owner, State>): State {
    if (!this.#states.has(slot)) this.#states.set(slot, slot.begin(this.owner()))
    // A slot's state is always created by the slot, or set for it by `begin`.
    return this.#states.get(slot) as State
  }

  /** Sets the state, also before its first use. */
  set<State>(slot: Slot<Owner, State>, state: State): void {
    this.#states.set(slot, state)
  }

  end(): void {
    for (const [slot, state] of this.#states) slot.end?.(state)
  }
}

/** State that a reset or a restore replaces. Cached rows belong to the database instead (`getOrCacheRow`). */
export type MemorySlot<State> = Slot<Memory, State>

export class Memory extends StateSlots<Memory> {
  readonly db: Db
  readonly ids: Ids

  constructor(db: Db, seed: string | null, epoch: number, progress: IdProgress | null = null, mark?: string) {
    super(() => this)
    this.db = db
    this.ids = createIds(db, seed, epoch, progress, mark)
  }
}

/** State that lasts as long as the workspace is open. */
export type WorkspaceSlot<State> = Slot<Workspace, State>

interface Owner {
  readonly db: Db
  readonly clock: Clock
  memory: Memory
}

/** Saves the current memory; the returned function restores it. Work that began with one memory must not end with another. */
export function checkpointMemory(owner: Owner): () => void {
  const { memory } = owner
  const restoreClock = owner.clock.checkpoint()
  return () => {
    owner.memory = memory
    restoreClock()
    clearRowCache(owner.db)
  }
}

const prefixes = { transactions: 'tx_', events: 'evt_', requests: 'req_', refunds: 'tx_r', runs: 'run_' } as const
type Kind = keyof typeof prefixes

/** Numbers that continue from the largest `seq` of a table. All others start at one. */
const lastSequenceQueries: Readonly<Record<string, (db: Db) => number>> = {
  ...Object.fromEntries(
    [
      'transactions',
      'events',
      'wallets',
      'disputes',
      'replies',
      'accounts',
      'credentials',
      'runs',
      'jobs',
      'inbox_messages',
    ].map((table) => [table, lastSeqReader(table)]),
  ),
  // An entry has at least two postings, so its number is never larger than the last posting's.
  entries: lastSeqReader('postings'),
}

export interface Ids {
  /** Returns the next number of a table; never the same one twice. */
  sequence(table: string): number
  next(kind: Kind): { seq: number; id: string }
  /** Returns a stream of random values, for codes and addresses. */
  draw(label: string): RandomBytes
  /** Returns `prefix` and at least 256 random bits. */
  secret(prefix: string): string
  /** Saves the counters and random streams; the returned function restores them, so that ids issued since are free again. */
  checkpoint(): () => void
  /** The position of everything that depends on the seed; null without a seed. */
  progress(): IdProgress | null
}

/** Plain values. */
export interface IdProgress {
  counters: Readonly<Record<string, number>>
  chance: StreamPositions
}

/** For an empty database: saves queries for the last row of each table. */
export const noIdsIssued: IdProgress = {
  counters: Object.fromEntries(Object.keys(lastSequenceQueries).map((table) => [table, 0])),
  chance: {},
}

/**
 * `epoch` differs in each opening of a database, so that a seeded sandbox does not repeat ids after a restart. `from`
 * continues from a saved position.
 */
function createIds(db: Db, seed: string | null, epoch: number, from: IdProgress | null = null, mark?: string): Ids {
  const random: Random = seed === null ? systemRandom() : seededRandom(`${seed}\0${epoch}`, from?.chance)
  let counters: Record<string, number> = { ...from?.counters }
  const makers = new Map<Kind, (sequence: number) => string>()

  const sequence = (table: string) => {
    const next = (counters[table] ?? lastSequence(db, table)) + 1
    counters[table] = next
    return next
  }
  return {
    sequence,
    next(kind) {
      let make = makers.get(kind)
      if (make === undefined) {
        make = createIdMaker(prefixes[kind], random.stream(kind), mark)
        makers.set(kind, make)
      }
      const seq = sequence(kind)
      return { seq, id: make(seq) }
    },
    draw: (label) => random.stream(label),
    checkpoint() {
      const saved = { ...counters }
      const rewindStreams = random.savePositions()
      return () => {
        counters = saved
        rewindStreams()
      }
    },
    progress() {
      const chance = random.positions()
      return chance === null ? null : { counters: { ...counters }, chance }
    },
    secret: (prefix) => prefix + randomText(random.stream('secret'), 52),
  }
}

const lastSequence = (db: Db, table: string): number => lastSequenceQueries[table]?.(db) ?? 0

/** The source from which a rail generates codes, keys and proofs. */
export const idSourceOf = ({ atMs, ids }: { atMs: number; ids: Ids }): Source => ({ atMs, draw: ids.draw })

// The stream of changes.

/** `type` is the kind of object, `id` the object, `status` its current state. */
export interface Change {
  type: ChangeType
  id: string
  status?: string
  [more: string]: unknown
}

/** Changes remembered for subscribers who reconnect. */
export const rememberedChanges = 2000
/** Upper bound on remembered changes while a subscriber has not read them yet. */
export const maxRememberedChanges = 20_000

/** Publishes each change after its commit: to the event stream, waiting callers and the console. */
interface Bus {
  publish(change: Change): void
  /**
   * Calls `listener` with each change; returns a function that ends the subscription. A listener must not throw. A
   * listener that reads at its own pace passes `place`, which returns the number of the last change that it has read:
   * later changes are remembered for it.
   */
  subscribe(listener: (change: Change) => void, place?: () => number): () => void
  /** Identifies this bus, so that its change numbers are not confused with the numbers of an earlier bus. */
  readonly origin: string
  /** The number of the newest change; the first is 1. */
  readonly last: number
  /** Returns a change by its number, as long as it is remembered. */
  at(sequence: number): Change | undefined
  readonly listeners: number
}

export function createBus(origin: string): Bus {
  const listeners = new Map<(change: Change) => void, (() => number) | undefined>()
  /** Entries before index `head` are removed; the change at `head` has the number `first`. */
  const recent: (Change | undefined)[] = []
  let [head, first, last] = [0, 1, 0]

  const forget = (): void => {
    let unread = last - rememberedChanges
    for (const place of listeners.values()) if (place !== undefined) unread = Math.min(unread, place())
    for (const end = Math.max(unread, last - maxRememberedChanges); first <= end; first++) recent[head++] = undefined
    if (head < rememberedChanges) return
    recent.splice(0, head)
    head = 0
  }
  return {
    publish(change) {
      last++
      recent.push(change)
      for (const listener of listeners.keys()) listener(change)
      forget()
    },
    subscribe(listener, place) {
      listeners.set(listener, place)
      return () => listeners.delete(listener)
    },
    origin,
    get last() {
      return last
    },
    at: (sequence) => (sequence >= first ? recent[sequence - first + head] : undefined),
    get listeners() {
      return listeners.size
    },
  }
}
