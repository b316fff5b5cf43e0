/** What the rows of the control API are built of: pages of lists, moments, ids. */
import * as z from 'zod'
import { parseDuration } from '../../base/duration.js'
import { parseMoment } from '../../base/iso.js'
import { JsonNumber } from '../../base/json.js'
import { actionNames } from '../actions/actions.js'
import { currencyNames } from '../platform/currencies.js'
import { eventNames } from '../platform/events.js'
import { choice, decimal, wholeInQuery } from '../platform/fields.js'
import { model } from './route.js'

/** `limit` and `after` of a list, beside its filters. */
export const pageOf = <Filters extends z.core.$ZodShape>(filters: Filters) =>
  z.strictObject({
    ...filters,
    limit: wholeInQuery(1, 500).optional().describe('At most so many; 50 where absent'),
    after: z
      .string()
      .regex(/^\d{1,15}$/, 'must be the `next` of an earlier page')
      .optional()
      .describe('The `next` of an earlier page'),
  })

/** `limit` and `after` of a list whose rows have names; it is short, and comes whole by default. */
export const namedPage = () =>
  z.strictObject({
    limit: wholeInQuery(1, 500).optional().describe('At most so many (default: all)'),
    after: wanted().describe('The `next` of an earlier page'),
  })

/** `next` is null on the last page. */
export const listOf = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({ data: z.array(row), next: z.string().nullable() })

export const currency = model('Currency', () => z.enum(currencyNames))
export const eventName = model('EventName', () => z.enum(eventNames))
export const actionName = model('ActionName', () => z.enum(actionNames))

/** As a filter. */
export const currencyChoice = () => choice(currencyNames)
/** In what callers send. */
export const currencyField = () => choice(currencyNames, 'INVALID_CURRENCY')

export const balance = model('Balance', () =>
  z.strictObject({ available: decimal(), blocked: decimal(), pending: decimal() }),
)

/** Filters take any text that is not empty. */
export const wanted = () => z.string('must be a string').min(1, 'must not be empty').optional()

const isLoose = (value: unknown) =>
  value instanceof JsonNumber || typeof value === 'number' || typeof value === 'string'
const asText = (value: unknown) => (value instanceof JsonNumber ? value.text : String(value))

/** The id of an object, or its `external_id`; wallets have numbers. */
export const objectId = () =>
  z
    .custom<JsonNumber | number | string>(
      (value) => isLoose(value) && asText(value) !== '',
      'must be an id: a text that is not empty',
    )
    .transform(asText)
    .meta({ type: ['string', 'number'], description: 'Its id, or an external_id that only one object bears' })

/** Seconds, or `10m`, as milliseconds. */
export const durationMs = (maxMs = Number.POSITIVE_INFINITY, max = '') =>
  z
    .custom<JsonNumber | number | string>(
      (value) => isLoose(value) && parseDuration(asText(value)) !== null,
      'must be a number of seconds or a text such as 500ms, 90s, 10m, 2h, 7d',
    )
    .transform((value) => parseDuration(asText(value)) ?? 0)
    .refine((ms) => ms <= maxMs, `must be at most ${max}`)
    .meta({ type: ['number', 'string'], examples: ['10m'] })

/** Beyond the year 9000 ISO dates and PIX ids outgrow their formats. */
export const latestMs = Date.UTC(9000, 0, 1)

/** ISO 8601 with an offset, as epoch milliseconds. */
export const momentMs = () =>
  z
    .custom<string>(
      (value) => typeof value === 'string' && parseMoment(value) !== null,
      'must be ISO 8601 with an offset, such as 2026-11-21T12:00:00Z',
    )
    .transform((value) => parseMoment(value) ?? 0)
    .refine((ms) => ms <= latestMs, 'must lie before the year 9000')
    .meta({ type: 'string', format: 'date-time' })
