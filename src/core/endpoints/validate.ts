/** Runs a call of the platform API for any kind of caller: validates its fields against the schema of the endpoint, then runs the handler. */

import * as z from 'zod'
import { JsonNumber } from '../../base/json.js'
import { isJsonObject } from '../../base/unknown.js'
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
import type { Creatable } from '../../protocol/scenario/values.js'
import type { ObjectRef } from '../../store/columns.js'
import type { Caller } from '../auth/authenticate.js'
import { cashin } from '../operations/cashin.js'
import { cashout, pixPayment } from '../operations/cashout.js'
import { conversion, rate, simulate } from '../operations/conversion.js'
import type { Call, Handler, UploadedFile } from '../operations/transactions.js'
import { transfer } from '../operations/transfer.js'
import { wallet } from '../operations/wallet.js'
import type { Unit } from '../unit/unit.js'
import * as account from './account.js'

/** The handlers of all endpoints with a bearer token; a missing one is a type error. */
const handlers: { [Name in Exclude<EndpointName, 'token'>]: Handler<Name> } = {
  ...account,
  ...{ cashin, cashout, pixPayment, wallet, transfer, rate, simulate, conversion },
}

export type Fields = Record<string, unknown>
type BearerEndpoint = Exclude<EndpointName, 'token'>

/**
 * Validates `fields`, which are parsed JSON, and returns a function that does the work and returns `data`. Both throw
 * `ApiError`.
 */
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
      `The account ${account.username} has no active credential.`,
    )
  // The table of handlers ensures that each handler takes the output of its own endpoint's schema.
  const handler = handlers[name] as unknown as (call: Call, request: Fields) => Fields
  const schema = endpoints[name].request()
  const isLenient = unit.config.unknownFilters === 'ignore' && lists.includes(name)
  const request = validate(schema, isLenient ? withoutUnknownFilters(schema, fields) : fields)
  return () => handler({ unit, caller: { account, credential }, files }, request)
}

const lists: readonly BearerEndpoint[] = ['transactionList', 'infractionList']
const filters = ['type', 'status', 'source', 'currency']

/** For the setting `unknown_filters: ignore`. */
const withoutUnknownFilters = ({ shape }: z.ZodObject, fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      // The values of a shape are zod types.
      ([name, value]) => !filters.includes(name) || (shape[name] as z.ZodType | undefined)?.safeParse(value).success,
    ),
  )

const idFields = {
  cashin: 'transaction_id',
  cashout: 'transaction_id',
  transfer: 'transaction_id',
  wallet: 'wallet_id',
  conversion: 'conversion_id',
} as const

export const objectRefOf = (kind: Creatable, data: Fields): ObjectRef => ({ kind, id: String(data[idFields[kind]]) })

/**
 * Validates the fields. Throws 400 MISSING_REQUIRED_FIELD for a field that is missing at any depth, else the code of
 * the first invalid field (default: INVALID_VALUE). Null counts as missing, also at any depth (assumptions.md decision
 * 34).
 */
export function validate<Schema extends z.ZodObject>(schema: Schema, input: Fields): z.output<Schema> {
  const plan = planOf(schema)
  const isWhole = plan !== null && isComplete(plan, input)
  const present = withoutIgnored(schema, isWhole ? input : (withoutNulls(plan, input) as Fields))
  const missingField =
    (isWhole ? undefined : findMissingField(plan, present, [])) ?? findMissingNetwork(schema, present)
  if (missingField !== undefined) throw missingFieldError(missingField)
  const result = schema.safeParse(present)
  if (result.success) return result.data
  const issues = result.error.issues
  const issue =
    Object.keys(schema.shape).flatMap((field) => issues.find((one) => one.path[0] === field) ?? [])[0] ?? issues[0]
  throw invalidFieldError(schema, present, issue)
}

/** Removes the fields that do not apply to this currency. */
function withoutIgnored(schema: z.ZodObject, present: Fields): Fields {
  if (present.key_type === undefined || schema.shape.key_type === undefined) return present
  const { key_type: _ignored, ...others } = present
  return isCurrency(present.currency) && !railOf(present.currency).hasKeyTypes ? others : present
}

const plans = new WeakMap<z.ZodType, SchemaPlan | null>()

export function planOf(type: z.ZodType): SchemaPlan | null {
  let plan = plans.get(type)
  if (plan === undefined) {
    plan = makePlan(type)
    plans.set(type, plan)
  }
  return plan
}

function makePlan(type: unknown): SchemaPlan | null {
  if (type instanceof z.ZodOptional) return makePlan(type.unwrap())
  if (type instanceof z.ZodArray) return { kind: 'array', element: makePlan(type.element) }
  if (!(type instanceof z.ZodObject)) return null
  const fields = Object.entries(type.shape).map(([name, nested]): [string, Field] => [
    name,
    // The values of an object's shape are zod types.
    { isRequired: !isOptional(nested as z.ZodType), plan: makePlan(nested) },
  ])
  return {
    kind: 'object',
    fields: new Map(fields),
    required: fields.flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])),
    nested: fields.flatMap(([name, { plan }]) => (plan === null ? [] : [[name, plan] as const])),
  }
}

const isOptional = (type: z.ZodType) => type instanceof z.ZodOptional || type.safeParse(undefined).success

/**
 * Whether nothing is null, missing or a number in the place of an object, at any depth. Most calls are complete, and need
 * neither a copy without nulls nor the search for what is missing.
 */
