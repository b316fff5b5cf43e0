/** The expected objects of a workspace after a kill, from its requests and responses: those that must, may and must not exist. */
import type { Asked, Call } from './calls.js'

/** An object as read after the last kill. */
export interface Known {
  id: string
  status: string
  dispute: string | undefined
}

export interface State {
  known: ReadonlyMap<string, Known>
  /** The calls since then. */
  calls: ReadonlyMap<string, Call>
}

/** A snapshot: the state at some time between `askedAtMs` and `answeredAtMs`. */
export interface Saved extends Asked, State {
  /** Business time before the request; the copy of a large file takes time. */
  leastMs: number
}

/** A reset, or a restore. */
export interface Jump extends Asked {
  saved: Saved | null
}

export interface Expected {
  must: boolean
  /** null means any id. */
  id: string | null
  statuses: readonly string[]
  disputes: readonly (string | undefined)[]
}

const firstStatus: Record<string, string> = {
  '/v2/transactions/cashin': 'pending',
  '/v2/transactions/cashout': 'pending',
  '/v2/internal_transfers/payment': 'confirmed',
  '/v2/conversions/new': 'completed',
}
/** Adds the statuses that pending objects reach by themselves: a charge expires, a withdrawal settles. */
const withTimedStatuses = (statuses: readonly string[]) =>
  statuses.includes('pending') ? [...statuses, 'expired', 'confirmed'] : statuses

/** The expected objects at some time: calls answered by `surelyMs` must have an effect, and calls made after `perhapsMs` must not. */
export function expectedAt({ known, calls }: State, surelyMs: number, perhapsMs: number): Map<string, Expected> {
  const expected = new Map<string, Expected>()
  for (const [externalId, { id, status, dispute }] of known)
    expected.set(externalId, { must: true, id, statuses: withTimedStatuses([status]), disputes: [dispute] })
  const isSure = ({ answeredAtMs }: Asked) => answeredAtMs !== null && answeredAtMs <= surelyMs
  for (const call of calls.values()) {
    if (call.askedAtMs > perhapsMs) continue
    let statuses = [firstStatus[call.path] ?? '']
    let disputes: (string | undefined)[] = [undefined]
    for (const step of call.steps) {
      if (step.askedAtMs > perhapsMs) continue
      statuses = isSure(step) ? [step.status] : [...statuses, step.status]
      disputes = isSure(step) ? [step.dispute] : [...disputes, step.dispute]
    }
    expected.set(call.externalId, { must: isSure(call), id: call.id, statuses: withTimedStatuses(statuses), disputes })
  }
  return expected
}

/** The expected objects after a reset or a restore: those of the restored state, and those of later calls. */
export function expectedAfter({ calls }: State, { saved, askedAtMs, answeredAtMs }: Jump): Map<string, Expected> {
  const expected =
    saved === null
      ? new Map<string, Expected>()
      : expectedAt(saved, saved.askedAtMs, saved.answeredAtMs ?? Number.POSITIVE_INFINITY)
  const since = [...calls].filter(([, call]) => call.answeredAtMs === null || call.answeredAtMs > askedAtMs)
  const later = expectedAt(
    { known: new Map(), calls: new Map(since) },
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  )
  for (const [externalId, one] of later) {
    const isAfter = answeredAtMs !== null && (calls.get(externalId)?.askedAtMs ?? 0) > answeredAtMs
    expected.set(externalId, { ...one, must: isAfter && one.must })
  }
  return expected
}

/** Describes the differences between expected and actual objects. */
export function faultsOf(expected: ReadonlyMap<string, Expected>, seen: ReadonlyMap<string, Known>): string[] {
  const faults: string[] = []
  for (const [externalId, { must, id, statuses, disputes }] of expected) {
    const one = seen.get(externalId)
    if (one === undefined) {
      if (must) faults.push(`${externalId} (${id}) was acknowledged and is lost`)
    } else if (id !== null && one.id !== id) faults.push(`${externalId} was ${id} and is ${one.id}`)
    else if (!statuses.includes(one.status)) faults.push(`${one.id} is ${one.status}, not ${statuses.join(' or ')}`)
    else if (!disputes.includes(one.dispute)) faults.push(`dispute of ${one.id}: ${one.dispute}, not ${disputes}`)
  }
  for (const [externalId, { id }] of seen)
    if (!expected.has(externalId)) faults.push(`${externalId} (${id}) must not exist`)
  return faults
}
