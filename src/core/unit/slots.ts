/** State that a room keeps in memory beside the database: the room declares a slot, the workspace or its memory holds the value. */

/** One kind of state. `Owner` is what the state is kept for. */
export interface Slot<Owner, State> {
  /** Makes the state when it is asked for first. */
  begin(owner: Owner): State
  /** Runs when the owner is replaced or closed. */
  end?(state: State): void
}

/** The state of one owner, one value for each slot. */
export abstract class Slots<Owner> {
  readonly #states = new Map<Slot<Owner, unknown>, unknown>()

  protected abstract owner(): Owner

  of<State>(slot: Slot<Owner, State>): State {
    if (!this.#states.has(slot)) this.#states.set(slot, slot.begin(this.owner()))
    // Only the slot itself has put a value there.
    return this.#states.get(slot) as State
  }

  /** Puts a value in place before anybody asks for it. */
  begin<State>(slot: Slot<Owner, State>, state: State): void {
    this.#states.set(slot, state)
  }

  end(): void {
    for (const [slot, state] of this.#states) slot.end?.(state)
  }
}
