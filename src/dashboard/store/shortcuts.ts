/** Keyboard shortcuts, one row each: the help overlay lists them. */

import { createValue } from './hooks.js'
import { openClock } from './query.js'
import { toRedeliver } from './redelivery.js'
import { go, link } from './route.js'

/** A view in the navigation. */
export interface Place {
  path: string
  label: string
  /** After g, opens it. */
  key: string
}

export interface Shortcut {
  /** As `event.key` says it; two keys are pressed one after the other. */
  keys: string
  /** The same by other keys. */
  also?: string
  group: 'Everywhere' | 'In a list' | 'Go to'
  title: string
  run: () => unknown
}

export const isHelpOpen = createValue(false)

/** Clicks what the first selector finds that finds anything. */
export const click = (...selectors: string[]) =>
  selectors
    .map((selector) => document.querySelector<HTMLElement>(selector))
    .find((found) => found !== null)
    ?.click()

/** What j and k walk over: the rows of tables, and results. */
const rowLinks = 'main :is(.row-link, .messages summary)'

function moveFocus(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(rowLinks)]
  const row = document.activeElement?.closest('tr, li')
  const at = links.findIndex((one) => row?.contains(one) === true)
  const next = links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + step))]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

export const shortcutsOf = (places: readonly Place[], search: () => void): readonly Shortcut[] => [
  { keys: '/', also: 'Control+k', group: 'Everywhere', title: 'Search, or run a command', run: search },
  { keys: 'c', group: 'Everywhere', title: 'New charge', run: () => go(link('new', 'charge')) },
  {
    ...{ keys: 'a', group: 'Everywhere', title: 'First action of this page, such as Pay' },
    run: () => click('.bulk .primary', 'main button.primary', 'main .action-bar .button'),
  },
  {
    ...{ keys: 'Control+Enter', group: 'Everywhere', title: 'Submit the form' },
    run: () => click(':is(:modal, :popover-open) [type=submit]', 'body:not(:has(:modal)) main form [type=submit]'),
  },
  { keys: '?', group: 'Everywhere', title: 'Show this help', run: () => isHelpOpen.set(true) },
  { keys: 'j', group: 'In a list', title: 'Next row', run: () => moveFocus(1) },
  { keys: 'k', group: 'In a list', title: 'Previous row', run: () => moveFocus(-1) },
  {
    keys: 'Escape',
    group: 'In a list',
    title: 'Close the side panel',
    run: () => click('.sticky > .panel-head .icon-button'),
  },
  {
    ...{ keys: 'x', group: 'In a list', title: 'Select the row' },
    run: () => document.activeElement?.closest('tr')?.querySelector<HTMLElement>('.pick input')?.click(),
  },
  { keys: '*', group: 'In a list', title: 'Select all rows', run: () => click('th.pick input') },
  {
    ...{ keys: 'g f', group: 'Go to', title: 'Failed webhooks' },
    run: () => go(link('webhooks', toRedeliver)),
  },
  { keys: 'g k', group: 'Go to', title: 'Clock controls', run: () => openClock() },
  ...places.map(
    ({ key, label, path }): Shortcut => ({
      ...{ keys: `g ${key}`, group: 'Go to', title: label },
      run: () => go(link(path)),
    }),
  ),
]

/** The second key of a sequence must follow within this time. */
const sequenceMs = 1500

/** In a text field, a letter is a letter. The field of a dialog that has just closed keeps the focus until the next frame. */
const isTextInput = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.matches('input:not([type=checkbox]), textarea, select') &&
  target.checkVisibility()

export function listenForShortcuts(shortcuts: readonly Shortcut[]): void {
  let first = { key: '', atMs: 0 }
  addEventListener('keydown', (event) => {
    const held = event.ctrlKey || event.metaKey
    const key = `${held ? 'Control+' : ''}${event.key}`
    const isOfPage = document.querySelector('dialog[open]') === null || key === 'Control+Enter'
    if (event.altKey || event.defaultPrevented || !isOfPage) return
    if (key === 'Escape' && document.querySelector(':popover-open') !== null) return
    if (isTextInput(event.target) && !held) return
    const sequence = event.timeStamp - first.atMs < sequenceMs ? `${first.key} ${key}` : key
    const asked =
      shortcuts.find(({ keys }) => keys === sequence) ??
      shortcuts.find(({ keys, also }) => keys === key || also === key)
    first = { key, atMs: event.timeStamp }
    if (asked === undefined) return
    event.preventDefault()
    asked.run()
  })
}
