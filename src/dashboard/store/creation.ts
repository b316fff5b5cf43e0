/** The objects that the page can create: endpoint, the fields for each currency, and a valid sample. */
import { keysOf } from '../../base/keys.js'
import {
  type Currency,
  type CurrencyRow,
  chainsOf,
  currencies,
  currencyNames,
  isCurrency,
  networksOf,
} from '../../protocol/platform/currencies.js'
import { samples } from '../../protocol/rails/rail.js'
import { call } from '../api.js'
import { readableAmount, typedAmount } from '../format.js'
import type { Endpoint } from '../platform-api.js'
import { type Field, type FieldSchema, fieldsOf, jsonLiteral, setNested } from './form.js'
import { link } from './route.js'

type Values = Record<string, string>

interface Kind {
  title: string
  /** The name of its endpoint. */
  endpoint: string
  /** First part of the sample's external_id. */
  prefix: string | null
  sample: (currency: Currency, others: readonly string[]) => Values
  /** The address of the created object's view, from the `data` of the answer. */
  hrefOf: (made: Record<string, unknown>) => string
}

const usualAmount = (currency: Currency): string => readableAmount(currencies[currency].usualAmount)

const idOf = (made: Record<string, unknown>, name: string) => String(made[name] ?? '')
const transactionHref = (made: Record<string, unknown>) => link('transactions', idOf(made, 'transaction_id'))
const firstChain = (currency: Currency): Values => {
  const [chain] = chainsOf(currency)
  return chain === undefined ? {} : { chain }
}
export const kinds = {
  charge: {
    title: 'New charge',
    endpoint: 'cashin',
    prefix: 'order',
    sample: (currency) => ({
      currency,
      amount: usualAmount(currency),
      ...firstChain(currency),
      ...samples[currencies[currency].rail].payer,
    }),
    hrefOf: transactionHref,
  },
  withdrawal: {
    title: 'New withdrawal',
    endpoint: 'cashout',
    prefix: 'payout',
    sample: (currency) => ({
      currency,
      amount: usualAmount(currency),
      ...samples[currencies[currency].rail].destination(networksOf(currency)[0]),
    }),
    hrefOf: transactionHref,
  },
  transfer: {
    title: 'New internal transfer',
    endpoint: 'transfer',
    prefix: 'transfer',
    sample: (currency, [username = '']) => ({ username, currency, amount: usualAmount(currency) }),
    hrefOf: transactionHref,
  },
  conversion: {
    title: 'New conversion',
    endpoint: 'conversion',
    prefix: 'fx',
    sample: (currency) => ({
      base_currency: currency,
      destination_currency: currencyNames.find((name) => name !== currency) ?? currency,
      amount: usualAmount(currency),
    }),
    hrefOf: (made) => link('transactions', idOf(made, 'conversion_id')),
  },
  wallet: {
    title: 'New fixed wallet',
    endpoint: 'wallet',
    prefix: null,
    sample: (currency) => ({ currency, ...firstChain(currency) }),
    hrefOf: (made) => link('wallets', idOf(made, 'wallet_id')),
  },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof kinds
/** The keys of the table. */
export const kindNames = keysOf(kinds)
export const isKind = (name: string): name is KindName => Object.hasOwn(kinds, name)

/** The row of a kind, without literal types. */
export const kindOf = (name: KindName): Kind => kinds[name]

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, FieldSchema> }
}
interface Operation {
  operationId: string
  security?: Record<string, unknown>[]
  requestBody?: { content: Record<string, { schema: { $ref: string } }> }
}

export interface Shape {
  endpoint: Endpoint
  fields: readonly Field[]
}

let known: Promise<OpenApi> | undefined

/** The endpoint and its fields from the OpenAPI document, which does not change while the page is open. */
export async function shapeOf(kind: Kind): Promise<Shape> {
  // The part of the document that is used here. A test validates the document.
  known ??= call('GET /openapi.json') as Promise<unknown> as Promise<OpenApi>
  const { paths, components } = await known.catch((error: unknown) => {
    known = undefined
    throw error
  })
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId !== kind.endpoint) continue
      const name = operation.requestBody?.content['application/json']?.schema.$ref.split('/').at(-1) ?? ''
      const signed = operation.security?.some((scheme) => 'signature' in scheme) ?? false
      const fields = fieldsOf(components.schemas[name] ?? {})
      return { endpoint: { method: method.toUpperCase(), path, signed }, fields }
    }
  throw new Error(`${kind.endpoint} is not in the API description`)
}

/** Choices that depend on the currency. */
const choicesOf: Record<string, (currency: Currency) => readonly string[]> = {
  chain: chainsOf,
  network: networksOf,
}

/** Fields that only one rail has. */
const railOf: Record<string, string> = { key_type: 'pix', bank_code: 'spei', 'payer.document': 'pix' }
const keyFields: Record<CurrencyRow['rail'], Pick<Field, 'label' | 'hint'>> = {
  pix: { label: 'PIX key', hint: 'A CPF, CNPJ, email address, phone number or random key.' },
  spei: { label: 'CLABE', hint: 'The 18 digits of the account.' },
  chain: { label: 'Address', hint: 'An address on the network.' },
}

export const currencyIn = (values: Values): Currency => {
  const given = values.currency ?? values.base_currency
  return isCurrency(given) ? given : currencyNames[0]
}

/** The fields for a currency with their choices, required ones first. */
export function fieldsFor(shape: Shape, currency: Currency): Field[] {
  const { rail } = currencies[currency]
  return shape.fields
    .filter(({ name }) => (railOf[name] ?? rail) === rail && choicesOf[name]?.(currency).length !== 0)
    .map((field) => {
      const choices = choicesOf[field.name]?.(currency) ?? field.choices
      const needed = field.required === true || choicesOf[field.name] !== undefined
      return {
        ...field,
        required: needed,
        choices,
        ...(field.name === 'key' ? keyFields[rail] : {}),
      }
    })
    .sort((a, b) => placeOf(a) - placeOf(b))
}

/** What other fields depend on comes first, then what is required. */
const placeOf = ({ name, required }: Field) =>
  /^(base_|destination_)?currency$/.test(name) ? 0 : name in choicesOf ? 1 : required === true ? 2 : 3

/** The body as JSON text, in which amounts are numbers with the typed digits. */
export function bodyOf(fields: readonly Field[], values: Values): string {
  const body: Record<string, unknown> = {}
  for (const { name, kind } of fields) {
    const value = values[name] ?? ''
    const isJson = kind === 'code' || kind === 'rows'
    const text =
      kind === 'amount' ? jsonLiteral(typedAmount(value)) : isJson ? jsonLiteral(value) : JSON.stringify(value)
    if (value !== '') setNested(body, name, text)
  }
  return toJsonText(body)
}

/** Writes the result of `setNested`: JSON texts, and objects of them. */
const toJsonText = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : `{${Object.entries(value as Record<string, unknown>)
        .map(([name, inner]) => `${JSON.stringify(name)}:${toJsonText(inner)}`)
        .join(',')}}`
