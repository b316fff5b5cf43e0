/** Compares balances: the first one of the recording is accepted, later ones must follow; a difference is traced to its movement. */
import { type Currency, currencies, type EntryType, type EventName, transitions } from '../../../inside/platform.js'
import { parseAmount } from '../../../inside/values.js'
import { formatMoney, reader } from '../../../inside/workspace.js'
import { causes } from './causes.js'
import type { Scratch } from './scratch.js'

/** One amount of a balance. */
interface BalancePart {
  accountSeq: number
  currency: Currency
  /** `available`, `blocked` or `pending`. */
  component: string
  /** Whether it is the amount before the newest change. */
  isBefore: boolean
}

/** How an amount differs from the one that follows from the amounts before. */
export interface BalanceGap {
  platform: string
  /** The sandbox's amount, counted from the platform's first one. */
  sandbox: string
  /** The event whose movement is missing, and what of it. */
  movement?: EventName
  path?: string
  documented?: string
  breaks?: string
  isAssumed?: false
}

interface Known {
  /** The platform's amount less the sandbox's, in minor units. */
  offset: bigint
  /** All offsets so far. */
  before: Set<bigint>
  /** The newest posting of the sandbox at that time. */
  postingSeq: number
}

interface Posting {
  /** `dispute.open`. */
  memo: string
  objectId: string
  minor: number
  type: EntryType | null
}

/** Movements that the documentation leaves open, and the place that has the assumption about them. */
const openMovements: readonly { types: readonly EntryType[]; gap: Partial<BalanceGap> }[] = [
  { types: ['withdrawal_fee_return'], gap: { movement: 'cashout.failed', path: 'data.refunded_amount' } },
  { types: ['withdrawal_fee', 'withdrawal_fee_return'], gap: { movement: 'cashout.confirmed', path: 'balance' } },
]

const newestPosting = reader<{ seq: number | null }>('select max(seq) as seq from postings')
const postingsAfter = reader<Posting>(`select memo, object_id as objectId, amount_minor as minor, type from postings
  where seq > ? and account_seq = ? and currency = ? and bucket = ? order by seq`)

const keyOf = ({ accountSeq, currency, component }: Omit<BalancePart, 'isBefore'>) =>
  `${accountSeq} ${currency} ${component}`

export class Balances {
  readonly #known = new Map<string, Known>()
  /** Events whose movement the platform did not make, by the object. */
  readonly #missed = new Map<string, EventName>()
  /** The newest posting at the first balance. */
  #firstSeq: number | null = null
  /** Why balances are no longer compared. */
  stopped: string | null = null

  constructor(
    readonly scratch: Scratch,
    /** Whether the recording has the webhooks that report payments. */
    readonly isComplete: boolean,
  ) {}

  /** Whether money has moved since the first balance. */
  get hasMoved(): boolean {
    return this.#firstSeq !== null && this.#newestSeq() > this.#firstSeq
  }

  #newestSeq = () => newestPosting(this.scratch.ws.db)[0]?.seq ?? 0

  /** null if both amounts agree. The first difference of a part is stored, and so is each new one. */
  gapOf(part: BalancePart, platform: string, sandbox: string): BalanceGap | null {
    const newest = this.#newestSeq()
    this.#firstSeq ??= newest
    if (!this.isComplete || this.stopped !== null) return null
    const { scale } = currencies[part.currency]
    const [one, other] = [parseAmount(platform, scale), parseAmount(sandbox, scale)]
    if (!one.ok || !other.ok) return platform === sandbox ? null : { platform, sandbox }
    const offset = one.minor - other.minor
    const known = this.#known.get(keyOf(part))
    const before = new Set(known?.before).add(known?.offset ?? offset)
    this.#known.set(keyOf(part), { offset, before, postingSeq: part.isBefore ? (known?.postingSeq ?? 0) : newest })
    // A difference that ends is not another one.
    if (known === undefined || known.offset === offset || known.before.has(offset)) return null
    const text = (minor: bigint) => `${formatMoney(minor, part.currency)} ${part.currency}`
    const shown = { platform: text(one.minor), sandbox: text(other.minor + known.offset) }
    return { ...shown, ...this.#missing(part, offset - known.offset, known.postingSeq) }
  }

  forget(): void {
    this.#known.clear()
  }

  /** The sandbox's `available` was changed to match the platform's next answer. */
  shift(accountSeq: number, currency: Currency, byMinor: bigint): void {
    const known = this.#known.get(keyOf({ accountSeq, currency, component: 'available' }))
    if (known !== undefined) known.offset -= byMinor
  }

  /** The documented movement without which the sandbox would agree: all of one kind since the last comparison, or one of them. */
  #missing(part: BalancePart, gapMinor: bigint, afterSeq: number): Partial<BalanceGap> {
    const { accountSeq, currency, component } = part
    const postings = postingsAfter(this.scratch.ws.db, afterSeq, accountSeq, currency, component)
    // A movement that never happened is not reversed.
    const later = postings.filter(({ objectId }) => this.#missed.has(objectId))
    const [first] = later
    const event = first === undefined ? undefined : this.#missed.get(first.objectId)
    if (event !== undefined && sumOf(later) === -gapMinor) return sentenceOf(event)
    const missedOf = (all: readonly Posting[]) => {
      const ids = [...new Set(all.map(({ objectId }) => objectId))]
      const groups = [all, ...ids.map((id) => all.filter(({ objectId }) => objectId === id))]
      return groups.find((group) => sumOf(group) === -gapMinor)
    }
    const found = [...new Set(postings.map(({ memo }) => memo))].flatMap((memo) => {
      const missed = missedOf(postings.filter((one) => one.memo === memo))
      return missed === undefined || eventOf(memo) === undefined ? [] : [{ memo, missed }]
    })
    const [one, another] = found
    if (one === undefined) {
      const isMissed = (types: readonly EntryType[]) =>
        missedOf(postings.filter(({ type }) => type !== null && types.includes(type))) !== undefined
      return openMovements.find(({ types }) => isMissed(types))?.gap ?? {}
    }
    const missing = eventOf(one.memo)
    if (missing === undefined || another !== undefined) return {}
    for (const { objectId } of one.missed) this.#missed.set(objectId, missing)
    return sentenceOf(missing)
  }
}

const sumOf = (postings: readonly Posting[]) => postings.reduce((sum, { minor }) => sum + BigInt(minor), 0n)

/** The event of a step such as `dispute.open`, if the documentation says how it changes the balance. */
function eventOf(step: string): EventName | undefined {
  const event = transitions.flatMap((row) =>
    `${row.object}.${row.on}` === step && 'event' in row ? [row.event] : [],
  )[0]
  return event !== undefined && causes[event]?.balance !== undefined ? event : undefined
}

const sentenceOf = (event: EventName): Partial<BalanceGap> => ({
  ...{ movement: event, path: 'balance' },
  documented: `${causes[event]?.action}: ${causes[event]?.balance}`,
  breaks: 'the balance does not change with this event',
  isAssumed: false,
})
