/**
 * The smallest possible store for views, their state and effects, and what their events say. A view that is gone stays gone:
 * the framework draws one again at its second change of state, on top of the next view.
 */
// biome-ignore lint/style/noRestrictedImports: restricted to this file
import { useState as useFrameworkState, useRef, useLayoutEffect as withChange } from 'hono/jsx/dom'

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

/** Runs with the change itself, when new elements may not be in the document yet. */
export function useLayoutEffect(effect: Effect, inputs?: readonly unknown[]): void {
  withChange(() => {
    const cleanUp = guarded(effect)
    return cleanUp && (() => guarded(cleanUp))
  }, inputs)
}

/** Runs at the next frame, unless its input has changed or its view is gone by then. */
export function useEffect(effect: Effect, inputs?: readonly unknown[]): void {
  useLayoutEffect(() => {
    let cleanUp: ReturnType<Effect>
    const frame = requestAnimationFrame(() => {
      cleanUp = guarded(effect)
    })
    return () => {
      cancelAnimationFrame(frame)
      cleanUp?.()
    }
  }, inputs)
}

/** A change that comes after its view is gone, such as a late answer, does nothing. */
export function useState<T>(first: T | (() => T)): [state: T, setState: (next: T | ((before: T) => T)) => void] {
  const [state, set] = useFrameworkState(first)
  const isShown = useRef(true)
  useLayoutEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return [state, (next) => isShown.current === true && set(next)]
}

export function useValue<T>(value: Value<T>): T {
  const drawn = value.get()
  const [, setVersion] = useState(0)
  useLayoutEffect(() => {
    const follow = () => setVersion((version) => version + 1)
    const stop = value.subscribe(follow)
    // An effect of another view may have changed it since.
    if (!Object.is(drawn, value.get())) follow()
    return stop
  }, [value])
  return drawn
}

/** The value of the input, select or textarea that has the listener. */
export const typedIn = (event: Event): string => (event.target as HTMLInputElement).value
