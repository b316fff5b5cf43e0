/** What a scenario is written with: values, conditions, the calls that it can intercept, and those that create objects. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import * as z from 'zod'
import { exactDuration, parseDuration } from '../../base/duration.js'
import { keysOf } from '../../base/keys.js'
import { type OperationName, operationNames } from '../platform/endpoints/row.js'
import { type EndpointName, endpointNames, endpoints } from '../platform/endpoints.js'
import { looseAmount, text } from '../platform/fields.js'
import * as requests from '../platform/requests.js'

export type ParamValue = string | number | boolean

const maxParamLength = 1000

/** Checked without a zod union, so that many wrong values cost little. */
export const paramValue = () =>
  z
    .custom<ParamValue>(
      (value) => isScalar(value) && (typeof value !== 'string' || value.length <= maxParamLength),
      `must be a string of at most ${maxParamLength} characters, a number, true or false`,
    )
    .meta({ type: ['string', 'number', 'boolean'], maxLength: maxParamLength })

export const isScalar = (value: unknown): value is ParamValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** A name that can be used in `${…}`. */
export const identifier = () =>
  z.string('must be a string').regex(/^[A-Za-z][A-Za-z0-9_]{0,49}$/, 'must be a name of letters, digits and _')

/** A duration, from seconds or text such as `10m`; parsed to milliseconds. */
export const span = (longestMs?: number) =>
  z
    .custom<string | number>(
      (value) =>
        (typeof value === 'number' || typeof value === 'string') &&
        (parseDuration(value) ?? Number.POSITIVE_INFINITY) <= (longestMs ?? Number.MAX_VALUE),
      `must be a number of seconds or a string such as ${longestMs === undefined ? '500ms, 90s, 10m, 2h, 7d' : `500ms or 90s, at most ${exactDuration(longestMs)}`}`,
    )
    .transform((value) => parseDuration(value) ?? 0)
    .meta({ type: ['number', 'string'], examples: ['2s', '10m', '7d'] })

/** The condition for a field: equal, compared, one of a list, or missing (null). */
export type Condition = ParamValue | null | readonly ParamValue[]

export const condition = () =>
  z
    .custom<Condition>(
      (value) => value === null || isScalar(value) || (Array.isArray(value) && value.every(isScalar)),
      'must be a value, a comparison such as ">= 10", or a list',
    )
    .meta({ type: ['string', 'number', 'boolean', 'null', 'array'], items: { type: ['string', 'number', 'boolean'] } })
export const conditions = () => z.record(z.string(), condition(), 'must be fields with their conditions')

/** The id of an object, its `external_id`, or `${name}`. */
export const id = (what: string) => z.union([text(), z.number()], 'must be an id, or ${name}').optional().describe(what)
export const as = () => identifier().optional().describe('Name of the object for `${…}` in later steps')

type RouteOf<Name extends EndpointName> = Name extends EndpointName
  ? `${(typeof endpoints)[Name]['method']} ${(typeof endpoints)[Name]['path']}`
  : never
/** An operation, or a route of the API. */
export type CallName = OperationName | RouteOf<EndpointName>

export function routeOf<Name extends EndpointName>(name: Name): RouteOf<Name> {
  const { method, path } = endpoints[name]
  // TypeScript widens the template to a string.
  return `${method} ${path}` as RouteOf<Name>
}

export const callNames: readonly CallName[] = [...operationNames, ...endpointNames.map(routeOf)]

export const creatable = {
  cashin: requests.cashin,
  cashout: requests.cashout,
  wallet: requests.wallet,
  transfer: requests.transfer,
  conversion: requests.conversion,
} as const
export type Creatable = keyof typeof creatable
export const creatableKinds = keysOf(creatable)

/** The body of the call: amounts are numbers or decimal strings, and `external_id` is generated if it is missing. */
export const bodyOf = (kind: Creatable) => {
  const { amount, external_id, split, ...shape } = creatable[kind]().shape as z.core.$ZodLooseShape
  return z
    .strictObject({
      ...shape,
      ...(amount === undefined ? {} : { amount: looseAmount() }),
      ...(external_id === undefined ? {} : { external_id: text().optional() }),
      ...(split === undefined ? {} : { split: z.array(z.looseObject({ username: text() })).optional() }),
    })
    .describe(titles[kind])
}

const titles: Record<Creatable, string> = {
  cashin: 'A charge: `POST /v2/transactions/cashin`',
  cashout: 'A withdrawal: `POST /v2/transactions/cashout`; `external_id` is optional (default: generated)',
  wallet: 'A fixed wallet: `POST /v2/transactions/wallet`',
  transfer: 'An internal transfer: `POST /v2/internal_transfers/payment`',
  conversion: 'A conversion: `POST /v2/conversions/new`',
}

export const createSchema = () =>
  z.strictObject({
    cashin: bodyOf('cashin').optional(),
    cashout: bodyOf('cashout').optional(),
    wallet: bodyOf('wallet').optional(),
    transfer: bodyOf('transfer').optional(),
    conversion: bodyOf('conversion').optional(),
    as: as(),
    account: text().optional().describe('Account that owns the object (default: the account of the run)'),
  })
