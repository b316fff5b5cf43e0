/** One fixed wallet: its address, and its deposits. */
import { detailView } from '../parts/detail-view.js'
import { Fields } from '../parts/fields.js'
import { ActionBar } from '../parts/forms/actions.js'
import { Empty, Panel } from '../parts/layout.js'
import { Paged } from '../parts/list-view.js'
import { Qr } from '../parts/qr.js'
import { Story } from '../parts/story/story.js'
import { Table } from '../parts/table.js'
import { useList } from '../store/list.js'
import { link, type Route } from '../store/route.js'
import { transactionTable } from './transactions.js'

const omittedFields = ['history', 'events', 'ledger', 'allowed', 'due', 'currency_type', 'chain']

export const WalletView = detailView({
  source: 'GET /wallets/{id}',
  watch: ['wallet', 'transaction', 'webhook', 'workspace'],
  title: (row) => `${row.currency} wallet ${row.wallet_id}`,
  crumb: () => ({ href: link('wallets'), text: 'Wallets' }),
  bar: ({ row }) => <ActionBar life={row} id={String(row.wallet_id)} kind="wallet" currency={row.currency} />,
  main: ({ row, route }) => (
    <>
      <Story kind="wallet" life={row} />
      <Deposits route={route} id={row.wallet_id} />
    </>
  ),
  side: ({ row }) => (
    <Panel title="Address">
      <div class="payment">
        <Qr text={row.address} label="Address as a QR code" />
      </div>
      <Fields rows={Object.entries(row).filter(([name]) => !omittedFields.includes(name))} />
    </Panel>
  ),
})

const Deposits = ({ route, id }: { route: Route; id: number }) => (
  <Panel title="Deposits" flush>
    <Paged
      route={route}
      noun="deposit"
      page={useList('GET /transactions', route, [], ['transaction', 'workspace'], { wallet_id: id })}
      show={(rows) => <Table {...transactionTable} rows={rows} />}
      empty={<Empty title="No deposit yet">A deposit to this address is credited at once.</Empty>}
    />
  </Panel>
)
