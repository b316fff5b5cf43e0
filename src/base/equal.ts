/** Deep equality of JSON values. */

/** The order of fields is ignored; the order of list items is not. */
export function isDeepEqualJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [left, right] = [Object.entries(one), Object.entries(other)]
  if (left.length !== right.length) return false
  const otherEntries = new Map(right)
  return left.every(([name, value]) => otherEntries.has(name) && isDeepEqualJson(value, otherEntries.get(name)))
}
