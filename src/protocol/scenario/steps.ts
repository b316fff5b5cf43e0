/**
 * The steps of a scenario as a table. Validation, the published schema, the documentation and the type of each runner
 * follow from the rows.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import * as z from 'zod'
import { isKeyOf, keysOf, tableOf } from '../../base/keys.js'
import { type ActionName, actionNames, actionTable, paramsOf } from '../actions/actions.js'
import { creationParams } from '../actions/creation-steps.js'
import { currencyNames } from '../platform/currencies.js'
import { eventNames } from '../platform/events.js'
import { bool, choice, text } from '../platform/fields.js'
import { minutes, reorderHoldMs } from '../platform/limits.js'
import { objectKinds, transitions } from '../platform/transitions.js'
import { chaosFaults } from '../settings/chaos.js'
import { as, condition, conditions, createSchema, id, span } from './values.js'

const statuses = [...new Set(transitions.map((row) => row.to))]
const money = () => condition().optional()

const balance = () =>
  z.strictObject({
    account: text().optional().describe('Account to check (default: the account of the run)'),
    currency: choice(currencyNames),
    available: money(),
    blocked: money(),
    pending: money(),
    changed: z
      .strictObject({ available: money(), blocked: money(), pending: money() })
      .optional()
      .describe('Change of each amount since the run started'),
  })

const answer = () =>
  z.union(
    [z.literal('lost'), z.strictObject({ status: condition().optional(), code: condition().optional() })],
    'must be `lost`, or status and code',
  )

/** A step names exactly one of these. */
export const expectations = ['event', 'status', 'balance', 'answer'] as const
/** These apply only to an event. */
export const aboutEvents = ['delivered', 'attempts', 'where'] as const

export const expectSchema = () =>
  z.strictObject({
    event: choice(eventNames).optional().describe('An object of the run caused this event'),
    status: choice(statuses).optional().describe('Status of the object of the last step'),
    balance: balance()
      .optional()
      .describe(
        'Balance of an account in a `currency`: `available`, `blocked`, `pending`, or how these have `changed` since the run began',
      ),
    answer: answer()
      .optional()
      .describe('Response to the last `create` or to the matched call: `status` and `code`, or `lost`'),
    delivered: bool().optional().describe('For an event: the receiver has acknowledged it'),
    attempts: condition().optional().describe('For an event: number of delivery attempts'),
    where: conditions().optional().describe('For an event: conditions on the `data` of its payload'),
    id: id('The object to check, by its id or `${name}`'),
    object: choice(objectKinds).optional().describe('The kind of object to check'),
    within: span().optional().describe('Longest wait on the sandbox’s clock (default: `10s`)'),
  })

interface StepRow {
  title: string
  /** Sample values, for editors and tests. */
  examples: readonly unknown[]
  /** Whether the step applies to the intercepted call, or to the next `create`. */
  isFault?: true
  schema: () => z.ZodType
}

const respondSchema = () =>
  z.strictObject({
    status: z
      .int('must be a whole number')
      .min(400, 'must be from 400 to 599')
      .max(599, 'must be from 400 to 599')
      .optional()
      .describe('HTTP status from 400 to 599 (default: the status of the code)'),
    code: text(80).optional().describe('A code of the error table, or any other text'),
    message: text(500).optional(),
    details: z.record(z.string(), z.unknown()).optional(),
  })

const webhooksSchema = () =>
  z.strictObject({
    duplicate: z
      .int('must be a whole number')
      .min(2, 'must be from 2 to 20')
      .max(20, 'must be from 2 to 20')
      .optional()
      .describe('Each event is sent until the receiver has acknowledged it this many times: same id, same body'),
    delay: span().optional().describe('Delay of the first attempt'),
    reorder: bool()
      .optional()
      .describe(
        `Events are sent in pairs, the later one first; an event without a successor waits ${minutes(reorderHoldMs)}`,
      ),
    tamper: choice(['signature', 'body', 'timestamp'])
      .optional()
      .describe(
        '`signature`: a wrong signature. `body`: a body changed after signing. `timestamp`: an hour old. Every attempt is changed, but not a redelivery that you request',
      ),
    before_response: bool().optional().describe('The response to the matched call waits until the due events are sent'),
  })

