/** What can be made from the page: which endpoint makes it, what of its request concerns the chosen currency, and a sample that is accepted. */
import { keysOf } from '../../base/keys.js'
import {
  type Currency,
  chainsOf,
  currencies,
  currencyNames,
  isCurrency,
  networksOf,
} from '../../protocol/platform/currencies.js'
import { samples } from '../../protocol/rails/samples.js'
import { call } from '../api.js'
import type { Endpoint } from '../platform-api.js'
import { type Field, put } from './dialog.js'
import { type FieldSchema, fieldsOf } from './form-schema.js'
import { link } from './route.js'

type Values = Record<string, string>

interface Kind {
  title: string
  /** The name of its endpoint. */
  endpoint: string
  /** Beginning of the external_id of a sample. */
  prefix: string | null
  sample: (currency: Currency, others: readonly string[]) => Values
  /** Where the made one is shown, from the `data` of the answer. */
  hrefOf: (made: Record<string, unknown>) => string
}

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
      amount: currencies[currency].usual,
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
      amount: currencies[currency].usual,
      ...samples[currencies[currency].rail].destination(networksOf(currency)[0]),
    }),
    hrefOf: transactionHref,
  },
  transfer: {
    title: 'New transfer',
    endpoint: 'transfer',
    prefix: 'transfer',
    sample: (currency, [username = '']) => ({ username, currency, amount: currencies[currency].usual }),
    hrefOf: transactionHref,
  },
  conversion: {
    title: 'New conversion',
    endpoint: 'conversion',
    prefix: 'fx',
    sample: (currency) => ({
      base_currency: currency,
      destination_currency: currencyNames.find((name) => name !== currency) ?? currency,
      amount: currencies[currency].usual,
    }),
    hrefOf: (made) => link('transactions', idOf(made, 'conversion_id')),
  },
  wallet: {
    title: 'New wallet',
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

/** The row without the literal types of each. */
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

/** Endpoint and fields, as the API's own description has them: it does not change while the page is open. */
export async function shapeOf(kind: Kind): Promise<Shape> {
  // As part of the document as is read here; a test holds the document against its own schema.
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
  throw new Error(`The API describes no ${kind.endpoint}`)
}

/** What is chosen from where the currency alone does not tell it. */
const choicesOf: Record<string, (currency: Currency) => readonly string[]> = {
  chain: chainsOf,
  network: networksOf,
}

/** Fields of one rail only. */
const railOf: Record<string, string> = { key_type: 'pix', bank_code: 'spei', 'payer.document': 'pix' }
const keyNames = { pix: 'PIX key', spei: 'CLABE', chain: 'address' }

export const currencyIn = (values: Values): Currency => {
  const given = values.currency ?? values.base_currency
  return isCurrency(given) ? given : currencyNames[0]
}

/** Those that the currency takes, each with what may be chosen for it; what must be given comes first. */
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
        ...(choices === undefined ? {} : { choices }),
        ...(field.name === 'key' ? { label: `key: the ${keyNames[rail]}` } : {}),
      }
    })
    .sort((a, b) => Number(b.required) - Number(a.required))
}

/** The body as JSON text: amounts are numbers, digit for digit as they were typed. */
export function bodyOf(fields: readonly Field[], values: Values): string {
  const body: Record<string, unknown> = {}
  for (const { name, kind } of fields) {
    const value = values[name] ?? ''
    if (value !== '') put(body, name, kind === 'amount' || kind === 'code' ? literal(value) : JSON.stringify(value))
  }
  return written(body)
}

/** What is JSON goes in as it is; what is not is a text, which the API then refuses by name. */
function literal(value: string): string {
  try {
    JSON.parse(value)
    return value.trim()
  } catch {
    return JSON.stringify(value)
  }
}

/** What `put` has made: texts of JSON, and objects of them. */
const written = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : `{${Object.entries(value as Record<string, unknown>)
        .map(([name, inner]) => `${JSON.stringify(name)}:${written(inner)}`)
        .join(',')}}`
