/** The effect hook of all views. */

/**
 * hono's plain effect runs at the next frame, even if its input has changed or its view is gone by then, and is then
 * never cleaned up. The layout effect runs with the change itself.
 */
export { useLayoutEffect } from 'hono/jsx/dom'
