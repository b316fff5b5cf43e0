/** The views, one row each: address, component, place in the navigation. */
import { featureViews } from '../../features/pages.js'
import { NotFound } from '../parts/layout.js'
import { onDemand } from '../parts/on-demand.js'
import { groups, type Route, type View } from '../store/route.js'
import { InboxView } from './inbox.js'
import { OverviewView } from './overview.js'
import { RequestsView, RequestView } from './requests.js'
import { TransactionsView, TransactionView } from './transactions.js'
import { WebhooksView, WebhookView } from './webhooks.js'

const later = () => import('./later.js')
const view = onDemand(later)
/** Those that show descriptions of scenarios. */
const described = onDemand(later, () => import('../languages/scenarios.json', { with: { type: 'json' } }))

/** The star in `transactions/*` stands for an id. Within its group, the navigation has this order. */
const views: Record<string, View> = {
  '': { view: OverviewView, place: { group: 'Money', label: 'Overview', key: 'o', icon: 'overview' } },
  transactions: {
    view: TransactionsView,
    place: { group: 'Money', label: 'Transactions', key: 't', icon: 'transactions' },
  },
  'transactions/*': { view: TransactionView, place: 'transactions' },
  'new/*': { view: view('CreateView'), place: 'transactions' },
  'new/wallet': { view: view('CreateView'), place: 'wallets' },
  wallets: { view: view('WalletsView'), place: { group: 'Money', label: 'Fixed wallets', key: 'l', icon: 'wallets' } },
  'wallets/*': { view: view('WalletView'), place: 'wallets' },
  disputes: { view: view('DisputesView'), place: { group: 'Money', label: 'Disputes', key: 'd', icon: 'disputes' } },
  'disputes/*': { view: view('DisputeView'), place: 'disputes' },
  accounts: { view: view('AccountsView'), place: { group: 'Money', label: 'Accounts', key: 'a', icon: 'accounts' } },
  'accounts/*': { view: view('StatementView'), place: 'accounts' },
  webhooks: { view: WebhooksView, place: { group: 'Integration', label: 'Webhooks', key: 'w', icon: 'webhooks' } },
  'webhooks/*': { view: WebhookView, place: 'webhooks' },
  inbox: { view: InboxView, place: { group: 'Integration', label: 'Inbox', key: 'i', icon: 'inbox' } },
  'inbox/*': { view: InboxView, place: 'inbox' },
  requests: { view: RequestsView, place: { group: 'Integration', label: 'Request log', key: 'r', icon: 'log' } },
  'requests/*': { view: RequestView, place: 'requests' },
  scenarios: {
    view: described('ScenariosView'),
    place: { group: 'Sandbox', label: 'Scenarios', key: 's', icon: 'scenarios' },
  },
  editor: { view: view('EditorView'), place: 'scenarios' },
  'editor/*': { view: view('EditorView'), place: 'scenarios' },
  'scenarios/*': { view: described('ScenarioView'), place: 'scenarios' },
  'runs/*': { view: view('RunView'), place: 'scenarios' },
  chaos: { view: view('ChaosView'), place: { group: 'Sandbox', label: 'Chaos', key: 'x', icon: 'chaos' } },
  snapshots: {
    view: view('SnapshotsView'),
    place: { group: 'Sandbox', label: 'Snapshots', key: 'n', icon: 'snapshots' },
  },
  settings: { view: view('SettingsView'), place: { group: 'Sandbox', label: 'Settings', key: 'e', icon: 'settings' } },
  ...featureViews,
}

export const places = Object.entries(views).flatMap(([path, { place }]) =>
  typeof place === 'string' ? [] : [{ path, ...place }],
)

/** The navigation: each group with its views. */
export const navigation = groups.map((group) => ({ group, places: places.filter((place) => place.group === group) }))

/** The view of an address, and the path of the view that the navigation highlights. */
export function viewAt({ parts }: Route): { view: View['view']; at: string | null } {
  const address = parts.join('/')
  const pattern = Object.hasOwn(views, address)
    ? address
    : parts.map((part, index) => (index === 1 ? '*' : part)).join('/')
  const row = Object.entries(views).find(([path]) => path === pattern)?.[1]
  if (row === undefined) return { view: NotFound, at: null }
  return { view: row.view, at: typeof row.place === 'string' ? row.place : pattern }
}
