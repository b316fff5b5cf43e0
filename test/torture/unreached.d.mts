/** Rows by reason: a kind, a colon and a name. */
export const unreached: Readonly<Record<string, readonly string[]>>
