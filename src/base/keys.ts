/** The names of a table's rows. */

/** As a list that is not empty, which zod takes for the values of an enumeration. */
export function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): [Key, ...Key[]] {
  // `Object.keys` forgets them; a table has a row at least, and its keys are those of its type.
  return Object.keys(table) as [Key, ...Key[]]
}

/** Whether a table has a row of that name. */
export const isKeyOf = <Key extends string>(table: Readonly<Record<Key, unknown>>, name: string): name is Key =>
  Object.hasOwn(table, name)

/** A row for each of the names. */
export function tableOf<Key extends string, Row>(names: readonly Key[], make: (name: Key) => Row): Record<Key, Row> {
  // `Object.fromEntries` forgets which keys there are.
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Key, Row>
}
