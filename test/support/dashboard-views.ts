/** Every view of the dashboard with the objects of its world. */
import type { World } from './dashboard-world.js'
import { removedFeatures } from './features.js'

/** Name, address of the view, and what must be there before it is looked at. */
type Row = readonly [name: string, path: (ids: World['ids']) => string, there: string]

const all: readonly Row[] = [
  ['overview', () => '#/', '.balances a'],
  ['transactions', () => '#/transactions', 'tbody tr'],
  ['transaction', ({ paid }) => `#/transactions/${paid}`, '.story-row.failed'],
  ['transaction-waiting', ({ waiting }) => `#/transactions/${waiting}`, '.qr'],
  ['transaction-crypto', ({ crypto }) => `#/transactions/${crypto}`, '.qr'],
  ['new-charge', () => '#/new/charge', '.form-fields .field'],
  ['new-withdrawal', () => '#/new/withdrawal', '.form-fields .field'],
  ['wallets', () => '#/wallets', 'tbody tr'],
  ['wallet', ({ wallet }) => `#/wallets/${wallet}`, 'li.story-row'],
  ['disputes', () => '#/disputes', 'tbody tr'],
  ['dispute', ({ dispute }) => `#/disputes/${dispute}`, 'li.story-row'],
  ['webhooks', () => '#/webhooks', 'tbody tr'],
  ['webhook', ({ webhook }) => `#/webhooks/${webhook}`, '.steps .hex'],
  ['inbox', () => '#/inbox', '.empty'],
  ['chaos', () => '#/chaos', '.empty'],
  ['certify', () => '#/certify', '.empty'],
  ['certify-books', () => '#/certify/books', '.empty'],
  ['scenarios', () => '#/scenarios', 'tbody .quiet'],
  ['scenario', () => '#/scenarios/med-dispute-lost', '.whole pre'],
  ['editor', () => '#/editor', '.cm-line'],
  ['run', ({ run }) => `#/runs/${run}`, '.run-steps li'],
  ['accounts', () => '#/accounts', '.credential'],
  ['statement', () => '#/accounts/merchant', 'tbody tr'],
  ['requests', () => '#/requests', 'tbody tr'],
  ['request', ({ unsigned }) => `#/requests/${unsigned}`, '.hex-pair'],
  ['snapshots', () => '#/snapshots', 'tbody tr'],
  ['settings', () => '#/settings', '.setting'],
  ['nowhere', () => '#/nowhere', '.empty'],
]

export const views = all.filter(([name]) => !removedFeatures.some((feature) => name.startsWith(feature)))
