/** Accounts: balances, credentials, and whether the ledger balances. */
import type { RouteAnswer } from '../../client/control.js'
import type { Account, Credential } from '../../client/types/control.js'
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
import { Id, Money, Pill, Secret, WrappedText } from '../parts/text.js'
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
      <Balances account={account} />
      <div>
        {account.credentials.map((credential) => (
          <CredentialFacts key={credential.client_id} {...{ credential, defaultUrl }} />
        ))}
        <Button
          tone="quiet"
          accessibleName={t`Add a credential of ${account.username}`}
          onClick={() => openNewCredentialForm(account)}
        >
          Add a credential
        </Button>
      </div>
    </div>
  </Panel>
)

/** The currencies with money, and always the first; each leads to its postings. */
export const Balances = ({ account: { username, balances } }: { account: Account }) => (
  <section class="balances" aria-label={t`Balances of ${username}`}>
    {currencyNames
      .filter((currency, at) => at === 0 || Object.values(balances[currency]).some((amount) => Number(amount) !== 0))
      .map((currency) => (
        <a key={currency} href={link('accounts', username, { currency })}>
          <span class="tile-name">
            {currency} {currency === currencyNames[0] ? 'Available' : null}
          </span>
          <Money amount={balances[currency].available} />
          {(['blocked', 'pending'] as const).map((part) =>
            Number(balances[currency][part]) === 0 ? null : (
              <span key={part} class="tile-note">
                <Money amount={balances[currency][part]} /> {part}
              </span>
            ),
          )}
        </a>
      ))}
  </section>
)

const AccountTools = ({ account }: { account: Account }) => (
  <>
    {accountForms.map(([label, ask]) => (
      <Button
        key={label}
        tone="quiet"
        accessibleName={t`${t(label)} of ${account.username}`}
        onClick={() => ask(account)}
      >
        {label}
      </Button>
    ))}
    <a class="button" href={link('accounts', account.username)} aria-label={t`Statement of ${account.username}`}>
      Statement
    </a>
  </>
)

const CredentialFacts = ({ credential, defaultUrl }: { credential: Credential; defaultUrl: string | undefined }) => (
  <div class="credential">
    <div class="row">
      <h3>Credential</h3>
      <Pill status={credential.active ? 'active' : 'not active'} />
      <Button
        tone="quiet"
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
