/** The steps of random histories. They are plain data, so that a history can be printed, repeated and shortened. */
import { actionNames } from '../../../src/protocol/actions/actions.js'
import type { Money, Name } from '../../support/model.js'
import type { Operation } from '../../support/model-pricing.js'
import { auditedHistory } from './audit.js'
import type { Chance } from './chance.js'
import { type WrongCall, wrongCalls } from './refusals.js'
import { drawLook, drawWork, type Look, type Work } from './routes.js'
import { drawPlan, type Mishap, mishaps, type Plan } from './scenarios.js'
import { drawSettings, type Settings } from './settings.js'

/** A call and how the caller sends it: `together` times at once, then `repeats` more times, as if responses were lost. */
interface Call {
  who: Name
  currency: Money
  /** The amount, as per mille of the usual range. */
  size: number
  together: number
  repeats: number
  /** Afterwards the caller sends another amount with the same external_id. */
  clashes: boolean
}

/** The part of a charge that goes to the other account: a part of the usual amount, or of the charge's net amount. */
export interface Share {
  of: 'amount' | 'net'
  perMille: number
}

/** New limits; null leaves a limit unchanged. */
interface Bounds {
  least: number | null
  most: number | null
  timesADay: number | null
}

export type Step =
  | ({ do: 'transfer' | 'wallet' } & Call)
  | ({ do: 'charge'; share: Share | null } & Call)
  /** Changes the fee or the limits of an operation of an account. */
  | { do: 'fee'; who: Name; currency: Money; operation: Operation; fixedPerMille: number; ppm: number }
  | ({ do: 'limit'; who: Name; currency: Money; operation: Operation } & Bounds)
  | ({ do: 'withdraw'; lost: boolean } & Call)
  | ({ do: 'convert'; to: Money } & Call)
  | { do: 'act'; action: string; pick: number; size: number }
  | { do: 'advance'; ms: number }
  /** Advances to the moment when a job is due, or `shortMs` before it. */
  | { do: 'until'; pick: number; shortMs: number }
  /** The disk is full from the n-th write of the next step, for `lasting` writes. */
  | { do: 'disk'; inWrites: number; lasting: number }
  /** The process dies at the n-th write of the next step and is restarted. */
  | { do: 'kill'; inWrites: number }
  | { do: 'restart' }
  /** The settings of the history; its first step, if it has any. */
  | { do: 'begin'; settings: Settings }
  /** Runs a scenario. */
  | { do: 'scenario'; plan: Plan }
  /** Makes a charge under a fault of a scenario or of chaos. */
  | { do: 'mishap'; mishap: Mishap; who: Name; perMille: number }
  /** Makes a call that must be rejected. */
  | { do: 'wrong'; code: WrongCall; who: Name }
  /** Reads a control route. */
  | { do: 'look'; route: Look }
  /** Uses control routes that change no transaction. */
  | { do: 'manage'; work: Work; who: Name }
  /** Returns the workspace to its start. */
  | { do: 'reset' }
  /** Makes `count` deposits at one moment, around the rate limit of webhooks. */
  | { do: 'burst'; count: number }
  /** Redelivers one of the last events. */
  | { do: 'redeliver'; pick: number }
  | { do: 'snapshot' }
  | { do: 'restore' }
  /** Repeats a nonce that was used at least `agoMs` of real time ago. */
  | { do: 'replay'; who: Name; agoMs: number }
  /** Uses the latest token, or waits until it has just expired. */
  | { do: 'stale'; who: Name; waits: boolean }
  /** Begins or completes the record for the auditor. */
  | { do: 'audit'; at: 'begin' | 'end' }

const names: readonly Name[] = ['merchant', 'customer']
const moneys: readonly Money[] = ['BRL', 'BRL', 'USDT', 'BTC']
/** Actions that must precede others occur more often. */
const actions = [
  ...actionNames,
  'cashin.pay',
  'cashin.pay',
  'dispute.open',
  'dispute.open',
  'dispute.win',
  'dispute.lose',
]
/** Special values of `size`: -1 means the smallest unit of the currency. */
const sizes = [-1, 0, 1, 1000, 30_000]
const leaps = [
  0, 1, 999, 1999, 2000, 5000, 30_000, 60_000, 120_000, 600_000, 1_799_999, 1_800_000, 3_600_000, 86_400_000,
  604_800_000,
]

