/** The names of a table's rows. */

/** As a list that is not empty, which zod takes for the values of an enumeration. */
export function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): [Key, ...Key[]] {
  // `Object.keys` forgets them; a table has a row at least, and its keys are those of its type.
  return Object.keys(table) as [Key, ...Key[]]
}
