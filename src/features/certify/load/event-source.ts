/** Creates the events of a load from real transactions of every kind, shortly before they are sent. */
import { reset, type Workspace } from '../../../inside/workspace.js'
import type { TestEvent, TestEvents } from '../receiver/test-events.js'
import { worksOfAllEvents, worksOfOtherRails } from '../receiver/test-events.js'

export interface LoadEvent {
  event: TestEvent
  /** The transaction and the objects that follow from it. Its events are sent in order. */
  object: string
  /** Whether the object is a charge that is only paid, so that its credit is known. */
  isPlainCharge: boolean
}

export type EventSource = ReturnType<typeof createEventSource>

/** Number of objects that are created together. Their events alternate. */
const objectsAtATime = 8
/** Number of objects after which the workspace is reset, so that a long load does not fill the memory. */
const objectsPerState = 1000
/** Number of events that are ready unless `prepare` requests more. */
const readyAtLeast = 16

/** The amount of a plain charge: 30.00 to 130.06, of its own for each of 10,007 in a row, so that a constant answer of the state URL is wrong. */
const amountOf = (number: number): string => ((3000 + ((number * 7919) % 10_007)) / 100).toFixed(2)

const otherWorks = [...worksOfAllEvents, ...worksOfOtherRails]

/** Half of the objects are plain charges; the others take turns. */
export function createEventSource(ws: Workspace, testEvents: TestEvents) {
  const ready: LoadEvent[] = []
  let [objects, ahead] = [0, readyAtLeast]
  let making: Promise<void> | undefined
  const makeObject = async (number: number): Promise<LoadEvent[]> => {
    const object = `object ${number}`
    const isPlainCharge = number % 2 === 0
    if (isPlainCharge)
      return [{ event: await testEvents.createPaidCharge({ amount: amountOf(number) }), object, isPlainCharge }]
    const scenario = otherWorks[((number - 1) / 2) % otherWorks.length] ?? (() => {})
    const events = await testEvents.captureEvents((unit) => void scenario(unit))
    return events.map((event) => ({ event, object, isPlainCharge }))
  }
  const make = async () => {
    if (objects > 0 && objects % objectsPerState === 0) await reset(ws)
    const numbers = Array.from({ length: objectsAtATime }, () => objects++)
    ready.push(...alternating(await Promise.all(numbers.map(makeObject))))
  }
  const refill = () => {
    making ??= make().finally(() => {
      making = undefined
    })
    return making
  }
  return {
    /** Creates `count` events in advance, and then keeps that many ready. */
    async prepare(count: number): Promise<void> {
      ahead = Math.max(readyAtLeast, Math.ceil(count))
      while (ready.length < ahead) await refill()
    },
    async next(): Promise<LoadEvent> {
      for (;;) {
        const event = ready.shift()
        if (ready.length < ahead) {
          const refilled = refill()
          if (event === undefined) await refilled
          // The next call of `next` reports the error.
          else refilled.catch(() => undefined)
        }
        if (event !== undefined) return event
      }
    },
  }
}

/** Returns the first events of all objects, then the second ones, and so on. */
function alternating(objects: readonly LoadEvent[][]): LoadEvent[] {
  const longest = Math.max(0, ...objects.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => objects.flatMap((events) => events[at] ?? [])).flat()
}
