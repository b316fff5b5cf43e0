/** Commands that are refused at once, with one line. */
import { expect } from 'vitest'
import { bareStartMs, type Ended, withoutProgress } from './program.js'

let bareMs = 0

/**
 * One second on a machine that starts a process in 40 ms, and proportionally longer on slower machines. The fastest of ten
 * runs counts, because other load can only slow them down.
 */
export async function isRefused(command: () => Promise<Ended>, says: RegExp | string, expected = 1): Promise<void> {
  bareMs ||= bareStartMs()
  let leastMs = Number.POSITIVE_INFINITY
  for (let runs = 0; runs < 10 && leastMs >= 25 * bareMs; runs++) {
    if (runs > 0) bareMs = Math.max(bareMs, bareStartMs())
    const { code, stdout, stderr, tookMs } = await command()
    expect(withoutProgress(stderr)).toMatch(/^payments-sandbox: [^\n]+\n$/)
    expect(stderr).toMatch(says)
    expect([code, stdout]).toEqual([expected, ''])
    leastMs = Math.min(leastMs, tookMs)
  }
  expect(leastMs).toBeLessThan(25 * bareMs)
}
