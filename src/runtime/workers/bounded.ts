/** Maps whose keys come from callers: limited in size, so that callers cannot fill the memory. */

/** Sets an entry as the newest. Beyond `most` entries, the oldest one is dropped. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
