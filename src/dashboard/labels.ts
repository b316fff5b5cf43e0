/** Fields of the API in words, and the group of the detail list that each belongs to. */

// biome-ignore format: a table, a row a group
const fields: readonly (readonly [group: string, labels: Readonly<Record<string, string>>])[] = [
  ['people', { 'payer.name': 'Payer', 'payer.document': 'Payer’s document', 'payer.email': 'Payer’s e-mail', 'receiver.name': 'Receiver', 'receiver.document': 'Receiver’s document', 'receiver.bank': 'Receiver’s bank', from_user: 'From', to_user: 'To', wallet: 'Destination', key_type: 'Kind of PIX key', description: 'Description', reason: 'Reason' }],
  ['payment', { type: 'Type', currency: 'Currency', fee: 'Fee', amount_refunded: 'Refunded', rate: 'Rate', network: 'Network', address: 'Address', min_confirmations: 'Confirmations', error_code: 'Error', error_message: 'Error message', source: 'Source', account: 'Account' }],
  ['references', { external_id: 'Your reference', transaction_id: 'Transaction id', infraction_id: 'Dispute id', wallet_id: 'Wallet id', e2e_id: 'End-to-end id', tracking_key: 'Tracking key', hash: 'Transaction hash', pay_url: 'Payer’s page', postback_url: 'Webhook URL' }],
  ['times', { created_at: 'Created', updated_at: 'Last change', deadline_at: 'Reply until', resolved_at: 'Decided' }],
]

/** Names of the groups, in the order of the list; fields without a group come first. */
export const fieldGroups: readonly string[] = ['', ...fields.map(([group]) => group)]
const rows = new Map(
  fields.flatMap(([group, labels]) => Object.entries(labels).map(([name, label]) => [name, { group, label }] as const)),
)

/** A field without a label is shown by its name. */
export const labelOf = (name: string): string => rows.get(name)?.label ?? name
export const groupOf = (name: string): string => rows.get(name)?.group ?? ''
