/** The list of fixed wallets: permanent destinations for deposits. */
import { currencyNames } from '../../protocol/platform/currencies.js'
import { apiCurl } from '../curl.js'
import { walletName } from '../format.js'
import { CopyButton } from '../parts/copy.js'
import { NewButtons, NextStep } from '../parts/first-charge.js'
import { listView } from '../parts/list-view.js'
import { RowLink } from '../parts/table.js'
import { TimeOfDay, WrappedText } from '../parts/text.js'
import { link } from '../store/route.js'
import { creatingCall, WalletPreview } from './wallet.js'

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
          <RowLink href={link('wallets', row.wallet_id)}>
            {walletName(row.wallet_id)} <span class="currency">{row.currency}</span>
          </RowLink>
        ),
      },
      { name: 'Network', card: 'badge', cell: (row) => row.network },
      {
        ...{ name: 'Address', card: 'sub' },
        cell: (row) => (
          <span class="id">
            <code class="wide-text">
              <WrappedText clamp>{row.address}</WrappedText>
            </code>
            <CopyButton text={row.address} noun="the address" />
          </span>
        ),
      },
      { name: 'Account', spare: 'small', cell: (row) => row.account },
      { name: 'Created', alignEnd: true, card: 'aside', cell: (row) => <TimeOfDay iso={row.created_at} /> },
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
