/** Learns from answers: pairs of ids of the platform and the sandbox, and values that belong to the recorded account. */

/** Shorter texts, such as the number of a wallet, could mean something else. */
const leastLength = 3

export class KnownPairs {
  readonly #toSandbox = new Map<string, string>()
  readonly #toPlatform = new Map<string, string>()
  readonly #own = new Map<string, string>()
  /** Objects of the platform that do not exist in the sandbox; calls that name them cannot be repeated. */
  readonly lost = new Set<string>()

  /** Pairs two ids if neither has a pair yet. Returns whether they now stand for the same object. */
  pairOrCheck(platform: string, sandbox: string): boolean {
    const [known, other] = [this.#toSandbox.get(platform), this.#toPlatform.get(sandbox)]
    if (known !== undefined) return known === sandbox
    if (other !== undefined) return false
    this.pair(platform, sandbox)
    return true
  }

  /** Stores a pair, and overwrites earlier ones. */
  pair(platform: string, sandbox: string): void {
    this.#toSandbox.set(platform, sandbox)
    this.#toPlatform.set(sandbox, platform)
  }

  inSandbox = (platform: string): string | undefined => this.#toSandbox.get(platform)
  inPlatform = (sandbox: string): string | undefined => this.#toPlatform.get(sandbox)

  /** Stores the platform's newest value of a field of the account. Returns whether it equals the one before. */
  storeAndCompare(name: string, platform: string): boolean {
    const known = this.#own.get(name)
    this.#own.set(name, platform)
    return known === undefined || known === platform
  }

  /** Forgets values of the account. Returns the platform's ids. */
  beginPart(): Iterable<string> {
    this.#own.clear()
    return this.#toSandbox.keys()
  }

  /** Replaces every platform id in a value by the sandbox's. */
  translate(value: unknown): unknown {
    if (typeof value === 'string') return (value.length >= leastLength && this.#toSandbox.get(value)) || value
    if (Array.isArray(value)) return value.map((item) => this.translate(item))
    if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.translate(item)]))
  }
}
