/** All endpoints of the platform API (§4). Routes, validation, OpenAPI and the typed client follow from these rows. */
import type * as z from 'zod'
import { keysOf } from '../../base/keys.js'
import { account } from './endpoints/account.js'
import { charges } from './endpoints/charges.js'
import { disputes } from './endpoints/disputes.js'
import { exchanges } from './endpoints/exchanges.js'
import type { EndpointRow } from './endpoints/row.js'
import { tokenEndpoints } from './endpoints/token.js'
import { withdrawals } from './endpoints/withdrawals.js'

export const endpoints = {
  ...tokenEndpoints,
  ...charges,
  ...withdrawals,
  ...exchanges,
  ...account,
  ...disputes,
} as const

export type EndpointName = keyof typeof endpoints
export const endpointNames = keysOf(endpoints)
export type Endpoint = EndpointRow
export type RequestOf<Name extends EndpointName> = z.output<(typeof endpoints)[Name]['request']>
export type ResponseOf<Name extends EndpointName> = z.output<(typeof endpoints)[Name]['response']>