function isComplete(plan: SchemaPlan, value: unknown): boolean {
  if (plan.kind === 'array') {
    const { element } = plan
    return element === null || !Array.isArray(value) || value.every((item) => isComplete(element, item))
  }
  if (value instanceof JsonNumber) return false
  if (!isJsonObject(value)) return true
  for (const key in value) if (value[key] === null) return false
  return (
    plan.required.every((name) => value[name] !== undefined) &&
    plan.nested.every(([name, nested]) => isComplete(nested, value[name]))
  )
}

const missingFieldError = ({ field, supported }: MissingField) =>
  new ApiError(
    'MISSING_REQUIRED_FIELD',
    { field, ...(supported === undefined ? {} : { supported }) },
    `${field} is required.`,
  )

/** Returns a chain or network that this currency requires (assumptions.md decisions 14 and 18). */
function findMissingNetwork(schema: z.ZodObject, present: Fields): MissingField | undefined {
  const { currency } = present
  if (!isCurrency(currency)) return undefined
  for (const [field, namesFor] of Object.entries(fieldsByCurrency)) {
    if (schema.shape[field] === undefined || present[field] !== undefined) continue
    const supported = namesFor(currency)
    const isImplied = field === 'network' && supported.length === 1
    if (supported.length > 0 && !isImplied) return { field, supported }
  }
  return undefined
}

const fieldsByCurrency: Record<string, (currency: Currency) => readonly Network[]> = {
  chain: chainsOf,
  network: networksOf,
}

function invalidFieldError(schema: z.ZodObject, input: Fields, issue: z.core.$ZodIssue | undefined): ApiError {
  const field = issue?.path.join('.') ?? ''
  const rule = issue?.message ?? 'is invalid'
  // Shapes contain zod types. An issue may name no field.
  const code = codeOf(schema.shape[String(issue?.path[0])] as z.ZodType | undefined)
  const choices = issue?.code === 'invalid_value' ? { supported: issue.values } : {}
  if (code === 'INVALID_CURRENCY') return new ApiError(code, { field, supported: currencyNames })
  if (code === 'UNSUPPORTED_CHAIN') {
    // The same list for an unknown name and for one of another currency.
    const supported = isCurrency(input.currency) ? fieldsByCurrency[field]?.(input.currency) : undefined
    return new ApiError(code, { field, supported: supported ?? [] })
  }
  const message = code === 'INVALID_VALUE' ? `${field} ${rule}.` : errorCatalogue[code].message
  return new ApiError(code, { field, rule, ...choices }, message)
}

/** Returns the error code in a field's schema, inside or outside `.optional()`. */
function codeOf(type: z.ZodType | undefined): ErrorCode {
  for (
    let inner: unknown = type;
    inner instanceof z.ZodType;
    inner = inner instanceof z.ZodOptional ? inner.unwrap() : undefined
  ) {
    // Only our own schemas register a `code`.
    const code = (z.globalRegistry.get(inner) as { code?: ErrorCode } | undefined)?.code
    if (code !== undefined) return code
  }
  return 'INVALID_VALUE'
}

/** The facts about a schema that every call needs, computed once: to read them from zod each time took 5 % of a charge. */
export type SchemaPlan =
  | {
      kind: 'object'
      fields: ReadonlyMap<string, Field>
      required: readonly string[]
      /** The fields that are objects or lists. */
      nested: readonly (readonly [name: string, plan: SchemaPlan])[]
    }
  | { kind: 'array'; element: SchemaPlan | null }

export interface Field {
  isRequired: boolean
  /** Null if it is neither an object nor a list. */
  plan: SchemaPlan | null
}

/**
 * Prepares a value for the schema: removes nulls, and replaces a `JsonNumber` by a plain number where an object is
 * expected, because zod takes it for an object.
 */
function withoutNulls(plan: SchemaPlan | null, value: unknown): unknown {
  if (plan === null || value === null || typeof value !== 'object') return value
  if (plan.kind === 'array') return Array.isArray(value) ? value.map((item) => withoutNulls(plan.element, item)) : value
  if (value instanceof JsonNumber) return Number(value.text)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value)
  const items = entries.map(([key, item]) => [key, withoutNulls(plan.fields.get(key)?.plan ?? null, item)] as const)
  // Hardly any call contains a null: most objects are returned unchanged.
  if (items.every(([, item], index) => item !== null && item === entries[index]?.[1])) return value
  return Object.fromEntries(items.filter(([, item]) => item !== null))
}

interface MissingField {
  field: string
  /** Allowed values, if only some currencies require the field. */
  supported?: readonly string[]
}

/** Returns the first missing required field, outer fields first. */
function findMissingField(
  plan: SchemaPlan | null,
  value: unknown,
  path: readonly (string | number)[],
): MissingField | undefined {
  if (plan === null) return undefined
  if (plan.kind === 'array') {
    if (!Array.isArray(value)) return undefined
    return findFirst(value.entries(), ([index, item]) => findMissingField(plan.element, item, [...path, index]))
  }
  if (!isJsonObject(value)) return undefined
  const name = plan.required.find((one) => value[one] === undefined)
  if (name !== undefined) return { field: [...path, name].join('.') }
  return findFirst(plan.nested, ([nestedName, ownPlan]) =>
    findMissingField(ownPlan, value[nestedName], [...path, nestedName]),
  )
}

function findFirst<T, Found>(items: Iterable<T>, look: (item: T) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = look(item)
    if (found !== undefined) return found
  }
  return undefined
}
