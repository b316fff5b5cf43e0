/** The calls that a scenario can intercept, as named in `on.operation`, and the objects that it can create by them. */
import * as z from 'zod'
import { keysOf } from '../../base/keys.js'
import { type OperationName, operationNames } from '../platform/endpoints/row.js'
import { type EndpointName, endpointNames, endpoints } from '../platform/endpoints.js'
import { looseAmount, text } from '../platform/fields.js'
import * as requests from '../platform/requests.js'
import { as } from './values.js'

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
