/** Forms for accounts: balances, credentials, limits, fees. */
import type { Account, Credential } from '../../../client/types/control.js'
import { currencyNames } from '../../../protocol/platform/currencies.js'
import { operations } from '../../../protocol/platform/limits.js'
import type { Body } from '../../api.js'
import { kindName } from '../../format.js'
import { t } from '../../language.js'
import { send } from '../../store/commands.js'
import { openForm } from '../../store/form.js'
import { go, link } from '../../store/route.js'

type Balances = Body<'PUT /accounts/{username}/balances'>
type Limit = NonNullable<Body<'PATCH /accounts/{username}'>['limits']>[number]
type Fee = NonNullable<Body<'PATCH /accounts/{username}'>['fees']>[number]

export function openNewAccountForm(): void {
  openForm<Body<'POST /accounts'>>({
    title: 'New account',
    fields: [
      { name: 'username', hint: 'a to z, 0 to 9, dot, hyphen, underscore; generated if empty.' },
      { name: 'name', hint: 'Name of a person or of a company.' },
      { name: 'document', hint: 'With valid check digits. If empty, a sample CPF.' },
      { name: 'balances.BRL', kind: 'amount', hint: 'Balances of other currencies are set later.' },
      { name: 'credential.postback_url', kind: 'url', hint: 'URL that receives the webhooks of its transactions.' },
    ],
    submit: 'Create',
    run: async (values) => {
      await send('POST /accounts', { body: values })
      go(link('accounts'))
    },
  })
}

function openBalancesForm(account: Account): void {
  openForm<Balances>({
    title: t`Balances of ${account.username}`,
    text: 'The new available balances. A ledger entry records the difference, so that the ledger stays balanced.',
    fields: currencyNames.map((currency) => ({
      name: currency,
      kind: 'amount',
      value: account.balances[currency].available,
    })),
    submit: 'Set',
    run: (values) => {
      const changed = currencyNames.filter((currency) => values[currency] !== account.balances[currency].available)
      const body: Balances = Object.fromEntries(changed.map((currency) => [currency, values[currency]]))
      return send('PUT /accounts/{username}/balances', { params: { username: account.username }, body })
    },
  })
}

/** What a limit or a fee applies to. */
const scope = [
  { name: 'currency', kind: 'choice', choices: currencyNames, required: true },
  { name: 'operation', kind: 'choice', choices: operations, words: kindName, required: true },
] as const

function openLimitsForm({ username }: Account): void {
  openForm<Limit>({
    title: t`Limits of ${username}`,
    fields: [
      ...scope,
      { name: 'min_amount', kind: 'amount', hint: 'Of one operation. Unchanged if empty.' },
      { name: 'max_amount', kind: 'amount', hint: 'Of one operation. Unchanged if empty.' },
      { name: 'daily_limit', kind: 'amount', hint: 'Of all operations of a day. Unchanged if empty.' },
    ],
    submit: 'Set',
    run: (limit) => send('PATCH /accounts/{username}', { params: { username }, body: { limits: [limit] } }),
  })
}

function openFeesForm({ username }: Account): void {
  openForm<Fee>({
    title: t`Fees of ${username}`,
    fields: [
      ...scope,
      { name: 'fixed', kind: 'amount', hint: 'An amount in the currency.' },
      { name: 'percent', kind: 'amount', hint: '1.5 is one and a half percent.' },
    ],
    submit: 'Set',
    run: (fee) => send('PATCH /accounts/{username}', { params: { username }, body: { fees: [fee] } }),
  })
}

/** What can be set for an account. */
export const accountForms = [
  ['Set balances', openBalancesForm],
  ['Limits', openLimitsForm],
  ['Fees', openFeesForm],
] as const

export function openNewCredentialForm({ username }: Account): void {
  openForm<Body<'POST /accounts/{username}/credentials'>>({
    title: t`New credential of ${username}`,
    fields: [
      { name: 'postback_url', kind: 'url', hint: 'URL that receives the webhooks of its transactions.' },
      { name: 'webhook_secret', hint: 'Secret that signs the webhooks. Generated if empty.' },
      { name: 'active', kind: 'check', value: true },
    ],
    submit: 'Create',
    run: (values) => send('POST /accounts/{username}/credentials', { params: { username }, body: values }),
  })
}

type CredentialChange = Body<'PATCH /credentials/{client_id}'>

export const patchCredential = (clientId: string, body: CredentialChange): Promise<unknown> =>
  send('PATCH /credentials/{client_id}', { params: { client_id: clientId }, body })

export function openCredentialForm(credential: Credential): void {
  openForm<CredentialChange>({
    title: 'Change the credential',
    name: credential.client_id,
    fields: [
      {
        name: 'postback_url',
        kind: 'url',
        value: credential.postback_url ?? '',
        hint: 'URL that receives the webhooks of its transactions. If empty, no webhooks are sent.',
      },
      { name: 'webhook_secret', value: credential.webhook_secret, hint: 'Secret that signs the webhooks.' },
      { name: 'active', kind: 'check', value: credential.active },
    ],
    submit: 'Save',
    run: (values) => patchCredential(credential.client_id, { postback_url: null, ...values }),
  })
}
