/** A broken promise of the sandbox: what the simulation searches for. */
export class Violation extends Error {
  override name = 'Violation'
}

export function hold(condition: boolean, what: () => string): asserts condition {
  if (!condition) throw new Violation(what())
}
