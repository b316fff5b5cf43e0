/** Which view is shown: kept in the fragment of the address, so that every view can be linked to and Back works. */
import { createValue, useValue } from './value.js'

export interface Route {
  /** `#/transactions/tx_1?x=y` is `['transactions', 'tx_1']`. */
  parts: readonly string[]
  query: URLSearchParams
}

function read(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2)
  return {
    parts: path
      .split('/')
      .filter((part) => part !== '')
      .map(decode),
    query: new URLSearchParams(query),
  }
}

/** A fragment can be typed by hand. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const route = createValue<Route>(read())
addEventListener('hashchange', () => route.set(read()))

/** The ways out of a view: what lies over it and is armed ends with it. */
export const leavings = ['hashchange', 'pagehide'] as const

export const useRoute = (): Route => useValue(route)

/** What is empty is left out. */
function at(path: string, query: Record<string, string | null | undefined>): string {
  const filled = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '')
  const text = new URLSearchParams(filled).toString()
  return text === '' ? path : `${path}?${text}`
}

/** `link('transactions', id)`, `link('transactions', { type: 'cashin' })` */
export function link(...parts: (string | number | Record<string, string | null | undefined>)[]): string {
  const last = parts.at(-1)
  const query = typeof last === 'object' ? last : {}
  const path = parts.filter((part) => typeof part !== 'object').map((part) => encodeURIComponent(part))
  return at(`#/${path.join('/')}`, query)
}

/** `instead`: Back does not come by here. */
export function go(href: string, instead = false): void {
  if (instead) location.replace(href)
  else location.hash = href
}

/** The page of what an event is about. An event of a dispute names the dispute in its body, and the charge as its subject. */
export const subjectLink = (event: string, id: string): string => {
  if (event.startsWith('wallet.')) return link('wallets', id)
  return link(event.startsWith('chargeback.') && !id.startsWith('tx_') ? 'disputes' : 'transactions', id)
}
