/** Polls for what happens in the background. */

/** Polls until `holds` is true. Fails after 30 s with the last value. */
export async function eventually<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  const until = Date.now() + 30_000
  for (;;) {
    const seen = await look()
    if (holds(seen)) return seen
    if (Date.now() > until) throw new Error(`It never came true; last seen: ${JSON.stringify(seen)}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
