/** Building blocks of all schemas: each field knows its JSON type, and the error code for a wrong value. Walks through schemas. */
import * as z from 'zod'
import { JsonNumber } from '../../base/json.js'
import { rowAt } from '../../base/keys.js'
import { withoutExponent } from '../../base/money.js'
import { capitalized } from '../../base/text.js'
import { networkLabels } from './currencies.js'
import type { ErrorCode } from './errors.js'
import { textMaxLength } from './limits.js'

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

/** Builds a schema once, when it is first used, so that unused ones cost nothing at start. */
export function onFirstUse<Schema extends z.ZodType>(build: () => Schema): () => Schema {
  let built: Schema | undefined
  return () => (built ??= build())
}

/** The label of a field; a dot in a path leads into an object. */
export function labelOf(path: string): string {
  const last = path.slice(path.lastIndexOf('.') + 1)
  const words = last.replaceAll(/[._-]/g, ' ')
  return rowAt(fieldLabels, path) ?? rowAt(fieldLabels, last) ?? capitalized(words)
}

/** Metadata of a field: `code` is for the validator, the rest for the OpenAPI document. */
interface FieldMeta {
  code?: ErrorCode
  'x-assumed'?: true
  'x-assumed-choice'?: string
  [key: string]: unknown
}

/** zod stores any metadata, but does not know these names. */
const meta = (extra: FieldMeta) => extra as Record<string, unknown>

/** Marks a field or a schema that the documentation of the API does not describe. */
export const assumed = { 'x-assumed': true } as const

/** Marks a documented field with an assumed detail: a limit, a format, when it is null. `choice` is text for users. */
export const assumedChoice = (choice: string) => ({ ...assumed, 'x-assumed-choice': choice })

/** The `network` label of a transaction. */
export const networkLabel = () => z.enum(networkLabels).meta(assumedChoice('every label except `PIX` and `TRC20`'))

/** An amount in a request: a JSON number, kept as text; a string is rejected (assumptions.md decision 7). */
export const amount = () =>
  z
    .custom<JsonNumber>((value) => value instanceof JsonNumber, 'must be a JSON number')
    .transform((value) => value.text)
    .meta(meta({ type: 'number', code: 'INVALID_AMOUNT', examples: [25.5] }))

const decimalText = /^-?\d+(\.\d+)?$/

/** An amount in the control API: a number or a decimal string, which has no exponent. */
export const looseAmount = () =>
  z
    .custom<JsonNumber | number | string>(
      (value) => value instanceof JsonNumber || typeof value === 'number' || isDecimalText(value),
      'must be a number or a decimal string',
    )
    .transform((value) =>
      typeof value === 'string' ? value : withoutExponent(value instanceof JsonNumber ? value.text : String(value)),
    )
    .meta(
      meta({ type: ['number', 'string'], pattern: decimalText.source, code: 'INVALID_AMOUNT', examples: ['25.50'] }),
    )

const isDecimalText = (value: unknown) => typeof value === 'string' && decimalText.test(value)

/** A whole number in JSON; `"1"` is rejected. */
export const integerInJson = (min: number, max: number) =>
  integerField((value) => (value instanceof JsonNumber ? Number(value.text) : value), min, max)

/** A whole number in a query string. */
export const integerInQuery = (min: number, max: number) =>
  integerField((value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value), min, max)

const integerField = (toNumber: (value: unknown) => unknown, min: number, max: number) =>
  z
    .preprocess(
      toNumber,
      z.int(`must be a whole number`).min(min, `must be at least ${min}`).max(max, `must be at most ${max}`),
    )
    .meta(meta({ type: 'integer', minimum: min, maximum: max }))

export const text = (max: number = textMaxLength) =>
  z.string('must be a string').min(1, 'must not be empty').max(max, `must be at most ${max} characters`)
export const optionalText = (max: number = textMaxLength) =>
  z.string('must be a string').max(max, `must be at most ${max} characters`).optional()
export const bool = () => z.boolean('must be true or false')

export const choice = <const T extends readonly string[]>(values: T, code: ErrorCode = 'INVALID_VALUE') =>
  z.enum(values, `must be one of ${values.join(', ')}`).meta(meta({ code }))

/** Amounts in answers are numbers, in event payloads decimal strings (assumptions.md decision 9). */
export const money = () => z.number()
export const decimal = () =>
  z
    .string()
    .regex(decimalText)
    .meta({ examples: ['100.00'] })
export const dateTime = () => z.iso.datetime({ offset: true })
export const dateTimeUtc = () => z.iso.datetime()

/** zod's declarations of `shape`, `element` and `unwrap` are less precise than their values. */
const known = (type: unknown): z.ZodType | undefined => (type instanceof z.ZodType ? type : undefined)

/** The type inside one wrapper; undefined if there is none. */
export const innerTypeOf = (type: z.ZodType): z.ZodType | undefined =>
  type instanceof z.ZodOptional || type instanceof z.ZodNullable ? known(type.unwrap()) : undefined

/** The type without any wrappers. */
export function unwrapType(type: z.ZodType): z.ZodType {
  const inner = innerTypeOf(type)
  return inner === undefined ? type : unwrapType(inner)
}

/** What a preprocessed value is parsed by. */
const parsedBy = (type: z.ZodType): z.ZodType =>
  type instanceof z.ZodPipe && type.in instanceof z.ZodTransform ? (known(type.out) ?? type) : type

/** The type of a field, or of the items of a list. */
export function typeIn(type: z.ZodType, key: PropertyKey): z.ZodType | undefined {
  const outer = parsedBy(unwrapType(type))
  if (outer instanceof z.ZodObject) return known(rowAt(outer.shape, String(key)))
  return outer instanceof z.ZodArray ? known(outer.element) : undefined
}

export const typeAt = (type: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined =>
  path.reduce<z.ZodType | undefined>((at, key) => (at === undefined ? undefined : typeIn(at, key)), type)

/** The possible fields of the object at that path. */
export function fieldsAt(type: z.ZodType, path: readonly PropertyKey[]): string[] {
  const found = typeAt(type, path)
  const at = found === undefined ? undefined : parsedBy(unwrapType(found))
  const options = at instanceof z.ZodUnion ? at.options : [at]
  return options.flatMap((option) => (option instanceof z.ZodObject ? Object.keys(option.shape) : []))
}

export const usernamePattern = /^[a-z0-9][a-z0-9._-]{0,49}$/
export const usernameRule = 'must be 1 to 50 of a-z, 0-9, dot, hyphen and underscore, and begin with a letter or digit'

export const scenarioNamePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/
export const scenarioNameRule = 'words of a-z and 0-9 joined by hyphens'
export const scenarioNameMaxLength = 80