/** Delivery faults, and the scenario that sets them; `delay` in milliseconds. */
export type DeliveryFaults = z.output<ReturnType<typeof webhooksSchema>> & { scenario?: string }

/** An action as a step: its parameters, and the run's objects by name. */
interface ActionStep {
  id?: string | number | undefined
  as?: string | undefined
  create?: boolean | undefined
  fields?: Record<string, unknown> | undefined
  [param: string]: unknown
}

const actionRow = (name: ActionName) => ({
  title: actionTable[name].title,
  examples: actionTable[name].examples,
  schema: (): z.ZodType<ActionStep> =>
    paramsOf(name).extend({
      id: id('The object to act on, by its id or `${name}` (default: the object of the run)'),
      as: as(),
      ...creationParams(name),
    }),
})

const actionRows = tableOf(actionNames, actionRow)

export const stepTable = {
  ...actionRows,
  create: {
    title: 'Creates an object through the same code as the API',
    examples: [
      { cashin: { amount: 25.5, currency: 'BRL' }, as: 'charge' },
      { cashout: { amount: 10, currency: 'BRL', key: 'ana@example.com' }, as: 'payout' },
      { wallet: { currency: 'USDT', chain: 'tron' }, as: 'wallet' },
      { transfer: { username: 'customer', amount: 30, currency: 'BRL' } },
      { conversion: { amount: 100, base_currency: 'BRL', destination_currency: 'USDT' } },
    ],
    schema: createSchema,
  },
  wait: { title: 'Time passes on the sandbox’s clock', examples: ['2s', '10m', '7d'], schema: () => span() },
  expect: {
    title: 'The run fails if this does not become true in time',
    examples: [
      { event: 'cashin.confirmed', within: '1s' },
      { event: 'cashin.confirmed', delivered: true, where: { amount: '>= 10' } },
      { status: 'confirmed' },
      { balance: { currency: 'BRL', changed: { available: 24.75 } } },
      { answer: { status: 409, code: 'BELOW_MIN_LIMIT' } },
      { answer: 'lost' },
    ],
    schema: expectSchema,
  },
  respond: {
    title: 'Responds to the matched call with this error instead of executing it',
    examples: [{ status: 502, code: 'PROVIDER_ERROR' }],
    isFault: true,
    schema: respondSchema,
  },
  latency: {
    title: `Executes the matched call and delays its response by up to ${minutes(chaosFaults.slow.longestMs)} of real time`,
    examples: ['3s'],
    isFault: true,
    schema: () => span(chaosFaults.slow.longestMs),
  },
  disconnect: {
    title: 'Closes the connection of the matched call: before it is executed, or afterwards instead of responding',
    examples: ['before', 'after'],
    isFault: true,
    schema: () => choice(['before', 'after']),
  },
  webhooks: {
    title: 'Changes how later events of the run’s objects are delivered; {} ends it',
    examples: [{ duplicate: 2 }, { delay: '5s' }, { reorder: true }, { tamper: 'body' }, {}],
    schema: webhooksSchema,
  },
} as const satisfies Record<string, StepRow>

export type StepName = keyof typeof stepTable
export const stepNames = keysOf(stepTable)
/** The validated value of a step, with `${…}` filled in. */
export type StepValue<Name extends StepName> = z.output<ReturnType<(typeof stepTable)[Name]['schema']>>

export type FaultName = {
  [Name in StepName]: (typeof stepTable)[Name] extends { isFault: true } ? Name : never
}[StepName]
export const isFault = (name: string): name is FaultName => isKeyOf(stepTable, name) && 'isFault' in stepTable[name]
export const isAction = (name: string): name is ActionName => isKeyOf(actionTable, name)

const schemaCache = new Map<StepName, z.ZodType>()

/** Built on first use, so that it costs nothing at start. */
export function anySchemaOf(name: StepName): z.ZodType {
  const schema: z.ZodType = schemaCache.get(name) ?? stepTable[name].schema()
  schemaCache.set(name, schema)
  return schema
}

export function schemaOf<Name extends StepName>(name: Name): z.ZodType<StepValue<Name>> {
  // Stored under the name of its row, so the type matches.
  return anySchemaOf(name) as z.ZodType<StepValue<Name>>
}
