/** The shape of an endpoint's row, examples included. */
import type * as z from 'zod'
import type { Basis } from '../emulated-interface.js'
import type { ErrorCode } from '../errors.js'
import { operations, type rates } from '../limits.js'

// biome-ignore format: a table, a row a line
export const endpointTags = [
  { name: 'Access', description: 'Access tokens.' },
  { name: 'Charges', description: 'Money in: charges and fixed wallets.' },
  { name: 'Withdrawals', description: 'Money out.' },
  { name: 'Transfers and conversions', description: 'Money between accounts, and between currencies.' },
  { name: 'Account', description: 'Balances, transactions, profile, limits and fees of the account.' },
  { name: 'Disputes', description: 'PIX MED disputes, called infractions in paths and chargebacks in events.' },
] as const

/** The operations that a scenario can intercept by name. */
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
  /** Financial routes are also signed (interface.md §5.2). */
  hmac?: true
  /** The part of the request that the schema applies to. */
  input: 'json' | 'query' | 'multipart' | 'none'
  request: () => z.ZodObject
  response: () => z.ZodObject
  status: 200 | 202
  rate?: keyof typeof rates
  /** The name in a scenario's `on.operation`. */
  operation?: OperationName
  tag: (typeof endpointTags)[number]['name']
  /** A short description for newcomers. */
  about: string
  /** Requests that work against a fresh sandbox; only a dispute must exist first. The API page shows the first. */
  examples: Readonly<Record<string, RequestExample>>
  /** The `data` of a typical answer. */
  answer: Readonly<Record<string, unknown>>
  /** Error codes beyond those of every endpoint. */
  errors: readonly ErrorCode[]
  basis: Basis
}

/** What most endpoints have in common; a row names the parts that differ. */
export const usual = { method: 'POST', auth: 'bearer', input: 'json', status: 200, basis: 'spec' } as const
export const signed = { ...usual, hmac: true } as const

export const amountErrors = ['INVALID_AMOUNT', 'INVALID_CURRENCY'] as const
/** Errors of limits that quotes have too, although they create nothing. */
export const quoteErrors = ['BELOW_MIN_LIMIT', 'EXCEEDS_MAX_LIMIT', 'LIMIT_EXCEEDED'] as const
export const limitErrors = [...quoteErrors, 'DUPLICATE_EXTERNAL_ID'] as const

export type Rows = Readonly<Record<string, EndpointRow>>
