/** Waits for effects in the background. */

/** Polls until `holds` is true, with a pause of `everyMs`. Fails after 60 s with the last value. */
export async function eventually<T>(look: () => T | Promise<T>, holds: (seen: T) => boolean, everyMs = 5): Promise<T> {
  const until = Date.now() + 60_000
  for (;;) {
    const seen = await look()
    if (holds(seen)) return seen
    if (Date.now() > until)
      throw new Error(`The condition did not become true within 60 s; last seen: ${JSON.stringify(seen)}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
