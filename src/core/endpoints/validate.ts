/** What a call of the platform API does, whoever makes it: validates its fields by the schema of the endpoint, then runs the handler. */

import * as z from 'zod'
import { JsonNumber } from '../../base/json.js'
import { isFields } from '../../base/unknown.js'
import {
  type Currency,
  chainsOf,
  currencyNames,
  isCurrency,
  type Network,
  networksOf,
} from '../../protocol/platform/currencies.js'
import { type EndpointName, endpoints } from '../../protocol/platform/endpoints.js'
import { ApiError, type ErrorCode, errorCatalogue } from '../../protocol/platform/errors.js'
import { railOf } from '../../protocol/rails/index.js'
import type { Creatable } from '../../protocol/scenario/create.js'
import type { ObjectRef } from '../../store/run-state.js'
import type { Caller } from '../auth/caller.js'
import type { Unit } from '../unit/unit.js'
import { handlers } from './endpoint-handlers.js'
import type { Call, UploadedFile } from './handler.js'

export type Fields = Record<string, unknown>
/** Every endpoint but that of the tokens, which nobody needs a token for. */
export type BearerEndpoint = Exclude<EndpointName, 'token'>

/** Checks `fields`, which are as JSON brought them; what it returns does the work and answers `data`. Both throw `ApiError`. */
export function prepareCall(
  unit: Unit,
  { account, credential }: Caller,
  name: BearerEndpoint,
  fields: Fields,
  files: readonly UploadedFile[] = [],
): () => Fields {
  if (credential === null)
    throw new ApiError(
      'CREDENTIAL_INACTIVE',
      { account: account.username },
      { message: `The account ${account.username} has no active credential.` },
    )
  // Each handler takes what the schema of its own row makes; that they belong together is what the table of handlers says.
  const handler = handlers[name] as unknown as (call: Call, request: Fields) => Fields
  const request = validate(endpoints[name].request, fields)
  return () => handler({ unit, caller: { account, credential }, files }, request)
}

const idFields = {
  cashin: 'transaction_id',
  cashout: 'transaction_id',
  transfer: 'transaction_id',
  wallet: 'wallet_id',
  conversion: 'conversion_id',
} as const

/** The object that an answer tells of. */
export const refInAnswer = (kind: Creatable, data: Fields): ObjectRef => ({ kind, id: String(data[idFields[kind]]) })

/**
 * 400 MISSING_REQUIRED_FIELD for whatever is missing at any depth, else the code of the first wrong field, INVALID_VALUE where it names none.
 * null counts as absent, at any depth too (decision 34).
 */
export function validate<Schema extends z.ZodObject>(schema: Schema, input: Fields): z.output<Schema> {
  const plan = planOf(schema)
  const present = withoutIgnored(schema, withoutNulls(plan, input) as Fields)
  const gap = gapIn(plan, present, []) ?? gapOfCurrency(schema, present)
  if (gap !== undefined) throw missing(gap)
  const result = schema.safeParse(present)
  if (result.success) return result.data
  const issues = result.error.issues
  const issue =
    Object.keys(schema.shape).flatMap((field) => issues.find((one) => one.path[0] === field) ?? [])[0] ?? issues[0]
  throw refusal(schema, present, issue)
}

/** Without the fields that this currency does not have. */
function withoutIgnored(schema: z.ZodObject, present: Fields): Fields {
  const { key_type, ...others } = present
  if (key_type === undefined || schema.shape.key_type === undefined) return present
  return isCurrency(present.currency) && !railOf(present.currency).hasKeyTypes ? others : present
}

/** What a schema says that is asked of every call, worked out once: zod would look for it each time, which was 5 % of a charge. */
export type Plan = { kind: 'object'; fields: ReadonlyMap<string, Field> } | { kind: 'array'; element: Plan | null }

interface Field {
  isRequired: boolean
  /** null: neither an object nor a list. */
  plan: Plan | null
}

const plans = new WeakMap<z.ZodType, Plan | null>()

export function planOf(type: z.ZodType): Plan | null {
  let plan = plans.get(type)
  if (plan === undefined) {
    plan = makePlan(type)
    plans.set(type, plan)
  }
  return plan
}

function makePlan(type: unknown): Plan | null {
  if (type instanceof z.ZodOptional) return makePlan(type.unwrap())
  if (type instanceof z.ZodArray) return { kind: 'array', element: makePlan(type.element) }
  if (!(type instanceof z.ZodObject)) return null
  const fields = Object.entries(type.shape).map(([name, own]): [string, Field] => [
    name,
    // The shape of an object is made of zod's own types.
    { isRequired: !isOptional(own as z.ZodType), plan: makePlan(own) },
  ])
  return { kind: 'object', fields: new Map(fields) }
}

