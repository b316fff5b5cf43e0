/** The route that finds anything by what is known of it. */
import * as z from 'zod'
import { decimal, momentUtc, text, wholeInQuery } from '../platform/fields.js'
import { currency, listOf } from './fields.js'
import { model, route } from './route.js'

/** Part of one of these has to be known. */
export const searchedFields = [
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
    amount: decimal().nullable(),
    currency: currency().nullable(),
    matched: z.enum(searchedFields),
    value: z.string().describe('What stands in the field that matched'),
    at: momentUtc(),
  }),
)
export type SearchHit = z.output<ReturnType<typeof hit>>

export const searchRoutes = {
  search: route({
    method: 'GET',
    path: '/search',
    summary: 'Find transactions, disputes, wallets and events by id, external_id, payer, proof or address',
    query: () =>
      z.strictObject({
        q: text(200).describe(
          'A beginning of an id or external_id finds whatever is stored; a part of anything the newest 20,000 of each kind',
        ),
        limit: wholeInQuery(1, 50).optional().describe('At most so many of each kind; 8 where absent'),
      }),
    answer: () => listOf(hit()),
  }),
} as const
