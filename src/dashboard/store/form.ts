/** Typed access to the elements of form events. */

/** The form of a `submit` event. */
export function formOf({ target }: Event): HTMLFormElement {
  if (!(target instanceof HTMLFormElement)) throw new TypeError('488. only a form can be submitted')
  return target
}

/** The value of the input, select or textarea that has the listener. */
export const typedIn = (event: Event): string => (event.target as HTMLInputElement).value
