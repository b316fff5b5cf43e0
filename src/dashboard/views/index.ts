/** The views, one row each: address, component, place in the navigation. */
import type { FC } from 'hono/jsx/dom'
import { CertifyView } from '../../certify/dashboard/certify.js'
import { CertifyPage } from '../../certify/dashboard/pages.js'
import { CompareView } from '../../compare/dashboard/compare.js'
import type { IconName } from '../parts/icon.js'
import { NotFound } from '../parts/layout.js'
import type { Route } from '../store/route.js'
import { AccountsView } from './accounts.js'
import { ChaosView } from './chaos.js'
import { CreateView } from './create.js'
import { DisputeView } from './dispute.js'
import { DisputesView } from './disputes.js'
import { InboxView } from './inbox.js'
import { OverviewView } from './overview.js'
import { RequestView } from './request.js'
import { RequestsView } from './requests.js'
import { RunView } from './run.js'
import { ScenarioView } from './scenario.js'
import { ScenariosView } from './scenarios.js'
import { SnapshotsView } from './snapshots.js'
import { StatementView } from './statement.js'
import { TransactionView } from './transaction.js'
import { TransactionsView } from './transactions.js'
import { WalletView } from './wallet.js'
import { WalletsView } from './wallets.js'
import { WebhookView } from './webhook.js'
import { WebhooksView } from './webhooks.js'

interface View {
  view: FC<{ route: Route; id: string }>
  /** null: reached by links only. */
  place: { label: string; icon: IconName } | null
}

/** The star in `transactions/*` stands for an id. The navigation has this order. */
const views: Record<string, View> = {
  '': { view: OverviewView, place: { label: 'Overview', icon: 'overview' } },
  transactions: { view: TransactionsView, place: { label: 'Transactions', icon: 'transactions' } },
  'transactions/*': { view: TransactionView, place: null },
  'new/*': { view: CreateView, place: null },
  wallets: { view: WalletsView, place: { label: 'Wallets', icon: 'wallets' } },
  'wallets/*': { view: WalletView, place: null },
  disputes: { view: DisputesView, place: { label: 'Disputes', icon: 'disputes' } },
  'disputes/*': { view: DisputeView, place: null },
  webhooks: { view: WebhooksView, place: { label: 'Webhooks', icon: 'webhooks' } },
  'webhooks/*': { view: WebhookView, place: null },
  inbox: { view: InboxView, place: { label: 'Inbox', icon: 'inbox' } },
  'inbox/*': { view: InboxView, place: null },
  scenarios: { view: ScenariosView, place: { label: 'Scenarios', icon: 'scenarios' } },
  'scenarios/*': { view: ScenarioView, place: null },
  'runs/*': { view: RunView, place: null },
  chaos: { view: ChaosView, place: { label: 'Chaos', icon: 'chaos' } },
  certify: { view: CertifyView, place: { label: 'Certify', icon: 'check' } },
  'certify/*': { view: CertifyPage, place: null },
  compare: { view: CompareView, place: { label: 'Compare', icon: 'posting' } },
  accounts: { view: AccountsView, place: { label: 'Accounts', icon: 'accounts' } },
  'accounts/*': { view: StatementView, place: null },
  requests: { view: RequestsView, place: { label: 'Request log', icon: 'log' } },
  'requests/*': { view: RequestView, place: null },
  snapshots: { view: SnapshotsView, place: { label: 'Snapshots', icon: 'snapshots' } },
}

export const places = Object.entries(views).flatMap(([path, { place }]) => (place === null ? [] : [{ path, ...place }]))

export function viewOf({ parts }: Route): View['view'] {
  const pattern = parts.map((part, index) => (index === 1 ? '*' : part)).join('/')
  return Object.entries(views).find(([path]) => path === pattern)?.[1].view ?? NotFound
}
