/** Reads the state of charges after a load, to check that each was credited once. */

import { expectedCreditsOf, type StateReader } from '../receiver/state-reader.js'
import type { TestEvent } from '../receiver/test-events.js'
import type { LoadEvent } from './event-source.js'
import type { LoadReport } from './report.js'

export type Effects = NonNullable<LoadReport['effects']>
type Effect = Exclude<keyof Effects, 'checked'>

/** Largest number of charges to read, of those whose events were sent more than once and of the others. */
const maxOfEach = 100
const readAtATime = 8
/** Number of wrong charges after which reading stops: the result is clear, and each takes three seconds. */
const maxWrong = 16

export class EffectSample {
  readonly #repeated: TestEvent[] = []
  #others: TestEvent[] = []
  #count = 0
  #every = 1

  add({ event, isPlainCharge }: LoadEvent, attempts: number): void {
    if (!isPlainCharge) return
    if (attempts > 1 && this.#repeated.length < maxOfEach) this.#repeated.push(event)
    else if (this.#count++ % this.#every === 0) this.#others.push(event)
    if (this.#others.length <= 2 * maxOfEach) return
    // Keeps a sample of the whole load, however long the load is.
    this.#others = this.#others.filter((_, at) => at % 2 === 0)
    this.#every *= 2
  }

  /** Number of charges in the sample whose events were sent more than once. */
  get resent(): number {
    return this.#repeated.length
  }

  get events(): TestEvent[] {
    return [...this.#repeated, ...this.#others.slice(0, maxOfEach)]
  }
}

/** Reads the sampled charges. Throws `StateUnavailable`. `firstWrong` describes the first wrong state. */
export async function checkEffects(
  stateReader: StateReader,
  events: readonly TestEvent[],
): Promise<{ effects: Effects; firstWrong: string | null }> {
  const effects: Effects = { checked: 0, once: 0, missing: 0, repeated: 0, other: 0 }
  let firstWrong: string | null = null
  const unmatched = [...events]
  const check = async () => {
    for (let event = unmatched.shift(); event !== undefined; event = unmatched.shift()) {
      if (effects.checked - effects.once >= maxWrong) return
      const expected = expectedCreditsOf(event.data)
      const state = await stateReader.waitFor(event.transactionId, ({ creditedParts }) =>
        expected.includes(creditedParts),
      )
      const effect = effectOf(state.creditedParts, expected)
      effects.checked++
      effects[effect]++
      if (effect !== 'once')
        firstWrong ??= `${event.transactionId}: credited ${state.credited} instead of ${String(event.data.amount)}`
    }
  }
  await Promise.all(Array.from({ length: readAtATime }, check))
  return { effects, firstWrong }
}

function effectOf(credited: bigint, expected: readonly bigint[]): Effect {
  if (expected.includes(credited)) return 'once'
  if (credited <= 0n) return 'missing'
  return expected.some((once) => once > 0n && credited % once === 0n) ? 'repeated' : 'other'
}
