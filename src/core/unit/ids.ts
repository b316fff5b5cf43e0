/** The identifiers and secrets of one workspace, each kind from its own stream of chance and its own counter. */
import { seededRandom, systemRandom } from '../../base/crypto.js'
import { createIdMaker, randomText } from '../../base/ids.js'
import type { Draw, Places, Random } from '../../base/random.js'
import { type Db, reader } from '../../store/db.js'

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
