/** Maps that grow by what callers name: bounded, so that nobody fills the memory. */

/** Sets an entry as the newest one of at most `most`; the oldest entry makes room. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
