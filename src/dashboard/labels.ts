/** Groups of the detail list, with the fields that each shows, and labels of fields outside of their object. */
import { labelOf as labelOfField } from '../protocol/platform/field-labels.js'
import { sentence } from './format.js'

const groups: Readonly<Record<string, string>> = {
  people:
    'payer.name payer.document payer.email receiver.name receiver.document receiver.bank from_user to_user wallet key_type description reason',
  payment:
    'type currency amount_requested fee amount_refunded rate network address min_confirmations error_code error_message source account',
  references: 'external_id transaction_id infraction_id wallet_id e2e_id tracking_key hash pay_url postback_url',
  times: 'created_at updated_at deadline_at resolved_at',
}

/** Names of the groups, in the order of the list; fields without a group come first. */
export const fieldGroups: readonly string[] = ['', ...Object.keys(groups)]
export const groupOf = (name: string): string =>
  Object.keys(groups).find((group) => groups[group]?.split(' ').includes(name)) ?? ''

/** `payer.name` is the payer, `payer.document` the payer's document, `delay.p95_ms` the delay p95 ms. */
export function labelOf(name: string): string {
  const [, person, field] = /^(payer|receiver)\.(\w+)$/.exec(name) ?? []
  if (person === undefined || field === undefined) return name.includes('.') ? sentence(name) : labelOfField(name)
  return field === 'name' ? labelOfField(person) : `${labelOfField(person)}’s ${field}`
}
