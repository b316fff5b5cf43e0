/** Measures work in CPU time of this process: other load on the machine adds little, and waiting adds nothing. */

/** Returns the milliseconds of CPU that work takes. */
export async function effortMs(work: () => unknown): Promise<number> {
  const sofar = effortSince()
  await work()
  return sofar()
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
