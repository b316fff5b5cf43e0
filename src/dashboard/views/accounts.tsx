/** Accounts: balances, credentials, and whether the ledger balances. */
import type { RouteAnswer } from '../../client/control.js'
import type { Account, Balance, Credential } from '../../client/types/control.js'
import { currencyNames } from '../../protocol/platform/currencies.js'
import { t } from '../language.js'
import {
  accountForms,
  defaultUrlOf,
  openCredentialForm,
  openNewAccountForm,
  openNewCredentialForm,
} from '../parts/forms/account-commands.js'
import { Button } from '../parts/forms/controls.js'
import { Facts, Head, Loaded, Panel } from '../parts/layout.js'
import { type Column, Table } from '../parts/table.js'
import { Id, Money, None, Pill, Secret, WrappedText } from '../parts/text.js'
import { type Query, useQuery } from '../store/query.js'
import { link } from '../store/route.js'

const balanceChangeKinds = ['transaction', 'dispute', 'account', 'workspace']

export const AccountsView = () => {
  const accounts = useQuery('GET /accounts', {}, balanceChangeKinds)
  const ledger = useQuery('GET /ledger', {}, ['workspace'])
  const defaultUrl = defaultUrlOf(useQuery('GET /settings', {}, []).data)
  return (
    <>
      <Head title="Accounts">
        <LedgerPill of={ledger} />
        <Button tone="primary" onClick={openNewAccountForm}>
          New account
        </Button>
      </Head>
      <Loaded of={accounts}>
        {({ data }) => data.map((account) => <AccountPanel key={account.username} {...{ account, defaultUrl }} />)}
      </Loaded>
    </>
  )
}

const LedgerPill = ({ of: { data, error } }: { of: Query<RouteAnswer<'GET /ledger'>> }) =>
  data === undefined ? (
    <Pill status={error === undefined ? 'Checking the ledger' : 'Ledger not checked'} />
  ) : (
    <Pill status={data.balanced ? 'Ledger balanced' : 'Ledger not balanced'} tone={data.balanced ? 'ok' : 'bad'} />
  )

const AccountPanel = ({ account, defaultUrl }: { account: Account; defaultUrl: string | undefined }) => (
  <Panel
    title={
      <>
        {account.username}{' '}
        <span class="faint">
          <WrappedText>{account.name}</WrappedText>, {account.document.length === 11 ? 'CPF' : 'CNPJ'}{' '}
          {account.document}
        </span>
      </>
    }
    tools={<AccountTools account={account} />}
  >
    <div class="account">
      <div>
        {account.credentials.map((credential) => (
          <CredentialFacts key={credential.client_id} {...{ credential, defaultUrl }} />
        ))}
        <Button
          accessibleName={t`Add a credential of ${account.username}`}
          onClick={() => openNewCredentialForm(account)}
        >
          Add a credential
        </Button>
      </div>
      <Balances account={account} />
    </div>
  </Panel>
)

export const Balances = ({ account: { username, balances } }: { account: Account }) => {
  const rows = currencyNames.map((currency) => [currency, balances[currency]] as const)
  const hasMoney = ([, balance]: BalanceRow) => Object.values(balance).some((amount) => Number(amount) !== 0)
  const empty = rows.filter((row) => !hasMoney(row)).map(([currency]) => currency)
  return (
    <div>
      <Table
        label={t`Balances of ${username}`}
        columns={columns}
        rows={rows.filter(hasMoney)}
        keyOf={([currency]) => currency}
      />
      {empty.length === 0 ? null : <p class="faint small no-money">No balance in {empty.join(', ')}</p>}
    </div>
  )
}

const AccountTools = ({ account }: { account: Account }) => (
  <>
    <a class="button" href={link('accounts', account.username)} aria-label={t`Statement of ${account.username}`}>
      Statement
    </a>
    {accountForms.map(([label, ask]) => (
      <Button key={label} accessibleName={t`${t(label)} of ${account.username}`} onClick={() => ask(account)}>
        {label}
      </Button>
    ))}
  </>
)

type BalanceRow = readonly [currency: string, balance: Balance]

const columnOf = (name: string, part: keyof Balance): Column<BalanceRow> => ({
  name,
  alignEnd: true,
  cell: ([, balance]) => (Number(balance[part]) === 0 ? <None /> : <Money amount={balance[part]} />),
})

const columns: readonly Column<BalanceRow>[] = [
  { name: 'Currency', cell: ([currency]) => currency },
  columnOf('Available', 'available'),
  columnOf('Blocked', 'blocked'),
  columnOf('Pending', 'pending'),
]

const CredentialFacts = ({ credential, defaultUrl }: { credential: Credential; defaultUrl: string | undefined }) => (
  <div class="credential">
    <div class="row">
      <Pill status={credential.active ? 'active' : 'not active'} />
      <Button
        accessibleName={t`Edit credential ${credential.client_id}`}
        onClick={() => openCredentialForm(credential)}
      >
        Edit
      </Button>
    </div>
    <Facts
      rows={[
        ['client_id', <Id id={credential.client_id} noun="the client_id" />],
        ['client_secret', <Secret secret={credential.client_secret} noun="the client_secret" />],
        ['signing_key', <Secret secret={credential.signing_key} noun="the signing_key" />],
        ['webhook_secret', <Secret secret={credential.webhook_secret} noun="the webhook_secret" />],
        [
          'Webhook URL',
          credential.postback_url === null ? (
            <span class="faint">none set</span>
          ) : (
            <>
              <Id id={credential.postback_url} noun="the webhook URL" />{' '}
              {credential.postback_url === defaultUrl ? (
                <a class="small" href={link('settings', { text: 'webhook_url' })}>
                  from the settings
                </a>
              ) : null}
            </>
          ),
        ],
      ]}
    />
  </div>
)
