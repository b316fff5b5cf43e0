/**
 * Puts off Node's own `Request`, `Response` and `Headers` until one is made: they come with all of its `fetch`, a seventh of a start and 4 MB.
 * Node 20 lets that be done, 24 does not: there they are made with the first look at them.
 * The adapter's requests and answers stand on them, and do without for nearly every call.
 * Imported for what it does, ahead of the adapter, and only in a process of our own.
 */
type Maker = new (...given: unknown[]) => object

for (const name of ['Request', 'Response', 'Headers']) putOff(name)

function putOff(name: string): void {
  const described = Object.getOwnPropertyDescriptor(globalThis, name)
  // It is there already.
  if (described?.get === undefined) return
  let made: Maker | undefined
  const own = (): Maker => {
    if (made === undefined) {
      // A getter tells no type of what it gets.
      made = described.get?.call(globalThis) as Maker
      Object.setPrototypeOf(Late, made)
      Object.setPrototypeOf(Late.prototype, made.prototype)
    }
    return made
  }

  function Late(...given: unknown[]): object {
    const maker = own()
    return Reflect.construct(maker, given, new.target === Late ? maker : new.target)
  }
  // What Node makes by itself, as `fetch` does, is no child of this.
  const isOne = function (this: Maker, value: unknown): boolean {
    if (Object.prototype.isPrototypeOf.call(this.prototype, Object(value))) return true
    return this.prototype === Late.prototype && tagOf(value) === name
  }
  Object.defineProperty(Late, Symbol.hasInstance, { value: isOne })
  Object.defineProperty(globalThis, name, { value: Late, configurable: true, writable: true })
}

const tagOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, Symbol.toStringTag) : undefined
