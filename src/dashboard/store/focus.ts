/**
 * When the focused element is removed, as a form is that closes or a button with its row, the focus returns to where it was
 * on the page, or near it: who uses only the keyboard goes on from there. Loaded after the page, which does not wait for it.
 */
const controls = ':is(a, button, input):not(:disabled)'

let focused: readonly EventTarget[] = []
let places = focused

addEventListener('focusin', (event) => {
  focused = event.composedPath()
  if (event.target instanceof Element && event.target.closest('dialog, .toasts') === null) places = focused
})

const isThere = (one: EventTarget | undefined): one is HTMLElement => one instanceof HTMLElement && one.isConnected

new MutationObserver(() => {
  if (document.activeElement !== document.body || isThere(focused[0])) return
  for (const one of places.filter(isThere)) {
    const next = one.matches(controls) ? one : one.querySelector<HTMLElement>(controls)
    if (next !== null) return next.focus({ preventScroll: true })
  }
}).observe(document.body, { childList: true, subtree: true })

export {}
