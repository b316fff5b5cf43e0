/** Fixed wallets: their list, and one with its address and its deposits. */

import { formatAmount } from '../../base/money.js'
import type { Wallet, WalletDetails } from '../../client/types/control.js'
import { currencyNames, currencyOf } from '../../protocol/platform/currencies.js'
import { walletName } from '../format.js'
import { Code, Qr } from '../parts/code.js'
import { detailView } from '../parts/detail-view.js'
import { ActionBar } from '../parts/forms/actions.js'
import { Empty, Fields, NewButtons, NextStep, Panel } from '../parts/layout.js'
import { listView, Paged } from '../parts/list-view.js'
import { OnCard, RowLink, ShortId, Table } from '../parts/table.js'
import { Moment, Money, None, TimeOfDay } from '../parts/text.js'
import { Timeline } from '../parts/timeline/timeline.js'
import { transactionTable } from '../parts/transactions.js'
import { apiCurl } from '../platform-api.js'
import { useList, useQuery } from '../store/query.js'
import { link, type Route, walletsCrumb } from '../store/route.js'

const creatingCall = { method: 'POST', path: '/v2/transactions/wallet' } as const

/** The others stand in the title, or above. */
const shownFields = ['min_confirmations', 'account', 'created_at']

/** What an address is called in a network that has its own word. */
const addressNames: Readonly<Record<string, string>> = { PIX: 'PIX key', SPEI: 'CLABE' }

/** More deposits than these are not added up. */
const addedDeposits = 500

const depositKinds = ['transaction', 'workspace']

/** All that was deposited; of more deposits than are read, the least. */
const Received = ({ of: { wallet_id, currency } }: { of: WalletDetails }) => {
  const deposits = useQuery('GET /transactions', { query: { wallet_id, limit: addedDeposits } }, depositKinds).data
  if (deposits === undefined) return <>{currency}</>
  const minor = deposits.data.reduce((sum, { amount }) => sum + BigInt(amount.replace('.', '')), 0n)
  return (
    <>
      {deposits.next === null ? null : '≥ '}
      <Money amount={formatAmount(minor, currencyOf(currency).scale)} currency={currency} />
    </>
  )
}

export const [WalletView, WalletPreview] = detailView({
  source: 'GET /wallets/{id}',
  watch: ['wallet', 'transaction', 'webhook', 'workspace'],
  title: (row) => `${walletName(row.wallet_id)} ${row.currency} ${row.network}`,
  heading: (row) => (
    <>
      <span class="title-kind">
        {walletName(row.wallet_id)} · {row.network}
      </span>{' '}
      <Received of={row} /> <span class="title-kind">in deposits</span>
    </>
  ),
  previewsSideFirst: true,
  crumb: () => walletsCrumb,
  actionBar: ({ row }) => <ActionBar activity={row} id={String(row.wallet_id)} kind="wallet" of={row} />,
  main: ({ row, route }) => (
    <>
      <Deposits route={route} wallet={row} />
      <StoryWithCall row={row} />
    </>
  ),
  side: ({ row }) => (
    <Panel title={addressNames[row.network] ?? 'Address'}>
      <div class="payment">
        <Qr text={row.address} label="Address as a QR code" />
        <Code text={row.address} label={row.network} noun="the address" />
      </div>
      <Fields rows={Object.entries(row).filter(([name, value]) => shownFields.includes(name) && value !== 0)} />
    </Panel>
  ),
})

/** Calls are found by the address, as an id that is a small number is in many of them. */
const StoryWithCall = ({ row }: { row: WalletDetails }) => {
  const calls = useQuery('GET /requests', { query: { ...creatingCall, transaction_id: row.address } }, ['request'])
  return <Timeline kind="wallet" activity={row} calls={calls} />
}

/** The same for each deposit, or always empty. A chain knows no names. */
const omittedColumns = ['Type', 'Account']
const columnsOf = ({ chain }: WalletDetails) =>
  transactionTable.columns.filter(
    ({ name }) => !omittedColumns.includes(name) && (chain === null || name !== 'Counterparty'),
  )

const Deposits = ({ route, wallet }: { route: Route; wallet: WalletDetails }) => (
  <Panel
    title="Deposits"
    tools={
      <span class="faint small">
        Total <Received of={wallet} />
      </span>
    }
    flush
  >
    <Paged
      route={route}
      noMatch="No deposit matches"
      page={useList('GET /transactions', route, [], depositKinds, { wallet_id: wallet.wallet_id })}
      show={(rows) => <Table {...transactionTable} columns={columnsOf(wallet)} rows={rows} />}
      empty={<Empty title="No deposit yet">A deposit to this address is credited at once.</Empty>}
    />
  </Panel>
)

/** The wallet itself does not have it. */
const LatestDeposit = ({ of: { wallet_id } }: { of: Wallet }) => {
  const deposits = useQuery('GET /transactions', { query: { wallet_id, limit: 1 } }, depositKinds)
  const deposit = deposits.data?.data[0]
  return deposit === undefined ? (
    <None />
  ) : (
    <>
      <OnCard>Deposit</OnCard> <Money amount={deposit.amount} currency={deposit.currency} />
      <span class="off-card">
        <span class="second">
          <Moment iso={deposit.created_at} />
        </span>
      </span>
    </>
  )
}

export const WalletsView = listView({
  source: 'GET /wallets',
  title: 'Fixed wallets',
  noMatch: 'No fixed wallet matches',
  watch: ['wallet', 'transaction', 'workspace'],
  filters: [
    { name: 'currency', label: 'Currency', choices: currencyNames },
    { name: 'account', label: 'Account' },
  ],
  table: {
    label: 'Fixed wallets',
    keyOf: (row) => String(row.wallet_id),
    at: (row) => row.created_at,
    columns: [
      {
        ...{ name: 'Fixed wallet', card: 'title' },
        cell: (row) => (
          <>
            <RowLink href={link('wallets', row.wallet_id)}>
              {walletName(row.wallet_id)} <span class="currency">{row.currency}</span>
            </RowLink>
            <span class="off-card">
              <span class="second">{row.network}</span>
            </span>
          </>
        ),
      },
      {
        ...{ name: 'Address', card: 'sub' },
        cell: (row) => (
          <>
            <OnCard>{row.network}</OnCard> <ShortId id={row.address} noun="the address" />
          </>
        ),
      },
      { name: 'Latest deposit', alignEnd: true, card: 'badge', cell: (row) => <LatestDeposit of={row} /> },
      { name: 'Account', spare: 'small', cell: (row) => row.account },
      {
        name: 'Created',
        alignEnd: true,
        card: 'line',
        cell: (row) => (
          <>
            <OnCard>Created</OnCard> <TimeOfDay iso={row.created_at} />
          </>
        ),
      },
    ],
  },
  preview: WalletPreview,
  empty: () => (
    <NextStep
      title="No fixed wallet yet"
      curl={(credential) =>
        apiCurl(credential, {
          ...{ ...creatingCall, signed: false },
          body: '{"currency":"BTC","chain":"bitcoin"}',
        })
      }
    >
      A fixed wallet is a PIX key, a CLABE or an on-chain address that accepts deposits permanently.{' '}
      <a href={link('new', 'wallet')}>Create a fixed wallet</a> here, or run this command. Deposit into it from its
      page.
    </NextStep>
  ),
  tools: <NewButtons kinds={['wallet']} />,
})
