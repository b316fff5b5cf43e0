/** Durations as people write them: a number of seconds, or `500ms`, `90s`, `10m`, `2h`, `7d`. */

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export const secondMs = unitMs.s
export const minuteMs = unitMs.m
export const hourMs = unitMs.h
export const dayMs = unitMs.d

const durationText = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/

/** Returns milliseconds, or null if the text is not a duration. A number without a unit is in seconds. At most 100 years. */
export function parseDuration(value: string | number): number | null {
  const match = durationText.exec(String(value).trim())
  if (match === null) return null
  const unit = (match[2] ?? 's') as keyof typeof unitMs
  const ms = Math.round(Number(match[1]) * unitMs[unit])
  return ms <= 36_525 * dayMs ? ms : null
}

/** Formats a duration in one unit, as `parseDuration` reads it, without rounding: `90000` becomes `90s`. */
export function exactDuration(ms: number): string {
  const [unit, size] = Object.entries(unitMs).findLast(([, size]) => ms % size === 0 && ms >= size) ?? ['ms', 1]
  return `${ms / size}${unit}`
}

/** Formats a duration in several units, rounded to seconds: `90000` becomes `1m30s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`
  const parts: string[] = []
  let rest = Math.round(ms / 1000)
  for (const [unit, seconds] of [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(rest / seconds)
    rest -= count * seconds
    if (count > 0) parts.push(`${count}${unit}`)
  }
  return parts.join('')
}
