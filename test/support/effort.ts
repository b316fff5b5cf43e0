/** Measures work in CPU time of this process: other load on the machine adds little, and waiting adds nothing. */

/** Returns the milliseconds of CPU that work takes. */
export async function effortMs(work: () => unknown): Promise<number> {
  const sofar = effortSince()
  await work()
  return sofar()
}

/** Returns the milliseconds that work takes in another process. */
export async function timeMs(work: () => unknown): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
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