/** The kind of a history: its length, its faults and the weights of its steps. */
export interface Kind {
  steps: number
  /** The share of steps that plan a fault. At 0 the checks of retries and rates are exact to the millisecond. */
  faults: number
  hasRates: boolean
  /** The share of receivers that fail most of the time. */
  badReceivers: number
  draws: readonly Draw[]
}

type Draw = readonly [weight: number, draw: (chance: Chance) => Step]

const call = (chance: Chance): Call => ({
  who: chance.pick(names),
  currency: chance.pick(moneys),
  size: chance.hit(0.7) ? chance.int(1001) : chance.pick(sizes),
  together: chance.hit(0.1) ? 2 + chance.int(4) : 1,
  repeats: chance.hit(0.15) ? 1 + chance.int(2) : 0,
  clashes: chance.hit(0.05),
})

const operations: readonly Operation[] = ['cashin', 'cashout', 'transfer', 'conversion']
const priced = (chance: Chance) => ({
  who: chance.pick(names),
  currency: chance.pick(moneys),
  operation: chance.pick(operations),
})
const share = (chance: Chance): Share | null =>
  chance.hit(0.8) ? null : { of: chance.pick(['amount', 'net']), perMille: chance.pick([1, 333, 500, 990, 1000]) }

const act: Draw[1] = (chance) => ({
  do: 'act',
  action: chance.pick(actions),
  pick: -1 - chance.int(5),
  size: chance.int(1001),
})
const burst: Draw[1] = (chance) => ({ do: 'burst', count: chance.pick([30, 60, 98, 99, 100, 101, 120]) })
const until: Draw[1] = (chance) => ({ do: 'until', pick: chance.int(3), shortMs: chance.pick([0, 1]) })
const wallet: Draw[1] = (chance) => ({ do: 'wallet', ...call(chance) })

const ppms = [0, 1, 5000, 13_700, 999_999, 1_000_000]
/** Limits as per mille of the usual amount. The first rows limit nothing. */
const bounds: readonly Bounds[] = [
  { least: 0, most: 40_000, timesADay: 1000 },
  { least: 0, most: 40_000, timesADay: 1000 },
  { least: 100, most: 600, timesADay: 1000 },
  { least: 0, most: 900, timesADay: 2 },
  { least: null, most: null, timesADay: 1 },
  { least: null, most: 600, timesADay: null },
  { least: 0, most: 40_000, timesADay: 1 },
]

const fee: Draw[1] = (chance) => ({
  do: 'fee',
  ...priced(chance),
  fixedPerMille: chance.pick([0, 0, 1, 100]),
  ppm: chance.pick(ppms),
})
const limit: Draw[1] = (chance) => ({ do: 'limit', ...priced(chance), ...chance.pick(bounds) })
const pricing = [fee, fee, limit]

const money: readonly Draw[] = [
  [10, (chance) => ({ do: 'charge', ...call(chance), share: share(chance) })],
  [6, (chance) => ({ do: 'withdraw', ...call(chance), lost: chance.hit(0.3) })],
  [4, (chance) => ({ do: 'transfer', ...call(chance) })],
  [4, (chance) => ({ do: 'convert', ...call(chance), to: chance.pick(moneys) })],
  [1, wallet],
  [34, act],
  [5, (chance) => ({ do: 'advance', ms: chance.pick(chance.hit(0.7) ? leaps.slice(0, 9) : leaps) })],
  [3, until],
  [0.5, burst],
  [
    1.5,
    (chance) => ({ do: 'fee', ...priced(chance), fixedPerMille: chance.pick([0, 0, 1, 100]), ppm: chance.pick(ppms) }),
  ],
  [1, (chance) => ({ do: 'limit', ...priced(chance), ...chance.pick(bounds) })],
  [1, () => ({ do: 'snapshot' })],
  [1, () => ({ do: 'restore' })],
  [3, (chance) => ({ do: 'scenario', plan: drawPlan(chance) })],
  [
    1.5,
    (chance) => ({ do: 'mishap', mishap: chance.pick(mishaps), who: chance.pick(names), perMille: chance.int(1001) }),
  ],
  [2, (chance) => ({ do: 'wrong', code: chance.pick(wrongCalls), who: chance.pick(names) })],
  [4, (chance) => ({ do: 'look', route: drawLook(chance) })],
  [1.5, (chance) => ({ do: 'manage', work: drawWork(chance), who: chance.pick(names) })],
  [0.15, () => ({ do: 'reset' })],
  [1, (chance) => ({ do: 'replay', who: chance.pick(names), agoMs: chance.pick([0, 1000, 299_000, 301_000]) })],
  [1, (chance) => ({ do: 'stale', who: chance.pick(names), waits: chance.hit(0.3) })],
]
/** Steps around the rate limit, its window and the retry schedule. */
const deliveries: readonly Draw[] = [
  [2, wallet],
  [4, (chance) => ({ do: 'charge', ...call(chance), share: null })],
  [12, act],
  [6, burst],
  [14, (chance) => ({ do: 'advance', ms: chance.pick(windows) })],
  [3, until],
  [2, (chance) => ({ do: 'redeliver', pick: chance.int(8) })],
  [0.5, () => ({ do: 'snapshot' })],
  [0.5, () => ({ do: 'restore' })],
]
const windows = [1, 1000, 5000, 30_000, 59_000, 59_999, 60_000, 60_000, 60_000, 120_000, 600_000]

