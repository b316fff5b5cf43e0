/** Measures work in CPU time: other load on the machine adds little, and waiting adds nothing. */
import { existsSync, readFileSync } from 'node:fs'

/** Returns the milliseconds of CPU that work takes. */
export async function effortMs(work: () => unknown): Promise<number> {
  const sofar = effortSince()
  await work()
  return sofar()
}

/**
 * Returns what measures the milliseconds of CPU that work takes in the main thread of another process; where the system does not
 * tell, its time.
 */
export const effortOfProcess = (pid: number) => async (work: () => unknown) => {
  const file = `/proc/${pid}/schedstat`
  // In nanoseconds. `stat` counts in hundredths of a second, and misses work that is shorter.
  const usedMs = existsSync(file)
    ? () => Number.parseInt(readFileSync(file, 'utf8'), 10) / 1e6
    : () => performance.now()
  const before = usedMs()
  await work()
  return usedMs() - before
}

/** Returns a function that returns the milliseconds of CPU used since this call. */
export function effortSince(): () => number {
  const from = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  }
}

/** Returns the least CPU of several rounds, because disturbances can only add CPU. */
export async function leastEffortMs(rounds: number, work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) least = Math.min(least, await effortMs(work))
  return least
}

/**
 * Returns how many times as much CPU the work takes if its input is four times as long: four times if it grows with its input,
 * sixteen times if it grows with the square. Repeated while it is over eight, because disturbances can only add.
 */
export async function effortOfFourfold(work: (times: 1 | 4) => unknown, measure = effortMs): Promise<number> {
  let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < 2 || (round < 10 && longMs >= 8 * shortMs); round++) {
    shortMs = Math.min(shortMs, await measure(() => work(1)))
    longMs = Math.min(longMs, await measure(() => work(4)))
  }
  return longMs / shortMs
}
