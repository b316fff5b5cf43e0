/** Finds a small part of a set that still fails: delta debugging (Zeller and Hildebrandt, 2002). */

/**
 * Returns a subset that fails, of which no single item can be left out. If a single item fails, returns that one.
 * `fails` is called at most `maxTries` times, and never for the whole set or for nothing.
 */
export async function shrink<T>(
  all: readonly T[],
  fails: (some: readonly T[]) => Promise<boolean>,
  maxTries: number,
): Promise<T[]> {
  const known = new Map<string, boolean>()
  let tries = 0
  const stillFails = async (some: readonly T[]): Promise<boolean> => {
    if (some.length === 0) return false
    if (some.length === all.length) return true
    const key = some.map((item) => all.indexOf(item)).join(' ')
    const before = known.get(key)
    if (before !== undefined || tries >= maxTries) return before ?? false
    tries++
    const result = await fails(some)
    known.set(key, result)
    return result
  }
  const smallest = await halved(all, stillFails)
  if (smallest.length < 2) return smallest
  for (const item of all) if (await stillFails([item])) return [item]
  return smallest
}

async function halved<T>(all: readonly T[], fails: (some: readonly T[]) => Promise<boolean>): Promise<T[]> {
  let [current, parts] = [[...all], 2]
  while (current.length > 1) {
    const next = await smaller(current, parts, fails)
    if (next !== null) {
      // The set without one part has one part less.
      parts = next.isPart ? 2 : Math.max(2, parts - 1)
      current = next.items
    } else if (parts >= current.length) break
    else parts = Math.min(current.length, 2 * parts)
  }
  return current
}

/** Returns one part of the set that fails alone, otherwise the set without one part; null if none of them fails. */
async function smaller<T>(
  items: readonly T[],
  parts: number,
  fails: (some: readonly T[]) => Promise<boolean>,
): Promise<{ items: T[]; isPart: boolean } | null> {
  const width = Math.ceil(items.length / parts)
  const partOf = (item: T) => Math.floor(items.indexOf(item) / width)
  for (const isPart of [true, false])
    for (let part = 0; part * width < items.length; part++) {
      const some = items.filter((item) => (partOf(item) === part) === isPart)
      if (some.length < items.length && (await fails(some))) return { items: some, isPart }
    }
  return null
}