const kinds: readonly Kind[] = [
  { steps: 120, faults: 0.12, hasRates: true, badReceivers: 0.25, draws: money },
  { steps: 120, faults: 0, hasRates: true, badReceivers: 0.25, draws: money },
  { steps: 40, faults: 0, hasRates: true, badReceivers: 0.4, draws: deliveries },
  { steps: 120, faults: 0.12, hasRates: false, badReceivers: 0.25, draws: money },
  { steps: 60, faults: 0.2, hasRates: true, badReceivers: 0.4, draws: deliveries },
  { steps: 60, faults: 0, hasRates: false, badReceivers: 0.5, draws: deliveries },
]

/** Of calls that the auditor knows. */
const audited: Kind = { steps: 100, faults: 0, hasRates: false, badReceivers: 0, draws: money }
const auditedEvery = 30

export const kindOf = (seed: number): Kind =>
  seed % auditedEvery === 0 ? audited : (kinds[seed % kinds.length] as Kind)

export function drawHistory(chance: Chance, kind: Kind): Step[] {
  const { steps, faults, draws } = kind
  if (kind === audited) return auditedHistory(steps, () => auditedCall(chance), chance)
  const prices =
    draws === money ? Array.from({ length: chance.pick([0, 0, 8, 16]) }, () => chance.pick(pricing)(chance)) : []
  const rest = Array.from({ length: steps }, () => (chance.hit(faults) ? drawFault(chance) : drawStep(chance, draws)))
  const settings = drawSettings(chance)
  const begin: Step[] = Object.keys(settings).length === 0 ? [] : [{ do: 'begin', settings }]
  return [...begin, ...prices, ...rest]
}

const auditedMoneys: readonly Money[] = ['BRL', 'BRL', 'USDT']
function auditedCall(chance: Chance): Step {
  const made = { ...call(chance), currency: chance.pick(auditedMoneys) }
  const dice = chance.next()
  if (dice < 0.5) return { do: 'charge', ...made, share: null }
  if (dice < 0.7) return { do: 'withdraw', ...made, lost: false }
  if (dice < 0.85) return { do: 'transfer', ...made }
  return { do: 'convert', ...made, to: made.currency === 'BRL' ? 'USDT' : 'BRL' }
}

/** The number of operations in a history; each deposit of a burst counts. */
export const operationsIn = (history: readonly Step[]): number =>
  history.reduce((sum, step) => sum + (step.do === 'burst' ? step.count : 1), 0)

function drawStep(chance: Chance, draws: readonly Draw[]): Step {
  let left = chance.next() * draws.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, draw] of draws) {
    left -= weight
    if (left < 0) return draw(chance)
  }
  return { do: 'advance', ms: 0 }
}

function drawFault(chance: Chance): Step {
  const inWrites = chance.int(chance.hit(0.5) ? 6 : 25)
  if (chance.hit(0.45)) return { do: 'kill', inWrites }
  if (chance.hit(0.1)) return { do: 'restart' }
  return { do: 'disk', inWrites, lasting: chance.hit(0.5) ? 1 : 1 + chance.int(60) }
}
