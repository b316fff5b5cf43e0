/** The smallest possible store for views, their effects, and what their events say. */
// biome-ignore lint/style/noRestrictedImports: restricted to this file
import { useEffect as afterFrame, useSyncExternalStore, useLayoutEffect as withChange } from 'hono/jsx/dom'

export interface Value<T> {
  get(): T
  set(next: T): void
  subscribe(listener: () => void): () => void
}

export function createValue<T>(first: T): Value<T> {
  let current = first
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set(next) {
      if (Object.is(next, current)) return
      current = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

export const useValue = <T>(value: Value<T>): T => useSyncExternalStore(value.subscribe, value.get)

/**
 * Returns nothing or its clean-up. The type says `undefined`, because `void` accepts what a method of the browser returns,
 * and newer browsers return promises from methods that returned nothing: the framework would call one as a clean-up.
 */
type Effect = () => undefined | (() => void)

/** An error is reported to the page and does not keep the framework from its update. */
function guarded<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch (error) {
    reportError(error)
    return undefined
  }
}

const hookOf =
  (hook: typeof afterFrame) =>
  (effect: Effect, inputs?: readonly unknown[]): void =>
    hook(() => {
      const cleanUp = guarded(effect)
      return cleanUp && (() => guarded(cleanUp))
    }, inputs)

/** Runs with the change itself, when new elements may not be in the document yet. */
export const useLayoutEffect = hookOf(withChange)

/** Runs at the next frame, even if its input has changed or its view is gone by then, and is then never cleaned up. */
export const useEffect = hookOf(afterFrame)

/** The value of the input, select or textarea that has the listener. */
export const typedIn = (event: Event): string => (event.target as HTMLInputElement).value
