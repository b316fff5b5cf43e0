/** Waits for effects in the background. */

/** Polls until `holds` is true, with a pause of `everyMs`. Fails after `withinMs` with the last value. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  holds: (seen: T) => boolean,
  everyMs = 5,
  withinMs = 60_000,
): Promise<T> {
  const until = Date.now() + withinMs
  for (;;) {
    const seen = await look()
    if (holds(seen)) return seen
    if (Date.now() > until)
      throw new Error(
        `The condition did not become true within ${withinMs / 1000} s; last seen: ${JSON.stringify(seen)}`,
      )
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
