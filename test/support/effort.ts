/** What work takes of this process in CPU time: what else runs on the machine adds little to it, and waiting adds nothing. */

/** Milliseconds of CPU between the call and the end of the work. */
export async function effortMs(work: () => unknown): Promise<number> {
  const sofar = effortSince()
  await work()
  return sofar()
}

/** Tells how many milliseconds of CPU have been used since. */
export function effortSince(): () => number {
  const from = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  }
}

/** The least of so many: whatever comes in between can only add. */
export async function leastEffortMs(rounds: number, work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) least = Math.min(least, await effortMs(work))
  return least
}
