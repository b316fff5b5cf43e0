/** Labels of fields, where the words of the field's name are not enough. */
import { rowAt } from '../../base/keys.js'

/** By the whole path, or by its last part. */
// biome-ignore format: a table, a group of fields a line
const fieldLabels: Readonly<Record<string, string>> = {
  external_id: 'Your reference', transaction_id: 'Transaction id', infraction_id: 'Dispute id', wallet_id: 'Wallet id', e2e_id: 'End-to-end id', tracking_key: 'Tracking key', hash: 'Proof of payment', pay_url: 'Payer’s page', postback_url: 'Webhook URL',
  from_user: 'From', to_user: 'To', wallet: 'Destination', key: 'Destination', key_type: 'Type of PIX key', document: 'CPF or CNPJ', email: 'E-mail address', creditParty: 'Recipient',
  base_currency: 'From currency', destination_currency: 'To currency', amount_refunded: 'Refunded', amount_requested: 'Charged', min_confirmations: 'Confirmations needed', error_code: 'Error', split: 'Split the payment',
  created_at: 'Created', updated_at: 'Last change', deadline_at: 'Reply until', resolved_at: 'Decided',
  active: 'Active: its calls are accepted', by: 'Duration', fixed: 'Fixed fee', max_amount: 'Largest amount', min_amount: 'Smallest amount', percent: 'Percentage', share: 'Rate', times: 'Number of calls', params: 'Parameters', balances: 'Available balances',
  'balances.BRL': 'Available in BRL', 'credential.postback_url': 'Webhook URL',
}

/** The label of a field; a dot in a path leads into an object. */
export function labelOf(path: string): string {
  const last = path.slice(path.lastIndexOf('.') + 1)
  const words = last.replaceAll(/[._-]/g, ' ')
  return rowAt(fieldLabels, path) ?? rowAt(fieldLabels, last) ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
