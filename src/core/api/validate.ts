/** Holds a body or query against its schema: required fields first, then each field in turn, each with its own error code. */
import * as z from 'zod'
import { JsonNumber } from '../../base/json.js'
import {
  type Currency,
  chainsOf,
  currencyNames,
  isCurrency,
  type Network,
  networksOf,
} from '../../protocol/api/currencies.js'
import { ApiError, type ErrorCode, errorCatalogue } from '../../protocol/api/errors.js'

/** 400 MISSING_REQUIRED_FIELD, else the code of the first wrong field, INVALID_VALUE where it names none. null counts as absent. */
export function validate<Schema extends z.ZodObject>(schema: Schema, input: Record<string, unknown>): z.output<Schema> {
  const present = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
  for (const [field, type] of Object.entries(schema.shape)) {
    if (present[field] !== undefined) continue
    const choices = choicesOf(field, present.currency)
    if (choices.length > 0) throw missing(field, { supported: choices })
    if (!isOptional(type as z.ZodType)) throw missing(field)
  }
  const result = schema.safeParse(numbersAsSuch(schema, present))
  if (result.success) return result.data
  const issues = result.error.issues
  const issue =
    Object.keys(schema.shape).flatMap((field) => issues.find((one) => one.path[0] === field) ?? [])[0] ?? issues[0]
  throw refusal(schema, present, issue)
}

const isOptional = (type: z.ZodType) => type instanceof z.ZodOptional || type.safeParse(undefined).success

const missing = (field: string, more: Record<string, unknown> = {}) =>
  new ApiError('MISSING_REQUIRED_FIELD', { field, ...more }, { message: `${field} is required.` })

/** What a field that only some currencies require may be; nothing where this one does not (decisions 14 and 18). */
function choicesOf(field: string, currency: unknown): readonly Network[] {
  if (!isCurrency(currency)) return []
  const networks = fieldsByCurrency[field]?.(currency) ?? []
  return field === 'network' && networks.length === 1 ? [] : networks
}

const fieldsByCurrency: Record<string, (currency: Currency) => readonly Network[]> = {
  chain: (currency) => chainsOf[currency],
  network: networksOf,
}

/** A number that keeps its text is an object to zod: where one is wanted, it gets the plain number, and refuses it. */
function numbersAsSuch(type: unknown, value: unknown): unknown {
  if (type instanceof z.ZodOptional) return numbersAsSuch(type.unwrap(), value)
  if (type instanceof z.ZodArray && Array.isArray(value)) return value.map((item) => numbersAsSuch(type.element, item))
  if (!(type instanceof z.ZodObject) || value === null || typeof value !== 'object' || Array.isArray(value))
    return value
  if (value instanceof JsonNumber) return Number(value.text)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, numbersAsSuch(type.shape[key], item)]))
}

function refusal(schema: z.ZodObject, input: Record<string, unknown>, issue: z.core.$ZodIssue | undefined): ApiError {
  const field = issue?.path.join('.') ?? ''
  const rule = issue?.message ?? 'is invalid'
  if (issue?.code === 'invalid_type' && issue.path.length > 1 && valueAt(input, issue.path) === undefined)
    return missing(field)
  const code = codeOf(schema.shape[String(issue?.path[0])] as z.ZodType | undefined)
  if (code === 'INVALID_CURRENCY') return new ApiError(code, { field, supported: currencyNames })
  if (code === 'UNSUPPORTED_CHAIN')
    return new ApiError(code, { field, supported: isCurrency(input.currency) ? chainsOf[input.currency] : [] })
  const message = code === 'INVALID_VALUE' ? `${field} ${rule}.` : errorCatalogue[code].message
  return new ApiError(code, { field, rule }, { message })
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      value !== null && typeof value === 'object' ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  )
}

/** The code that a field's schema bears, inside or outside its `.optional()`. */
function codeOf(type: z.ZodType | undefined): ErrorCode {
  for (
    let inner: unknown = type;
    inner instanceof z.ZodType;
    inner = inner instanceof z.ZodOptional ? inner.unwrap() : undefined
  ) {
    const code = (z.globalRegistry.get(inner) as { code?: ErrorCode } | undefined)?.code
    if (code !== undefined) return code
  }
  return 'INVALID_VALUE'
}
