/** Computes the values of settings with which the sandbox would agree with the platform. */
import { dayMs, hourMs, minuteMs, secondMs } from '../../base/duration.js'
import type { Difference } from './values.js'

/** `900000` becomes `15m`: the largest unit without a remainder. */
export function durationText(ms: number): string {
  const units = [
    ['d', dayMs],
    ['h', hourMs],
    ['m', minuteMs],
    ['s', secondMs],
  ] as const
  const unit = units.find(([, size]) => ms >= size && ms % size === 0)
  return unit === undefined ? `${Math.max(1, Math.round(ms))}ms` : `${ms / unit[1]}${unit[0]}`
}

/** By assumption; null if the difference does not show the value. */
const values: Readonly<Record<string, (difference: Difference) => unknown>> = {
  pix_charge_life: ({ path, platform }) =>
    path.endsWith('expiration') && typeof platform === 'number' && platform > 0
      ? durationText(platform * secondMs)
      : null,
  below_minimum: ({ platform }) => platform,
  dispute_deadline: ({ platform }) => platform,
  cashout_settle: ({ platform }) => platform,
}

export const settingValueOf = (assumption: string | null, difference: Difference): unknown =>
  (assumption === null ? undefined : values[assumption]?.(difference)) ?? null