const isOptional = (type: z.ZodType) => type instanceof z.ZodOptional || type.safeParse(undefined).success

/**
 * What the schema is to see: no nulls, and a plain number where it wants an object, because a number that keeps its text is an object to zod.
 */
function withoutNulls(plan: Plan | null, value: unknown): unknown {
  if (plan === null || value === null || typeof value !== 'object') return value
  if (plan.kind === 'array') return Array.isArray(value) ? value.map((item) => withoutNulls(plan.element, item)) : value
  if (value instanceof JsonNumber) return Number(value.text)
  if (!isFields(value)) return value
  const entries = Object.entries(value)
  const kept = entries.map(([key, item]) => [key, withoutNulls(plan.fields.get(key)?.plan ?? null, item)] as const)
  // Hardly any call holds one: most go on as they are.
  if (kept.every(([, item], index) => item !== null && item === entries[index]?.[1])) return value
  return Object.fromEntries(kept.filter(([, item]) => item !== null))
}

interface Gap {
  field: string
  /** What the field may be, where only some currencies require it. */
  supported?: readonly string[]
}

/** The first required field that is absent: those of an object before those within its fields. */
function gapIn(plan: Plan | null, value: unknown, path: readonly (string | number)[]): Gap | undefined {
  if (plan === null) return undefined
  if (plan.kind === 'array') {
    if (!Array.isArray(value)) return undefined
    return firstOf(value.entries(), ([index, item]) => gapIn(plan.element, item, [...path, index]))
  }
  if (!isFields(value)) return undefined
  for (const [name, { isRequired }] of plan.fields)
    if (isRequired && value[name] === undefined) return { field: [...path, name].join('.') }
  return firstOf(plan.fields, ([name, own]) =>
    own.plan === null ? undefined : gapIn(own.plan, value[name], [...path, name]),
  )
}

function firstOf<T, Found>(items: Iterable<T>, look: (item: T) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = look(item)
    if (found !== undefined) return found
  }
  return undefined
}

const missing = ({ field, supported }: Gap) =>
  new ApiError(
    'MISSING_REQUIRED_FIELD',
    { field, ...(supported === undefined ? {} : { supported }) },
    { message: `${field} is required.` },
  )

/** A chain or network that this currency requires (decisions 14 and 18). */
function gapOfCurrency(schema: z.ZodObject, present: Fields): Gap | undefined {
  const { currency } = present
  if (!isCurrency(currency)) return undefined
  return firstOf(Object.keys(schema.shape), (field) => {
    const supported = present[field] === undefined ? (fieldsByCurrency[field]?.(currency) ?? []) : []
    const implied = field === 'network' && supported.length === 1
    return supported.length > 0 && !implied ? { field, supported } : undefined
  })
}

const fieldsByCurrency: Record<string, (currency: Currency) => readonly Network[]> = {
  chain: chainsOf,
  network: networksOf,
}

function refusal(schema: z.ZodObject, input: Fields, issue: z.core.$ZodIssue | undefined): ApiError {
  const field = issue?.path.join('.') ?? ''
  const rule = issue?.message ?? 'is invalid'
  // As above; an issue may name no field.
  const code = codeOf(schema.shape[String(issue?.path[0])] as z.ZodType | undefined)
  const choices = issue?.code === 'invalid_value' ? { supported: issue.values } : {}
  if (code === 'INVALID_CURRENCY') return new ApiError(code, { field, supported: currencyNames })
  if (code === 'UNSUPPORTED_CHAIN') {
    // The same list whether the name is none at all, or one of another currency.
    const supported = isCurrency(input.currency) ? fieldsByCurrency[field]?.(input.currency) : undefined
    return new ApiError(code, { field, supported: supported ?? [] })
  }
  const message = code === 'INVALID_VALUE' ? `${field} ${rule}.` : errorCatalogue[code].message
  return new ApiError(code, { field, rule, ...choices }, { message })
}

/** The code that a field's schema bears, inside or outside its `.optional()`. */
function codeOf(type: z.ZodType | undefined): ErrorCode {
  for (
    let inner: unknown = type;
    inner instanceof z.ZodType;
    inner = inner instanceof z.ZodOptional ? inner.unwrap() : undefined
  ) {
    // Our own fields put it there, and nobody else.
    const code = (z.globalRegistry.get(inner) as { code?: ErrorCode } | undefined)?.code
    if (code !== undefined) return code
  }
  return 'INVALID_VALUE'
}
