/**
 * The type of a route of the control API, from which validation, types and documentation follow, and what the rows are built of:
 * pages of lists, moments, ids.
 */
import * as z from 'zod'
import { parseDuration } from '../../base/duration.js'
import { parseMoment } from '../../base/iso.js'
import { JsonNumber } from '../../base/json.js'
import { actionNames } from '../actions/actions.js'
import { currencyNames } from '../platform/currencies.js'
import type { ErrorCode } from '../platform/errors.js'
import { eventNames } from '../platform/events.js'
import { choice, decimal, integerInQuery, onFirstUse } from '../platform/fields.js'
import { controlDefaults } from '../platform/limits.js'

export interface ToolOfRoute {
  name: string
  description: string
  /** Arguments that show how the tool is called. */
  example: Readonly<Record<string, unknown>>
  /** Whether the tool is listed unless others are selected. */
  isDefault?: true
}

/** Schemas are functions, so that unused ones cost nothing at start. */
export interface ControlRow {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/_sandbox`, with parameters in braces: `/accounts/{username}`. */
  path: string
  summary: string
  /** Restricts parameters of the path (default: any text). */
  params?: () => z.ZodObject
  /** Query parameters (default: none). */
  query?: () => z.ZodObject
  /** A JSON object (default: none, or an empty one). */
  body?: () => z.ZodType
  /** Media types of a body that the handler reads itself. */
  rawBodyTypes?: readonly string[] | 'any'
  /** Accepts a body without Content-Type too, because files are often sent so. */
  acceptsNoMediaType?: true
  /** JSON with this status (default: 200). Without it and without `mediaType`: 204 and no body. */
  answer?: () => z.ZodType
  /** The media type of an answer that is not JSON. */
  mediaType?: string
  /** Media types in which the same answer is available as text. */
  alsoMedia?: readonly string[]
  /** The handler streams its JSON. */
  streamed?: true
  /** Further success statuses, each with its meaning. */
  otherStatuses?: Readonly<Record<string, string>>
  /** The body of those answers, if they have one. */
  otherResponse?: () => z.ZodType
  /** Error codes beyond those of every route. */
  errors?: readonly ErrorCode[]
  tool?: ToolOfRoute
  /** A request body for the documentation. It may need an existing object. */
  example?: Readonly<Record<string, unknown>>
}

type CallOf<Call> = Call extends `${infer Method} ${infer Path}` ? { method: Method; path: Path } : never

/** Makes the row of a route from its method and path, such as `GET /clock`, and the rest. */
export function route<
  const Call extends `${ControlRow['method']} /${string}`,
  const Rest extends Omit<ControlRow, 'method' | 'path'>,
>(call: Call, rest: Rest): CallOf<Call> & Rest {
  const [method, path] = call.split(' ')
  // `split` does not keep the types of the parts.
  return { method, path, ...rest } as CallOf<Call> & Rest
}

/** Built on first use and then cached. `id` names the schema in references. */
export const model = <Schema extends z.ZodType>(id: string, make: () => Schema): (() => Schema) =>
  onFirstUse(() => make().meta({ id }) as Schema)

type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never
type OutputOf<Row, Part extends keyof ControlRow, Else> =
  Row extends Record<Part, () => infer Schema extends z.ZodType> ? z.output<Schema> : Else

export type ParamsOf<Row extends ControlRow> = Record<PathParameters<Row['path']>, string>
export type QueryOf<Row extends ControlRow> = OutputOf<Row, 'query', Record<never, never>>
export type BodyOf<Row extends ControlRow> = OutputOf<Row, 'body', Record<never, never>>
/** null stands for 204. */
export type AnswerOf<Row extends ControlRow> = OutputOf<Row, 'answer', null>

/** Adds `limit` and `after` to the filters of a list. */
export const pageOf = <Filters extends z.core.$ZodShape>(filters: Filters) =>
  z.strictObject({
    ...filters,
    limit: integerInQuery(1, 500).optional().describe(`Largest number of rows (default: ${controlDefaults.rows})`),
    after: pageCursor().describe('The value of `next` from an earlier page'),
  })

/** The number of the last row of an earlier page. */
export const pageCursor = () =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be the value of `next` from an earlier page')
    .optional()

/** `limit` and `after` of a list of names; such lists are short, so the default is one page. */
export const pageByNameQuery = () =>
  z.strictObject({
    limit: integerInQuery(1, 500).optional().describe('Largest number of rows (default: all)'),
    after: filterText().describe('The value of `next` from an earlier page'),
  })

/** `next` is null on the last page. */
export const listOf = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({ data: z.array(row), next: z.string().nullable() })

export const currency = model('Currency', () => z.enum(currencyNames))
export const eventName = model('EventName', () => z.enum(eventNames))
export const actionName = model('ActionName', () => z.enum(actionNames))

export const currencyChoice = () => choice(currencyNames)
export const currencyField = () => choice(currencyNames, 'INVALID_CURRENCY')

export const balance = model('Balance', () =>
  z.strictObject({ available: decimal(), blocked: decimal(), pending: decimal() }),
)

/** A filter: any text that is not empty. */
export const filterText = () => z.string('must be a string').min(1, 'must not be empty').optional()

const isTextOrNumber = (value: unknown) =>
  value instanceof JsonNumber || typeof value === 'number' || typeof value === 'string'
const asText = (value: unknown) => (value instanceof JsonNumber ? value.text : String(value))

/** The id of an object, or its `external_id`. Wallets have numbers. */
export const objectId = () =>
  z
    .custom<JsonNumber | number | string>(
      (value) => isTextOrNumber(value) && asText(value) !== '',
      'must be an id: a non-empty string',
    )
    .transform(asText)
    .meta({ type: ['string', 'number'], description: 'Id of the object, or an external_id that only one object has' })

/** A duration in seconds, or text such as `10m`; parsed to milliseconds. */
export const durationMs = (maxMs = Number.POSITIVE_INFINITY, max = '') =>
  z
    .custom<JsonNumber | number | string>(
      (value) => isTextOrNumber(value) && parseDuration(asText(value)) !== null,
      'must be a number of seconds or a string such as 500ms, 90s, 10m, 2h, 7d',
    )
    .transform((value) => parseDuration(asText(value)) ?? 0)
    .refine((ms) => ms <= maxMs, `must be at most ${max}`)
    .meta({ type: ['number', 'string'], examples: ['10m'] })

/** After the year 9000, ISO dates and PIX ids no longer fit their formats. */
export const latestMs = Date.UTC(9000, 0, 1)

/** ISO 8601 with an offset; parsed to epoch milliseconds. */
export const momentMs = () =>
  z
    .custom<string>(
      (value) => typeof value === 'string' && parseMoment(value) !== null,
      'must be ISO 8601 with an offset, such as 2026-11-21T12:00:00Z',
    )
    .transform((value) => parseMoment(value) ?? 0)
    .refine((ms) => ms <= latestMs, 'must be before the year 9000')
    .meta({ type: 'string', format: 'date-time' })
