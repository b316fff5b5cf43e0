/** Plays histories until it gets a signal to stop; of one that fails, finds the shortest that still does. */
import { defaultConfig } from '../../../src/protocol/settings/platform.js'
import { chanceOf } from './chance.js'
import { forgetKill, heal } from './disk.js'
import { drawHistory, kindOf, type Step } from './history.js'
import { Player } from './play.js'
import { Violation } from './violation.js'
import { World } from './world.js'

export interface Failure {
  seed: number
  message: string
  history: readonly Step[]
}

export const historyOf = (seed: number): Step[] => drawHistory(chanceOf(seed), kindOf(seed))

/** The message of the violation, or null. */
export async function play(seed: number, history: readonly Step[]): Promise<string | null> {
  heal()
  forgetKill()
  let world: World | undefined
  try {
    await orStuck(async () => {
      world = await World.open(seed, defaultConfig)
      const player = new Player(world)
      for (const step of history) await player.step(step)
      heal()
      await world.finish()
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

/** Nothing is under way any more, and still something has not been answered: it never will be. */
async function orStuck(work: () => Promise<void>): Promise<void> {
  let stop = () => {}
  const stuck = new Promise<never>((_, reject) => {
    const notice = () => {
      reject(new Violation('a call is never answered: nothing that it could wait for is under way'))
      // Keeps the process alive for what comes after.
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

/** Leaves out halves, quarters, … and single steps as long as it still fails, for so long at most. */
export async function shortest(seed: number, history: readonly Step[], untilMs: number): Promise<Failure> {
  let best = [...history]
  let message = (await play(seed, best)) ?? 'it does not fail a second time'
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
