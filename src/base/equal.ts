/** Whether two JSON values say the same. */

/** The order of fields does not count, that of items does. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [left, right] = [Object.entries(one), Object.entries(other)]
  if (left.length !== right.length) return false
  const there = new Map(right)
  return left.every(([name, value]) => there.has(name) && isSame(value, there.get(name)))
}
