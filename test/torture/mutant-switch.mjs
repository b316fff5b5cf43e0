/** The switch of mutants, which mutated source calls. */

/**
 * Returns the switch. `isOn` says whether a mutant is on. Without mutants `pass` takes the ids of those that changed something, because
 * a run in which a mutant changes no value cannot notice it; `isAsked` says whether it is not known yet. The function is also inserted into worker threads as text.
 */
export function switchOf(isOn, pass, isAsked) {
  const differs = (changed, value) => {
    try {
      return !Object.is(changed(), value)
    } catch {
      return true
    }
  }
  /** A mutant that changes something wherever it is reached. */
  const always = (id) => {
    pass?.(id)
    return isOn(id)
  }
  return Object.assign(always, {
    isOn,
    isWatching: pass !== undefined,
    /** A condition with the mutants that fix it to true and to false. */
    condition(toTrue, toFalse, value) {
      pass?.(value ? toFalse : toTrue)
      return value
    },
    /** A value, and what a mutant makes of it while the switch is watching. */
    value(id, value, changed) {
      if (changed && isAsked(id) && differs(changed, value)) pass(id)
      return value
    },
  })
}
