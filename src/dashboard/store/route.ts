/** The current view, from the fragment of the address, so that every view has a link and Back works. */

import type { FC } from 'hono/jsx/dom'
import type { IconName } from '../parts/forms/controls.js'
import { createValue, useValue } from './hooks.js'

export interface Route {
  /** `#/transactions/tx_1?x=y` is `['transactions', 'tx_1']`. */
  parts: readonly string[]
  query: URLSearchParams
}

function read(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#\/?/, '').split('?', 2)
  return {
    parts: path
      .split('/')
      .filter((part) => part !== '')
      .map(decode),
    query: new URLSearchParams(query),
  }
}

/** The fragment can be typed by hand. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const fragment = createValue(location.hash)
/** The page itself gave its view a more exact address, so an open form stays open. */
let stays = false
const follow = (instead: boolean) => {
  stays = instead
  fragment.set(location.hash)
}
addEventListener('hashchange', () => follow(false))

/** The address without filters. */
export const pageNow = (): string => location.hash.split('?', 1)[0] ?? ''

/** Calls `run` when a view is left, by a link, by Back or by closing the page. Returns a function that stops it. */
export function onLeave(run: () => void): () => void {
  const unsubscribe = fragment.subscribe(() => stays || run())
  addEventListener('pagehide', run)
  return () => {
    unsubscribe()
    removeEventListener('pagehide', run)
  }
}

export const useRoute = (): Route => read(useValue(fragment))

/** Omits empty values. */
function withQuery(path: string, query: Record<string, string | null | undefined>): string {
  const filled = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '')
  const text = new URLSearchParams(filled).toString()
  return text === '' ? path : `${path}?${text}`
}

/** `link('transactions', id)`, `link('transactions', { type: 'cashin' })` */
export function link(...parts: (string | number | Record<string, string | null | undefined>)[]): string {
  const last = parts.at(-1)
  const query = typeof last === 'object' ? last : {}
  const path = parts.filter((part) => typeof part !== 'object').map((part) => encodeURIComponent(part))
  return withQuery(`#/${path.join('/')}`, query)
}

export const transactionsCrumb = { href: link('transactions'), text: 'Transactions' }
export const walletsCrumb = { href: link('wallets'), text: 'Fixed wallets' }

/** The page follows at once: the browser's event comes later, after keys that were pressed meanwhile. */
export function go(href: string): void {
  location.hash = href
  follow(false)
}

/** Gives the view that is shown a more exact address, unless the user has gone elsewhere, which the browser reports later. */
export function refine(href: string): void {
  if (location.hash !== fragment.get()) return
  location.replace(href)
  follow(true)
}

/** Returns a function for a late answer: it opens a view, unless the user has left this one by then. */
export function goFromHere(): typeof go {
  const here = pageNow()
  return (href) => void (pageNow() === here && go(href))
}

/** The link to an event's object. An event of a dispute names the dispute in its body, and the charge as its subject. */
export const subjectLink = (event: string, id: string): string => {
  if (event.startsWith('wallet.')) return link('wallets', id)
  return link(event.startsWith('chargeback.') && !id.startsWith('tx_') ? 'disputes' : 'transactions', id)
}

/** Groups of the navigation, in their order. */
export const groups = ['Money', 'Integration', 'Sandbox'] as const

/** A frequent task. A pressed key, a click and a typed text, which stands in quotation marks, are one step each. */
export interface Task {
  title: string
  keys: readonly string[]
  /** What is clicked, by its name. Words of the sandbox itself stand in braces. */
  clicks: readonly string[]
  /** The first row is open where there is room for it beside the list; elsewhere it is clicked. */
  opensRow?: true
}

interface Shown {
  group: (typeof groups)[number]
  label: string
  /** After g, opens the view. */
  key: string
  icon: IconName
}

export interface View {
  view: FC<{ route: Route; id: string }>
  /** Its place in the navigation, or the path of the view that is highlighted instead. */
  place: Shown | string
}

/** Continues in the form of a new view, unless the user has gone elsewhere. */
export function focusForm(): void {
  if (document.activeElement?.id === 'main')
    document.querySelector<HTMLInputElement>('main form[data-focus] input')?.select()
}
