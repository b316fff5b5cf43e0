/** What is said of an endpoint: its row holds all of it, the examples too. */
import type * as z from 'zod'
import type { Basis } from '../basis.js'
import type { ErrorCode } from '../errors.js'
import { operations, type rates } from '../limits.js'

// biome-ignore format: a table, a row a line
export const endpointTags = [
  { name: 'Access', description: 'Getting a token.' },
  { name: 'Charges', description: 'Money in: charges and fixed wallets.' },
  { name: 'Withdrawals', description: 'Money out.' },
  { name: 'Transfers and conversions', description: 'Money between accounts, and between currencies.' },
  { name: 'Account', description: 'What an account may ask about itself.' },
  { name: 'Disputes', description: 'PIX MED disputes, called infractions in paths and chargebacks in events.' },
] as const

/** What a scenario may catch by name, on whatever route. */
export const operationNames = [...operations, 'wallet', 'dispute_reply'] as const
export type OperationName = (typeof operationNames)[number]

interface RequestExample {
  summary: string
  value: Readonly<Record<string, unknown>>
}

export interface EndpointRow {
  method: 'GET' | 'POST'
  path: string
  title: string
  auth: 'basic' | 'bearer'
  /** Financial routes are signed as well (§5.2). */
  hmac?: true
  /** Where the request schema applies. */
  input: 'json' | 'query' | 'multipart' | 'none'
  request: z.ZodObject
  response: z.ZodObject
  /** Of a success. */
  status: 200 | 202
  rate?: keyof typeof rates
  /** What a scenario calls it in `on.operation`. */
  operation?: OperationName
  tag: (typeof endpointTags)[number]['name']
  /** A few words for a newcomer. */
  about: string
  /** Requests that work as they stand against a fresh sandbox; only a dispute must exist first. The page shows the first. */
  examples: Readonly<Record<string, RequestExample>>
  /** What it answers, in `data` of the envelope, as a sandbox gives it. */
  answer: Readonly<Record<string, unknown>>
  /** Beyond those that every endpoint has. */
  errors: readonly ErrorCode[]
  basis: Basis
}

export const amountErrors = ['INVALID_AMOUNT', 'INVALID_CURRENCY'] as const
/** Of quotes too, which repeat nothing. */
export const quoteErrors = ['BELOW_MIN_LIMIT', 'EXCEEDS_MAX_LIMIT', 'LIMIT_EXCEEDED'] as const
export const limitErrors = [...quoteErrors, 'DUPLICATE_EXTERNAL_ID'] as const

export type Rows = Readonly<Record<string, EndpointRow>>
