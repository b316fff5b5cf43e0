/** Typed helpers for tables whose rows are the fields of an object, and for maps of bounded size. */

/** The names of the rows as a non-empty list, as zod's `enum` requires. */
export function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): [Key, ...Key[]] {
  // `Object.keys` loses the type. A table has at least one row, and its keys are those of its type.
  return Object.keys(table) as [Key, ...Key[]]
}

/** Whether a table has a row of that name. */
export const isKeyOf = <Key extends string>(table: Readonly<Record<Key, unknown>>, name: string): name is Key =>
  Object.hasOwn(table, name)

/** The row of a name from outside: undefined for a name that every object inherits, such as `constructor`. */
export const rowAt = <Row>(table: Readonly<Record<string, Row>> | undefined, name: string): Row | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined

/** Makes a table with one row for each name. */
export function tableOf<Key extends string, Row>(names: readonly Key[], make: (name: Key) => Row): Record<Key, Row> {
  // `Object.fromEntries` loses the type of the keys.
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Key, Row>
}

/** The table with each row changed. */
export const mapRows = <Row, Changed>(
  table: Readonly<Record<string, Row>>,
  change: (row: Row, name: string) => Changed,
): Record<string, Changed> => Object.fromEntries(Object.entries(table).map(([name, row]) => [name, change(row, name)]))

/** Sets an entry as the newest. Beyond `most` entries, the oldest one is dropped. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
