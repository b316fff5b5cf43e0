/** One fixed wallet: its address, and deposits that arrive at it. */

import { Fields } from '../parts/fields.js'
import { Actions } from '../parts/forms/actions.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { Qr } from '../parts/qr.js'
import { Pager } from '../parts/tables/table.js'
import { TransactionTable } from '../parts/tables/transactions.js'
import { Timeline } from '../parts/timeline.js'
import { useList } from '../store/list.js'
import { useQuery } from '../store/query.js'
import { link, type Route } from '../store/route.js'

const told = ['history', 'events', 'ledger', 'allowed']

export const WalletView = ({ route, id }: { route: Route; id: string }) => {
  const query = useQuery('GET /wallets/{id}', { params: { id } }, ['wallet', 'transaction', 'webhook', 'workspace'])
  return (
    <Loaded of={query}>
      {(row) => (
        <>
          <Head title={`Wallet ${row.wallet_id}`} crumb={{ href: link('wallets'), text: 'Wallets' }}>
            <Actions allowed={row.allowed} id={String(row.wallet_id)} kind="wallet" />
          </Head>
          <div class="columns">
            <div class="column wide">
              <Panel title="Timeline">
                <Timeline kind="wallet" life={row} calls={[]} />
              </Panel>
              <Deposits route={route} id={row.wallet_id} />
            </div>
            <div class="column">
              <Panel title="Address">
                <div class="payment">
                  <Qr text={row.address} label="Address as a QR code" />
                </div>
                <Fields rows={Object.entries(row).filter(([name]) => !told.includes(name))} />
              </Panel>
            </div>
          </div>
        </>
      )}
    </Loaded>
  )
}

const Deposits = ({ route, id }: { route: Route; id: number }) => {
  const page = useList('GET /transactions', route, [], ['transaction', 'workspace'], { wallet_id: id })
  return (
    <Panel title="Deposits" flush>
      <Loaded of={page}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty title="No deposit yet">Whatever comes to this address is credited at once.</Empty>
          ) : (
            <>
              <TransactionTable rows={data} short />
              <Pager route={route} next={next} count={data.length} />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}
