/** The views of the navigation. */
import type { IconName } from '../parts/icon.js'

interface Place {
  path: string
  label: string
  icon: IconName
}

export const places = [
  { path: '', label: 'Overview', icon: 'overview' },
  { path: 'transactions', label: 'Transactions', icon: 'transactions' },
  { path: 'wallets', label: 'Wallets', icon: 'wallets' },
  { path: 'disputes', label: 'Disputes', icon: 'disputes' },
  { path: 'webhooks', label: 'Webhooks', icon: 'webhooks' },
  { path: 'inbox', label: 'Inbox', icon: 'inbox' },
  { path: 'scenarios', label: 'Scenarios', icon: 'scenarios' },
  { path: 'certify', label: 'Certify', icon: 'check' },
  { path: 'accounts', label: 'Accounts', icon: 'accounts' },
  { path: 'journal', label: 'Journal', icon: 'journal' },
  { path: 'state', label: 'State', icon: 'state' },
] as const satisfies readonly Place[]

/** Each of them has a view. */
export type PlacePath = (typeof places)[number]['path']
