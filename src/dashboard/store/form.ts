/** What an event of the page happened to. */

/** Of a `submit`. */
export function formOf({ target }: Event): HTMLFormElement {
  if (!(target instanceof HTMLFormElement)) throw new TypeError('only a form is submitted')
  return target
}

/** Of a `toggle`. */
export const isOpen = ({ target }: Event): boolean => target instanceof HTMLDetailsElement && target.open
