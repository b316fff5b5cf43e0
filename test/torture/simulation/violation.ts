/** Something that must never be: what the simulation looks for. */
export class Violation extends Error {
  override name = 'Violation'
}

export function hold(condition: boolean, what: () => string): asserts condition {
  if (!condition) throw new Violation(what())
}
