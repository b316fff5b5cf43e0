/** What may happen, step by step: plain data, so that a history can be printed, repeated and cut down. */
import { actionNames } from '../../../src/protocol/control/actions.js'
import type { Money, Name } from '../../support/model.js'
import type { Chance } from './chance.js'

/** How the caller fares: it sends the same call so often at once, and repeats it so often because the answer was lost. */
interface Call {
  who: Name
  currency: Money
  /** Per mille of what is usual. */
  size: number
  together: number
  repeats: number
}

export type Step =
  | ({ do: 'charge' | 'transfer' | 'wallet' } & Call)
  | ({ do: 'withdraw'; lost: boolean } & Call)
  | ({ do: 'convert'; to: Money } & Call)
  | { do: 'act'; action: string; pick: number; size: number }
  | { do: 'advance'; ms: number }
  /** To the moment when something is due by itself, or just short of it. */
  | { do: 'until'; pick: number; shortMs: number }
  /** The n-th write of the next step fails, and so many more. */
  | { do: 'disk'; inWrites: number; lasting: number }
  /** The process ends at the n-th write of the next step, and is started again. */
  | { do: 'kill'; inWrites: number }
  | { do: 'restart' }
  /** So many deposits at one moment: more webhooks than the rate lets through. */
  | { do: 'burst'; count: number }
  | { do: 'snapshot' }
  | { do: 'restore' }
  /** A nonce that was used before, `agoMs` of real time ago. */
  | { do: 'replay'; who: Name; agoMs: number }
  | { do: 'stale'; who: Name }

const names: readonly Name[] = ['merchant', 'customer']
const moneys: readonly Money[] = ['BRL', 'BRL', 'USDT', 'BTC']
/** What has to come before the others comes more often. */
const actions = [
  ...actionNames,
  'cashin.pay',
  'cashin.pay',
  'dispute.open',
  'dispute.open',
  'dispute.win',
  'dispute.lose',
]
const sizes = [0, 1, 1000, 30_000]
const leaps = [
  0, 1, 999, 1999, 2000, 5000, 30_000, 60_000, 120_000, 600_000, 1_799_999, 1_800_000, 3_600_000, 86_400_000,
  604_800_000,
]

/** `hardships` of 0 leaves the disk in peace. */
export function drawHistory(chance: Chance, length: number, hardships: number): Step[] {
  return Array.from({ length }, () => drawStep(chance, hardships))
}

function drawStep(chance: Chance, hardships: number): Step {
  if (chance.hit(hardships)) return drawHardship(chance)
  const call = (): Call => ({
    who: chance.pick(names),
    currency: chance.pick(moneys),
    size: chance.hit(0.7) ? chance.int(1001) : chance.pick(sizes),
    together: chance.hit(0.1) ? 2 + chance.int(4) : 1,
    repeats: chance.hit(0.15) ? 1 + chance.int(2) : 0,
  })
  const draws: readonly [number, () => Step][] = [
    [10, () => ({ do: 'charge', ...call() })],
    [6, () => ({ do: 'withdraw', ...call(), lost: chance.hit(0.3) })],
    [4, () => ({ do: 'transfer', ...call() })],
    [4, () => ({ do: 'convert', ...call(), to: chance.pick(moneys) })],
    [1, () => ({ do: 'wallet', ...call() })],
    [34, () => ({ do: 'act', action: chance.pick(actions), pick: -1 - chance.int(5), size: chance.int(1001) })],
    [5, () => ({ do: 'advance', ms: chance.pick(chance.hit(0.7) ? leaps.slice(0, 9) : leaps) })],
    [3, () => ({ do: 'until', pick: chance.int(3), shortMs: chance.pick([0, 1]) })],
    [1, () => (chance.hit(0.5) ? { do: 'burst', count: 90 + chance.int(40) } : { do: 'advance', ms: 59_000 })],
    [1, () => ({ do: 'snapshot' })],
    [1, () => ({ do: 'restore' })],
    [1, () => ({ do: 'replay', who: chance.pick(names), agoMs: chance.pick([0, 1000, 299_000, 301_000]) })],
    [1, () => ({ do: 'stale', who: chance.pick(names) })],
  ]
  let left = chance.int(draws.reduce((sum, [weight]) => sum + weight, 0))
  for (const [weight, draw] of draws) {
    left -= weight
    if (left < 0) return draw()
  }
  return { do: 'advance', ms: 0 }
}

function drawHardship(chance: Chance): Step {
  const inWrites = chance.int(chance.hit(0.5) ? 6 : 25)
  if (chance.hit(0.45)) return { do: 'kill', inWrites }
  if (chance.hit(0.1)) return { do: 'restart' }
  return { do: 'disk', inWrites, lasting: chance.hit(0.5) ? 1 : 1 + chance.int(60) }
}
