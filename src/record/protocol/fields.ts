/** Classifies the fields of the platform API by what they reveal about a person. */
import * as z from 'zod'
import { type Endpoint, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { eventNames, eventTable } from '../../protocol/platform/events.js'
import { unwrapType } from '../../protocol/platform/schema-walk.js'

/**
 * `personal`: replaced by a pseudonym · `plain`: stays (an id, a moment, an amount, a word of the API) · `text`:
 * searched for sensitive values · `secret`: hidden.
 */
export type FieldClass = 'personal' | 'plain' | 'text' | 'secret'

const rowsOf = (of: FieldClass, names: string) => names.split(' ').map((name) => [name, of] as const)

/** Fields whose type does not show their class. A name after a dot applies within the field before it. */
const rows: ReadonlyMap<string, FieldClass> = new Map([
  ...rowsOf(
    'personal',
    'name document email key wallet address clabe qrcode beneficiary_name taxId description message',
  ),
  ...rowsOf('personal', 'username from_user to_user counterparty postback_url webhook_url'),
  ...rowsOf('plain', 'id transaction_id original_transaction_id external_id conversion_id original_conversion_id'),
  ...rowsOf(
    'plain',
    'infraction_id request_id e2e_id tracking_key hash sha256 reference type bank bank_code bank_name',
  ),
  ...rowsOf('plain', 'from_date to_date source key_type keyType chain network event code group'),
  // Decimal texts in events.
  ...rowsOf('plain', 'amount_net old_balance new_balance amount_reverted_from amount_returned_to'),
  ...rowsOf('secret', 'access_token'),
  ...rowsOf('text', 'reason error_message error.message'),
])

/** Words in undocumented field names that suggest personal data. */
const personalWords = new Set(
  [
    'name nome surname document doc cpf cnpj rfc curp tax passport email mail phone telephone telefone celular mobile',
    'key chave pix clabe iban address street zip postal birth account agency branch owner holder beneficiary payer payee',
    'receiver recipient sender customer client person contact party debtor creditor user username wallet description message',
  ].flatMap((line) => line.split(' ')),
)
const secretWords = new Set(
  'secret password passwd pwd token signature signing authorization auth credential pin otp cvv cookie session private'.split(
    ' ',
  ),
)
/** A field whose name ends like this contains an id, a word or a moment. */
const plainEnds = new Set('id ids type code at in date status currency amount network chain count'.split(' '))

const wordsOf = (name: string) =>
  name
    .slice(0, 200)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')

function classByWords(name: string): FieldClass | null {
  const words = wordsOf(name)
  const has = (some: ReadonlySet<string>) => words.some((word) => some.has(word) || some.has(word.replace(/s$/, '')))
  const end = words.at(-1) ?? ''
  if (has(secretWords)) return /^(type|at|in)$/.test(end) ? 'plain' : 'secret'
  if (plainEnds.has(end)) return 'plain'
  return has(personalWords) ? 'personal' : null
}

/** Field names whose type shows that they contain a number, a moment, a UUID or one of a few words. */
const typed = new Set<string>()
/** The words of the API. */
const words = new Set<string>()
/** Text fields of the platform API. */
const texts = new Set<string>()

function collect(type: z.ZodType, name: string): void {
  const bare = unwrapType(type)
  if (bare instanceof z.ZodObject)
    for (const [key, field] of Object.entries(bare.shape)) if (field instanceof z.ZodType) collect(field, key)
  if (bare instanceof z.ZodArray && bare.element instanceof z.ZodType) collect(bare.element, name)
  if (bare instanceof z.ZodUnion)
    for (const option of bare.options) if (option instanceof z.ZodType) collect(option, name)
  if (bare instanceof z.ZodEnum) for (const value of bare.options) words.add(String(value))
  if (bare instanceof z.ZodLiteral) for (const value of bare.values) words.add(String(value))
  if (bare instanceof z.ZodString) texts.add(name)
  else typed.add(name)
}

for (const name of endpointNames) {
  const { request, response }: Endpoint = endpoints[name]
  collect(request, '')
  collect(response, '')
}
for (const name of eventNames) {
  words.add(name)
  collect(eventTable[name].data, '')
}

/** Whether a value is a word of the API, such as a status or a currency. */
export const isOwnWord = (text: string): boolean => words.has(text)

/** Whether the API documents a field with that name. */
export const isDocumented = (name: string): boolean => rows.has(name) || typed.has(name) || texts.has(name)

/** Text fields of the platform API without a class; a test requires that there are none. */
export const unclassified = (): string[] => [...texts].filter((name) => classOf(name, '') === null)

/** Undocumented fields are searched, unless their name shows more. */
export function classOf(name: string, parent: string): FieldClass | null {
  const bare = name.replace(/\[\]$/, '')
  return rows.get(`${parent}.${bare}`) ?? rows.get(bare) ?? (typed.has(name) ? 'plain' : classByWords(bare))
}
