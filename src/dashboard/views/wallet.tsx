/** One fixed wallet: its address, and deposits that arrive at it. */
import { Actions } from '../parts/actions.js'
import { Fields } from '../parts/fields.js'
import { Head, Loaded, Panel } from '../parts/layout.js'
import { Qr } from '../parts/qr.js'
import { Timeline } from '../parts/timeline.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'

const told = ['history', 'events', 'ledger', 'allowed']

export const WalletView = ({ id }: { id: string }) => {
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
                <Timeline life={row} calls={[]} />
              </Panel>
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
