/** The list of fixed wallets: permanent destinations for deposits. */
import { apiCurl } from '../curl.js'
import { NewButtons, NextStep } from '../parts/first-charge.js'
import { listView } from '../parts/list-view.js'
import { Moment, WrappedText } from '../parts/text.js'
import { link } from '../store/route.js'

export const WalletsView = listView({
  source: 'GET /wallets',
  title: 'Wallets',
  noun: 'wallet',
  watch: ['wallet', 'transaction', 'workspace'],
  filters: [],
  table: {
    label: 'Wallets',
    keyOf: (row) => String(row.wallet_id),
    columns: [
      {
        name: 'Address',
        cell: (row) => (
          <a class="row-link" href={link('wallets', row.wallet_id)}>
            <code>
              <WrappedText clamp>{row.address}</WrappedText>
            </code>
            <span class="faint">wallet {row.wallet_id}</span>
          </a>
        ),
      },
      { name: 'Currency', badge: true, cell: (row) => row.currency },
      { name: 'Network', cell: (row) => row.network },
      { name: 'Account', cell: (row) => row.account },
      { name: 'Created', alignEnd: true, cell: (row) => <Moment iso={row.created_at} /> },
    ],
  },
  empty: () => (
    <NextStep
      title="No fixed wallet yet"
      curl={(credential) =>
        apiCurl(credential, {
          ...{ method: 'POST', path: '/v2/transactions/wallet', signed: false },
          body: '{"currency":"BTC","chain":"bitcoin"}',
        })
      }
    >
      A fixed wallet is a PIX key, a CLABE or an on-chain address that accepts deposits permanently. This command
      creates one; deposit into it from its page.
    </NextStep>
  ),
  tools: <NewButtons kinds={['wallet']} />,
})
