/** Plays a history, and shortens one that fails. */
import { chanceOf } from './chance.js'
import { forgetKill, heal } from './disk.js'
import { drawHistory, kindOf, type Step } from './history.js'
import { Player } from './play.js'
import { reach } from './reach.js'
import { Violation } from './violation.js'
import { World } from './world.js'

export interface Failure {
  seed: number
  message: string
  history: readonly Step[]
}

export const historyOf = (seed: number): Step[] => drawHistory(chanceOf(seed), kindOf(seed))

/** Plays a history and returns the message of a violation, or null. */
export async function play(seed: number, history: readonly Step[]): Promise<string | null> {
  heal()
  forgetKill()
  let world: World | undefined
  try {
    await failIfStuck(async () => {
      const begin = history.find((step) => step.do === 'begin')
      world = await World.open(seed, begin?.settings ?? {})
      const player = new Player(world)
      for (const step of history) {
        await player.step(step)
        meetTransitions(world)
        reach.endStep()
      }
      heal()
      await world.finish()
      meetTransitions(world)
      reach.endHistory()
    })
    return null
  } catch (error) {
    world?.abandon()
    return error instanceof Error
      ? `${error.name}: ${error.message}${error.name === 'Violation' ? '' : `\n${error.stack}`}`
      : String(error)
  } finally {
    heal()
  }
}

/** The sandbox agrees with the model after each step, so the model's transitions are the sandbox's. */
function meetTransitions({ model }: World): void {
  for (const step of model.steps) reach.meet('transition', step)
  model.steps.clear()
}

/** Fails if the event loop is empty while a call still waits for its response, because the response can never come. */
async function failIfStuck(work: () => Promise<void>): Promise<void> {
  let stop = () => {}
  const stuck = new Promise<never>((_, reject) => {
    const notice = () => {
      reject(new Violation('a call never gets a response: the event loop is empty'))
      // Keeps the process alive for the next history.
      setImmediate(() => {})
    }
    process.once('beforeExit', notice)
    stop = () => process.off('beforeExit', notice)
  })
  try {
    await Promise.race([work(), stuck])
  } finally {
    stop()
  }
}

/** Removes halves, quarters, … and single steps while the history still fails, until `untilMs` at most. */
export async function shortest(seed: number, history: readonly Step[], untilMs: number): Promise<Failure> {
  let best = [...history]
  let message = (await play(seed, best)) ?? 'the history does not fail a second time'
  for (let size = Math.ceil(best.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < best.length && performance.now() < untilMs; ) {
      const without = [...best.slice(0, from), ...best.slice(from + size)]
      const failed = await play(seed, without)
      if (failed === null) from += size
      else [best, message] = [without, failed]
    }
  }
  return { seed, message, history: best }
}
