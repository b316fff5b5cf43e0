/** What a workspace keeps besides its database: one object, made anew by a reset or a restore, and put back if that fails. */

import type { Clock } from '../../base/clock.js'
import { seededRandom, systemRandom } from '../../base/crypto.js'
import { createIdMaker, randomText } from '../../base/ids.js'
import type { Draw, Places, Random } from '../../base/random.js'
import type { Source } from '../../protocol/rails/rail.js'
import { type Db, reader } from '../../store/db.js'
import { forgetRows } from '../../store/unit-of-work.js'

/** One kind of state. `Owner` is what the state is kept for. */
export interface Slot<Owner, State> {
  /** Makes the state when it is asked for first. */
  begin(owner: Owner): State
  /** Runs when the owner is replaced or closed. */
  end?(state: State): void
}

/** The state of one owner, one value for each slot. */
export abstract class Slots<Owner> {
  readonly #states = new Map<Slot<Owner, unknown>, unknown>()

  protected abstract owner(): Owner

  of<State>(slot: Slot<Owner, State>): State {
    if (!this.#states.has(slot)) this.#states.set(slot, slot.begin(this.owner()))
    // Only the slot itself has put a value there.
    return this.#states.get(slot) as State
  }

  /** Puts a value in place before anybody asks for it. */
  begin<State>(slot: Slot<Owner, State>, state: State): void {
    this.#states.set(slot, state)
  }

  end(): void {
    for (const [slot, state] of this.#states) slot.end?.(state)
  }
}

/** State of a room that a reset or a restore makes anew. Cached rows lie with the database (`cachedRow`) instead. */
export type MemorySlot<State> = Slot<Memory, State>

export class Memory extends Slots<Memory> {
  readonly db: Db
  readonly ids: Ids

  constructor(db: Db, seed: string | null, epoch: number, progress: IdProgress | null = null) {
    super()
    this.db = db
    this.ids = createIds(db, seed, epoch, progress)
  }

  protected override owner(): Memory {
    return this
  }
}

interface Owner {
  readonly db: Db
  readonly clock: Clock
  memory: Memory
}

/** Saves the present memory; the returned function puts it back. What was begun under another memory is finished by nobody. */
export function checkpointMemory(owner: Owner): () => void {
  const { memory } = owner
  const clockBack = owner.clock.keep()
  return () => {
    owner.memory = memory
    clockBack()
    forgetRows(owner.db)
  }
}

const prefixes = { transactions: 'tx_', events: 'evt_', requests: 'req_', refunds: 'tx_r', runs: 'run_' } as const
type Kind = keyof typeof prefixes

/** What counts on from the largest `seq` of a table; the others count from one. */
const lastOf: Readonly<Record<string, (db: Db) => { last: number | null }[]>> = {
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
    ].map((table) => [table, lastIn(table)]),
  ),
  // An entry has at least two postings, so it never has a larger number than the last of them.
  entries: lastIn('postings'),
}

function lastIn(table: string) {
  return reader<{ last: number | null }>(`select max(seq) as last from ${table}`)
}

export interface Ids {
  /** The next number of a table, never given out twice. */
  sequence(table: string): number
  next(kind: Kind): { seq: number; id: string }
  /** A stream of chance for codes and addresses. */
  draw(label: string): Draw
  /** `prefix` and at least 256 bits. */
  secret(prefix: string): string
  /** Keeps what has been given out; what it returns takes back what was given out since. */
  keep(): () => void
  /** How far everything is that a seed gives again; null without a seed. */
  progress(): IdProgress | null
}

/** As plain values. */
export interface IdProgress {
  counters: Readonly<Record<string, number>>
  chance: Places
}

/** Of a database without a row: no table need be asked for its last one. */
export const nothingGivenOut: IdProgress = {
  counters: Object.fromEntries(Object.keys(lastOf).map((table) => [table, 0])),
  chance: {},
}

/** `epoch` tells one opening of a database from the next, so that a seeded sandbox does not repeat itself after a restart; `from` goes on where one was. */
export function createIds(db: Db, seed: string | null, epoch: number, from: IdProgress | null = null): Ids {
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
        make = createIdMaker(prefixes[kind], random.stream(kind))
        makers.set(kind, make)
      }
      const seq = sequence(kind)
      return { seq, id: make(seq) }
    },
    draw: (label) => random.stream(label),
    keep() {
      const kept = { ...counters }
      const streamsBack = random.keep()
      return () => {
        counters = kept
        streamsBack()
      }
    },
    progress() {
      const chance = random.places()
      return chance === null ? null : { counters: { ...counters }, chance }
    },
    secret: (prefix) => prefix + randomText(random.stream('secret'), 52),
  }
}

const lastSequence = (db: Db, table: string): number => lastOf[table]?.(db)[0]?.last ?? 0

/** What a rail generates codes, keys and proofs from. */
export const sourceOf = ({ atMs, ids }: { atMs: number; ids: Ids }): Source => ({ atMs, draw: ids.draw })
