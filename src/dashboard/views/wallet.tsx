/** One fixed wallet: its address, and its deposits. */
import type { WalletDetails } from '../../client/types/control.js'
import { walletName } from '../format.js'
import { detailView } from '../parts/detail-view.js'
import { Fields } from '../parts/fields.js'
import { ActionBar } from '../parts/forms/actions.js'
import { Empty, Panel } from '../parts/layout.js'
import { Paged } from '../parts/list-view.js'
import { Qr } from '../parts/qr.js'
import { Table } from '../parts/table.js'
import { Timeline } from '../parts/timeline/timeline.js'
import { transactionTable } from '../parts/transactions.js'
import { useList } from '../store/list.js'
import { useQuery } from '../store/query.js'
import { type Route, walletsCrumb } from '../store/route.js'

export const creatingCall = { method: 'POST', path: '/v2/transactions/wallet' } as const

const omittedFields = ['history', 'events', 'ledger', 'allowed', 'due', 'currency_type', 'chain']

export const [WalletView, WalletPreview] = detailView({
  source: 'GET /wallets/{id}',
  watch: ['wallet', 'transaction', 'webhook', 'workspace'],
  title: (row) => walletName(row.wallet_id),
  crumb: () => walletsCrumb,
  actionBar: ({ row }) => <ActionBar activity={row} id={String(row.wallet_id)} kind="wallet" currency={row.currency} />,
  main: ({ row, route }) => (
    <>
      <StoryWithCall row={row} />
      <Deposits route={route} wallet={row} />
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

/** Calls are found by the address, as an id that is a small number is in many of them. */
const StoryWithCall = ({ row }: { row: WalletDetails }) => {
  const calls = useQuery('GET /requests', { query: { ...creatingCall, transaction_id: row.address } }, ['request'])
  return <Timeline kind="wallet" activity={row} calls={calls.data?.data ?? []} />
}

/** The same for each deposit, or always empty. A chain knows no names. */
const omittedColumns = ['Type', 'Account']
const columnsOf = ({ chain }: WalletDetails) =>
  transactionTable.columns.filter(
    ({ name }) => !omittedColumns.includes(name) && (chain === null || name !== 'Counterparty'),
  )

const Deposits = ({ route, wallet }: { route: Route; wallet: WalletDetails }) => (
  <Panel title="Deposits" flush>
    <Paged
      route={route}
      noMatch="No deposit matches"
      page={useList('GET /transactions', route, [], ['transaction', 'workspace'], { wallet_id: wallet.wallet_id })}
      show={(rows) => <Table {...transactionTable} columns={columnsOf(wallet)} rows={rows} />}
      empty={<Empty title="No deposit yet">A deposit to this address is credited at once.</Empty>}
    />
  </Panel>
)
