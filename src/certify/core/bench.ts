/** What every trial works with, and what it comes back with. */

import type { Workspace } from '../../core/unit/workspace.js'
import { transitions } from '../../protocol/platform/transitions.js'
import { notTestedBecause } from '../protocol/report.js'
import type { Result } from '../protocol/rules.js'
import type { Cast, MadeEvent } from './cast.js'
import { creditsOf, type Effect, type Effects } from './effects.js'
import { type Hit, isOk, type Wire } from './wire.js'

export interface CertifyOptions {
  /** Where the receiver is. */
  url: string
  /** Tells what became of a transaction. */
  effects: string | null
  /** Restarts the receiver, and answers when it is up again. */
  restart: string | null
  mode: 'sandbox' | 'production'
  productionUrl: string | null
}

export interface Bench {
  /** Its own: nobody else's transactions are touched. */
  ws: Workspace
  options: CertifyOptions
  wire: Wire
  cast: Cast
  /** null: nobody tells them. */
  effects: Effects | null
  /** Made more than an hour ago, on this workspace's clock. */
  missed: { confirmed: MadeEvent; refunded: MadeEvent; repeated: MadeEvent; lone: MadeEvent }
  /** What was refused so far, rightly. */
  refusals: Hit[]
  pause(delayMs: number): Promise<void>
}

export interface Finding {
  result: Result
  seen: string
  hit?: Hit
  /** The broken rule that kept this one from being tested. */
  blockedBy?: string
}
export type Trial = (bench: Bench) => Promise<Finding>

export const holds = (seen: string): Finding => ({ result: 'holds', seen })
export const broken = (seen: string, hit?: Hit): Finding => ({
  result: 'broken',
  seen,
  ...(hit === undefined ? {} : { hit }),
})
/** Another rule is broken, without which this one cannot be tested. */
export const blocked = (by: string, why: string): Finding => ({
  result: 'unseen',
  seen: notTestedBecause(why),
  blockedBy: by,
})
export const unseen = (seen: string): Finding => ({ result: 'unseen', seen })

const silences: Record<string, string> = {
  timeout: 'no answer in 10 seconds',
  connect_timeout: 'no connection in 5 seconds',
  refused: 'nothing listens there',
  reset: 'the connection was closed without an answer',
  dns: 'the name has no address',
  tls: 'the certificate was not accepted',
  insecure_url: 'the address may not be called',
}

/** `answered 500`, `no answer in 10 seconds`. */
export function answerOf({ result }: Hit): string {
  if (result.status !== null) return `answered ${result.status}`
  const why = silences[result.outcome] ?? result.outcome
  return result.detail === null || result.outcome === 'timeout' ? why : `${why} (${result.detail})`
}

/** Delivers an event that must be accepted; undefined where it was. */
export async function notAccepted({ wire }: Bench, event: MadeEvent, what: string): Promise<Finding | undefined> {
  const { accepted, last } = await wire.deliver(event)
  return accepted ? undefined : broken(`${what}: ${answerOf(last)}`, last)
}

/** The first that is found. */
export async function firstOf<T>(
  items: readonly T[],
  find: (item: T) => Promise<Finding | undefined>,
): Promise<Finding | undefined> {
  const found = await Promise.all(items.map(find))
  return found.find((one) => one !== undefined)
}

export const noEffects = (accepted: string) =>
  unseen(`${accepted}; what became of it shows only where the effects can be asked for`)

export const shownEffect = ({ status, credited }: Effect): string =>
  `credited ${credited}${status === null ? '' : `, status ${status}`}`

/** What should have become of the charge of a confirmation. */
export interface Wanted {
  event: MadeEvent
  /** `once`: its amount, or what the fee leaves of it. `nothing`: zero, or less where the fee was kept. */
  credited: 'once' | 'nothing'
  /** The status, where the effects use the word of the interface at all. */
  status?: string
  what: string
}

const cashinStatuses = transitions.filter((row) => row.object === 'cashin').map((row): string => row.to)

function isAs({ event, credited, status }: Wanted, effect: Effect): boolean {
  const creditHolds =
    credited === 'nothing' ? effect.creditedParts <= 0n : creditsOf(event.data).includes(effect.creditedParts)
  const isSaid = status !== undefined && effect.status !== null && cashinStatuses.includes(effect.status)
  return creditHolds && (!isSaid || effect.status === status)
}

/** The first effect that is not as wanted, now and once what came later has been worked on; undefined where all are. */
export async function wrongEffect(bench: Bench, wishes: readonly Wanted[]): Promise<Finding | undefined> {
  const look = () => firstOf(wishes, (wish) => wrongNow(bench, wish))
  return (await look()) ?? (await fence(bench).then(look))
}

async function wrongNow({ effects, wire }: Bench, wish: Wanted): Promise<Finding | undefined> {
  if (effects === null) return undefined
  const { event, credited, status, what } = wish
  const effect = await effects.until(event.transactionId, (now) => isAs(wish, now))
  if (isAs(wish, effect)) return undefined
  if (effect.creditedParts === 0n && wire.log.recovered.some((hit) => hit.event.id === event.id))
    return unseen(`${what}: its first attempt failed, and it had no effect afterwards, which is another rule`)
  const right = credited === 'nothing' ? 'nothing credited' : `${String(event.data.amount)} credited once`
  return broken(
    `${what}: ${shownEffect(effect)} instead of ${right}${status === undefined ? '' : `, status ${status}`}`,
  )
}

/** Whatever was sent before has been worked on once the effect of a later event shows. */
async function fence(bench: Bench): Promise<void> {
  if (bench.effects === null) return
  const event = await bench.cast.paid()
  const { accepted } = await bench.wire.deliver(event)
  if (accepted) await bench.effects.until(event.transactionId, ({ creditedParts }) => creditedParts !== 0n)
}

/** How a hit that should have been refused came out; undefined where it was refused, with whichever 4xx. */
export function notRefused(hit: Hit, what: string): Finding | undefined {
  const { status } = hit.result
  if (status !== null && status >= 400 && status < 500) return undefined
  return broken(isOk(hit) ? `${what} was accepted (${answerOf(hit)})` : `${what}: ${answerOf(hit)}`, hit)
}
