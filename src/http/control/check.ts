/** Holds what callers of the control API send against the schema of its row: every field known, every value checked, guesses offered. */
import * as z from 'zod'
import { nearest } from '../../base/nearest.js'
import { ApiError, type ErrorCode } from '../../protocol/api/errors.js'

type Issue = z.core.$ZodIssue
type Fields = Record<string, unknown>

/** What the names of an input are called in refusals. */
export type Kind = 'field' | 'parameter'

/** 400 MISSING_REQUIRED_FIELD, else 422 INVALID_VALUE (or the field's own code) with field and rule; names that nobody knows come last. */
export function check<Schema extends z.ZodType>(schema: Schema, input: Fields, kind: Kind): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const { issues } = result.error
  const variant = variantOf(schema, input)
  const issue =
    issues.find((one) => isMissing(variant, input, one)) ??
    issues.find((one) => one.code !== 'unrecognized_keys') ??
    issues[0]
  throw issue === undefined ? invalid('', 'is invalid') : refusal(variant, input, issue, kind)
}

/** A rule about several fields names none that there is. */
const isMissing = (schema: z.ZodType, input: Fields, { code, path }: Issue) =>
  code !== 'unrecognized_keys' && valueAt(input, path) === undefined && typeAt(schema, path) !== undefined

function refusal(schema: z.ZodType, input: Fields, issue: Issue, kind: Kind): ApiError {
  if (issue.code === 'unrecognized_keys') return unknownName(schema, issue.path, issue.keys[0] ?? '', kind)
  const field = issue.path.join('.')
  const value = valueAt(input, issue.path)
  if (isMissing(schema, input, issue))
    return new ApiError('MISSING_REQUIRED_FIELD', { field }, { message: `${field} is required.` })
  const names = namesOf(issue)
  const { code, listed = 'supported' } = metaOf(typeAt(schema, issue.path))
  if (names === null) return invalid(field, issue.message, {}, code)
  const guess = typeof value === 'string' ? nearest(value, names) : null
  const rule = `must be one of ${names.join(', ')}${guess === null ? '' : `; did you mean ${guess}?`}`
  return invalid(field, rule, { [listed]: names, ...(guess === null ? {} : { did_you_mean: guess }) }, code)
}

/** What the value might have been, where it had to be one of some. */
function namesOf(issue: Issue): readonly string[] | null {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  const { options } = issue as { options?: unknown }
  return issue.code === 'invalid_union' && Array.isArray(options) ? options.map(String) : null
}

function unknownName(schema: z.ZodType, path: readonly PropertyKey[], name: string, kind: Kind): ApiError {
  const type = bare(typeAt(schema, path))
  const known = type instanceof z.ZodObject ? Object.keys(type.shape) : []
  const { unknownCode } = metaOf(type)
  const field = [...path, name].join('.')
  if (unknownCode !== undefined) return new ApiError(unknownCode, { field, supported: known })
  const guess = nearest(name, known)
  return invalid(field, `is no ${kind} here${guess === null ? '' : `; did you mean ${guess}?`}`, {
    [`${kind}s`]: known,
  })
}

export function invalid(field: string, rule: string, more: Fields = {}, code: ErrorCode = 'INVALID_VALUE'): ApiError {
  return new ApiError(code, { field, rule, ...more }, { message: `${field} ${rule}.` })
}

interface Meta {
  /** What a wrong value earns. */
  code?: ErrorCode
  /** What a name that the object does not have earns. */
  unknownCode?: ErrorCode
  /** What `details` calls the values that there are. */
  listed?: string
}

function metaOf(type: z.ZodType | undefined): Meta {
  for (let inner = type; inner !== undefined; inner = unwrapped(inner)) {
    const meta = z.globalRegistry.get(inner) as Meta | undefined
    if (meta?.code !== undefined || meta?.unknownCode !== undefined || meta?.listed !== undefined) return meta
  }
  return {}
}

const unwrapped = (type: z.ZodType): z.ZodType | undefined =>
  type instanceof z.ZodOptional || type instanceof z.ZodNullable ? (type.unwrap() as z.ZodType) : undefined

/** Of schemas told apart by one field, the one that the input names. */
function variantOf(schema: z.ZodType, input: Fields): z.ZodType {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema
  const name = schema.def.discriminator
  const options = schema.options as z.ZodObject[]
  return options.find(({ shape }) => (shape[name] as z.ZodType).safeParse(input[name]).success) ?? options[0] ?? schema
}

const bare = (type: z.ZodType | undefined): z.ZodType | undefined => {
  const inner = type === undefined ? undefined : unwrapped(type)
  return inner === undefined ? type : bare(inner)
}

function typeAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let type: z.ZodType | undefined = schema
  for (const key of path) {
    const outer = bare(type)
    if (outer instanceof z.ZodObject) type = outer.shape[String(key)] as z.ZodType | undefined
    else if (outer instanceof z.ZodArray) type = outer.element as z.ZodType
    else return undefined
  }
  return type
}

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      value !== null && typeof value === 'object' ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  )
