/** What is in the field that an event came from. */

/** Of the listener's own input, select or textarea: nothing else sends it. */
export const typedIn = (event: Event): string => (event.target as HTMLInputElement).value

/** Of the listener's own details: whether they were opened just now. */
export const isOpened = (toggle: Event): boolean => toggle.target instanceof HTMLDetailsElement && toggle.target.open
