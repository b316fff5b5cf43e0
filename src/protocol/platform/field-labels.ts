/** Labels of fields in forms, where the words of the field's name are not enough. */

/** By the whole path, or by its last part. */
const fieldLabels: Readonly<Record<string, string>> = {
  account: 'Account',
  active: 'Active: its calls are accepted',
  bank_code: 'Bank code',
  base_currency: 'From currency',
  by: 'Duration',
  creditParty: 'Recipient',
  destination_currency: 'To currency',
  document: 'CPF or CNPJ',
  email: 'E-mail address',
  external_id: 'Your reference',
  fixed: 'Fixed fee',
  hash: 'Transaction hash',
  key: 'Destination',
  key_type: 'Kind of PIX key',
  max_amount: 'Largest amount',
  min_amount: 'Smallest amount',
  percent: 'Percentage',
  postback_url: 'Webhook URL',
  share: 'Rate',
  split: 'Split the payment',
  times: 'Number of calls',
  'credential.postback_url': 'Webhook URL',
}

/** The label of a field; a dot in a path leads into an object. */
export function labelOf(path: string): string {
  const last = path.slice(path.lastIndexOf('.') + 1)
  const words = last.replaceAll(/[._-]/g, ' ')
  return fieldLabels[path] ?? fieldLabels[last] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
