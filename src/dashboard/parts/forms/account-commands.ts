/** Forms for accounts: balances, credentials, limits, fees. */
import { withThousandsSeparators } from '../../../base/text.js'
import type { Account, Credential } from '../../../client/types/control.js'
import { currencyNames } from '../../../protocol/platform/currencies.js'
import { labelOf } from '../../../protocol/platform/fields.js'
import { type Body, call } from '../../api.js'
import { kindName } from '../../format.js'
import { t } from '../../language.js'
import { attempt, send } from '../../store/commands.js'
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

/** By the part, the place in its list, and the column: an error about a value names it so. */
type Terms = Record<string, Record<string, Record<string, string>>>

/** Narrow spaces between thousands, which can be typed over in every language. */
function grouped(amount: unknown): string {
  const [whole = '', ...fraction] = String(amount).split('.')
  return [withThousandsSeparators(whole).replaceAll(',', '\u202f'), ...fraction].join('.')
}

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
        text: 'These values apply now. A field that you empty keeps its value.',
        fields: rows.flatMap((row, at) =>
          columns.map((column) => ({
            name: `${part}.${at}.${column}` as const,
            line: { title: kindName(row.operation), group: row.currency },
            ...{ label: labelOf(column), kind: 'amount' as const, value: grouped(Reflect.get(row, column)) },
          })),
        ),
        submit: 'Set',
        run: (values) => {
          const changed = rows.map(({ currency, operation, ...row }, at) => {
            const now = Object.entries(values[part]?.[at] ?? {})
            const own = now.filter(([column, value]) => value !== grouped(Reflect.get(row, column)))
            const plain = own.map(([column, value]) => [column, value.replaceAll(/\s/g, '')])
            return { currency, operation, ...Object.fromEntries(plain) }
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
