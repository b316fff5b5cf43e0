/** The forms of the accounts: balances, credentials, limits, fees. */
import { currencyNames, isCurrency } from '../../protocol/api/currencies.js'
import { operations } from '../../protocol/api/limits.js'
import type { Account, Credential } from '../../protocol/control/accounts.js'
import { send } from '../store/commands.js'
import { ask } from '../store/dialog.js'
import { go, link } from '../store/route.js'

const accountPath = (username: string) => `/accounts/${encodeURIComponent(username)}`

export function askAccount(): void {
  ask({
    title: 'New account',
    fields: [
      { name: 'username', hint: 'a to z, 0 to 9, dot, hyphen, underscore; one is made up when empty.' },
      { name: 'name' },
      { name: 'document', hint: 'A CPF or CNPJ.' },
      { name: 'balances.BRL', kind: 'amount', label: 'BRL available' },
      { name: 'credential.postback_url', kind: 'url', label: 'Webhook address' },
    ],
    submit: 'Create',
    run: async (values) => {
      await send('POST', '/accounts', values)
      go(link('accounts'))
    },
  })
}

export function askBalances(account: Account): void {
  ask({
    title: `Balances of ${account.username}`,
    text: 'What is available then. A posting makes up the difference, so that the ledger stays balanced.',
    fields: Object.entries(account.balances).map(([currency, { available }]) => ({
      name: currency,
      kind: 'amount',
      value: available,
    })),
    submit: 'Set',
    run: (values) => {
      const changed = Object.entries(values).filter(
        ([currency, value]) => !isCurrency(currency) || value !== account.balances[currency].available,
      )
      return send('PUT', `${accountPath(account.username)}/balances`, Object.fromEntries(changed))
    },
  })
}

export function askLimits({ username }: Account): void {
  ask({
    title: `Limits of ${username}`,
    fields: [
      { name: 'currency', kind: 'choice', choices: currencyNames, required: true },
      { name: 'operation', kind: 'choice', choices: operations, required: true },
      { name: 'min_amount', kind: 'amount' },
      { name: 'max_amount', kind: 'amount' },
      { name: 'daily_limit', kind: 'amount' },
    ],
    submit: 'Set',
    run: (limit) => send('PATCH', accountPath(username), { limits: [limit] }),
  })
}

export function askFees({ username }: Account): void {
  ask({
    title: `Fees of ${username}`,
    fields: [
      { name: 'currency', kind: 'choice', choices: currencyNames, required: true },
      { name: 'operation', kind: 'choice', choices: operations, required: true },
      { name: 'fixed', kind: 'amount', hint: 'In the currency.' },
      { name: 'percent', kind: 'amount', hint: '1.5 is one and a half percent.' },
    ],
    submit: 'Set',
    run: (fee) => send('PATCH', accountPath(username), { fees: [fee] }),
  })
}

export function askNewCredential({ username }: Account): void {
  ask({
    title: `New credential of ${username}`,
    fields: [
      { name: 'postback_url', kind: 'url', label: 'Webhook address' },
      { name: 'webhook_secret', hint: 'Made up when empty.' },
      { name: 'active', label: 'Active', kind: 'check', value: true },
    ],
    submit: 'Create',
    run: (values) => send('POST', `${accountPath(username)}/credentials`, values),
  })
}

export const patchCredential = (clientId: string, body: Partial<Credential>): Promise<unknown> =>
  send('PATCH', `/credentials/${encodeURIComponent(clientId)}`, body)

export function askCredential(credential: Credential): void {
  ask({
    title: 'Change the credential',
    name: credential.client_id,
    fields: [
      {
        name: 'postback_url',
        kind: 'url',
        label: 'Webhook address',
        value: credential.postback_url ?? '',
        hint: 'Where the events of its transactions go. Empty: nowhere.',
      },
      { name: 'webhook_secret', value: credential.webhook_secret, hint: 'Signs the webhooks.' },
      { name: 'active', label: 'Active', kind: 'check', value: credential.active },
    ],
    submit: 'Save',
    run: (values) => patchCredential(credential.client_id, { postback_url: null, ...values }),
  })
}
