/** Effects that have something to end: a timer, a listener, a call. */

/**
 * The library's plain effect waits for the next frame; one whose input changes before it, or whose view is gone by then,
 * begins all the same and is never ended. This one begins with the change itself.
 */
export { useLayoutEffect as useEndedEffect } from 'hono/jsx/dom'
