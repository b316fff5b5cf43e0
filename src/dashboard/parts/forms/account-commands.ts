/** Forms for accounts: balances, credentials, limits, fees. */
import type { RouteAnswer } from '../../../client/control.js'
import type { Account, Credential } from '../../../client/types/control.js'
import { currencyNames } from '../../../protocol/platform/currencies.js'
import { labelOf } from '../../../protocol/platform/fields.js'
import { type Body, call } from '../../api.js'
import { kindName } from '../../format.js'
import { t } from '../../language.js'
import { attempt, send } from '../../store/commands.js'
import { openForm } from '../../store/form.js'
import { goFromHere, link } from '../../store/route.js'

type Balances = Body<'PUT /accounts/{username}/balances'>
type Limit = NonNullable<Body<'PATCH /accounts/{username}'>['limits']>[number]
type Fee = NonNullable<Body<'PATCH /accounts/{username}'>['fees']>[number]

/** The webhook URL of the sandbox, for credentials that have none. */
export const defaultUrlOf = (settings: RouteAnswer<'GET /settings'> | undefined): string | undefined => {
  const value = settings?.data.find(({ name }) => name === 'webhook_url')?.value
  return typeof value === 'string' ? value : undefined
}

/** The field of a webhook URL is empty for that of the sandbox, so that saving does not make it the credential’s own. */
const withUrlField = (open: (field: UrlField) => void): Promise<void> =>
  attempt(async () => {
    const url = defaultUrlOf(await call('GET /settings'))
    const then =
      url === undefined ? 'If empty, they are not sent.' : t`If empty, they go to the URL of the sandbox: ${url}`
    const hint = `${t('URL for the webhooks of transactions without a URL of their own.')} ${t(then)}`
    open({ kind: 'url', hint, ...(url === undefined ? {} : { placeholder: url }) })
  })

interface UrlField {
  kind: 'url'
  hint: string
  placeholder?: string
}

export const openNewAccountForm = () =>
  withUrlField((url) => {
    openForm<Body<'POST /accounts'>>({
      title: 'New account',
      fields: [
        { name: 'username', hint: 'a to z, 0 to 9, dot, hyphen, underscore; generated if empty.' },
        { name: 'name', hint: 'Name of a person or of a company.' },
        { name: 'document', hint: 'With valid check digits. If empty, a sample CPF.' },
        { name: 'balances.BRL', kind: 'amount', hint: 'Balances of other currencies are set later.' },
        { name: 'credential.postback_url', ...url },
      ],
      submit: 'Create',
      run: async (values) => {
        const open = goFromHere()
        await send('POST /accounts', { body: values })
        open(link('accounts'))
      },
    })
  })

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

/** By the part, the place in its list, and the column: an error about a value names it so. */
type Terms = Record<string, Record<string, Record<string, string>>>

/** A table of what applies now; only what was changed is sent. */
const termsForm =
  (part: 'limits' | 'fees', title: (username: string) => string, columns: readonly string[]) =>
  ({ username }: Account): Promise<void> =>
    attempt(async () => {
      const params = { username }
      const account = await call('GET /accounts/{username}', { params })
      const rows: readonly (Limit | Fee)[] = account[part]
      openForm<Terms>({
        title: title(username),
        text: 'These values apply now.',
        fields: rows.flatMap((row, at) =>
          columns.map((column) => ({
            name: `${part}.${at}.${column}` as const,
            line: { title: kindName(row.operation), group: row.currency },
            ...{ label: labelOf(column), kind: 'amount' as const, required: true },
            value: String(Reflect.get(row, column)),
          })),
        ),
        submit: 'Set',
        run: (values) => {
          const changed = rows.map(({ currency, operation, ...row }, at) => {
            const now = Object.entries(values[part]?.[at] ?? {})
            const own = now.filter(([column, value]) => value !== Reflect.get(row, column))
            return { currency, operation, ...Object.fromEntries(own) }
          })
          return send('PATCH /accounts/{username}', { params, body: { [part]: changed } })
        },
      })
    })

const openLimitsForm = termsForm('limits', (username) => t`Limits of ${username}`, [
  'min_amount',
  'max_amount',
  'daily_limit',
])
const openFeesForm = termsForm('fees', (username) => t`Fees of ${username}`, ['fixed', 'percent'])

/** What can be set for an account. */
export const accountForms = [
  ['Set balances', openBalancesForm],
  ['Limits', openLimitsForm],
  ['Fees', openFeesForm],
] as const

export const openNewCredentialForm = ({ username }: Account) =>
  withUrlField((url) => {
    openForm<Body<'POST /accounts/{username}/credentials'>>({
      title: t`New credential of ${username}`,
      fields: [
        { name: 'postback_url', ...url },
        { name: 'webhook_secret', hint: 'Secret that signs the webhooks. Generated if empty.' },
        { name: 'active', kind: 'check', value: true },
      ],
      submit: 'Create',
      run: (values) => send('POST /accounts/{username}/credentials', { params: { username }, body: values }),
    })
  })

type CredentialChange = Body<'PATCH /credentials/{client_id}'>

export const patchCredential = (clientId: string, body: CredentialChange): Promise<unknown> =>
  send('PATCH /credentials/{client_id}', { params: { client_id: clientId }, body })

export const openCredentialForm = (credential: Credential) =>
  withUrlField((field) => {
    const own = credential.postback_url === field.placeholder ? '' : (credential.postback_url ?? '')
    openForm<CredentialChange>({
      title: 'Change the credential',
      name: credential.client_id,
      fields: [
        { name: 'postback_url', value: own, ...field },
        {
          name: 'webhook_secret',
          value: credential.webhook_secret,
          required: true,
          hint: 'Secret that signs the webhooks.',
        },
        { name: 'active', kind: 'check', value: credential.active },
      ],
      submit: 'Save',
      run: ({ postback_url: url = '', ...values }) =>
        patchCredential(credential.client_id, { ...values, ...(url === own ? {} : { postback_url: url || null }) }),
    })
  })
