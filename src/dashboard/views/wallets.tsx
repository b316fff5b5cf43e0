/** Fixed wallets: permanent destinations for deposits. */
import type { Wallet } from '../../client/types/control.js'
import { apiCurl } from '../curl.js'
import { NextStep } from '../parts/first-charge.js'
import { NewButtons } from '../parts/forms/new-buttons.js'
import { Head, Loaded, Panel } from '../parts/layout.js'
import { type Column, Pager, Table } from '../parts/tables/table.js'
import { Moment, Said } from '../parts/text.js'
import { useList } from '../store/list.js'
import { link, type Route } from '../store/route.js'

const columns: readonly Column<Wallet>[] = [
  {
    name: 'Address',
    cell: (row) => (
      <a class="row-link" href={link('wallets', row.wallet_id)}>
        <code>
          <Said clamp>{row.address}</Said>
        </code>
        <span class="faint">wallet {row.wallet_id}</span>
      </a>
    ),
  },
  { name: 'Currency', badge: true, cell: (row) => row.currency },
  { name: 'Network', cell: (row) => row.network },
  { name: 'Account', cell: (row) => row.account },
  { name: 'Created', end: true, cell: (row) => <Moment iso={row.created_at} /> },
]

export const WalletsView = ({ route }: { route: Route }) => {
  const page = useList('GET /wallets', route, [], ['wallet', 'transaction', 'workspace'])
  return (
    <>
      <Head title="Wallets">
        <NewButtons kinds={['wallet']} />
      </Head>
      <Panel flush>
        <Loaded of={page}>
          {({ data, next }) =>
            data.length === 0 ? (
              <NextStep
                title="No fixed wallet yet"
                curl={(credential) =>
                  apiCurl(credential, {
                    ...{ method: 'POST', path: '/v2/transactions/wallet', signed: false },
                    body: '{"currency":"BTC","chain":"bitcoin"}',
                  })
                }
              >
                A wallet is a PIX key, a CLABE or an on-chain address that takes deposits for good. This makes one;
                deposits are then a click here.
              </NextStep>
            ) : (
              <>
                <Table label="Wallets" columns={columns} rows={data} keyOf={(row) => String(row.wallet_id)} />
                <Pager route={route} next={next} count={data.length} />
              </>
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}
