/** Control route of the search over all objects. */

import * as z from 'zod'
import { dateTimeUtc, decimal, integerInQuery, text } from '../platform/fields.js'
import { controlDefaults } from '../platform/limits.js'
import { currency, listOf } from './fields.js'
import { model, route } from './route.js'

/** The fields that the search looks at. */
const searchedFields = [
  'id',
  'external_id',
  'payer',
  'receiver',
  'proof',
  'destination',
  'address',
  'e2e_id',
  'event',
] as const
export type SearchedField = (typeof searchedFields)[number]

const hit = model('SearchHit', () =>
  z.strictObject({
    kind: z.enum(['transaction', 'dispute', 'wallet', 'webhook']),
    id: z.string(),
    title: z.string().describe('The kind of transaction, or the event'),
    status: z.string().nullable(),
    external_id: z.string().nullable().describe('Your reference of a transaction'),
    amount: decimal().nullable(),
    currency: currency().nullable(),
    matched: z.enum(searchedFields),
    value: z.string().describe('Value of the field that matched'),
    at: dateTimeUtc(),
  }),
)
export type SearchHit = z.output<ReturnType<typeof hit>>

export const searchRoutes = {
  search: route({
    method: 'GET',
    path: '/search',
    summary: 'Find transactions, disputes, fixed wallets and events by id, external_id, payer, proof or address',
    query: () =>
      z.strictObject({
        q: text(200).describe(
          'The beginning of an id or external_id is searched in all objects, any other text in the newest 20,000 objects of each kind',
        ),
        limit: integerInQuery(1, 50)
          .optional()
          .describe(`Largest number of results of each kind (default: ${controlDefaults.found})`),
      }),
    answer: () => listOf(hit()),
  }),
} as const
