/** The steps of a scenario, each with its schema: every action of the state table, and what else a scenario can do. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import * as z from 'zod'
import { parseDuration } from '../../base/duration.js'
import { currencyNames } from '../api/currencies.js'
import { eventNames } from '../api/events.js'
import { bool, choice, looseAmount, text } from '../api/fields.js'
import * as requests from '../api/requests.js'
import { objectKinds, transitions } from '../api/transitions.js'
import { type ActionName, actionNames, actionTable } from '../control/actions.js'
import { isScalar, type ParamValue } from './params.js'

type Names = [string, ...string[]]
/** A name that `${…}` can bear. */
export const identifier = () =>
  z.string('must be a string').regex(/^[A-Za-z][A-Za-z0-9_]{0,49}$/, 'must be a name of letters, digits and _')

/** A span of time in milliseconds, from seconds or a text such as `10m`. */
const span = () =>
  z
    .custom<string | number>(
      (value) => (typeof value === 'number' || typeof value === 'string') && parseDuration(value) !== null,
      'must be a number of seconds or a text such as 500ms, 90s, 10m, 2h, 7d',
    )
    .transform((value) => parseDuration(value) ?? 0)
    .meta({ type: ['number', 'string'], examples: ['2s', '10m', '7d'] })

/** What a field must be (contract §4): equal, compared, one of a list, or absent (null). */
export type Condition = ParamValue | null | readonly ParamValue[]

const condition = () =>
  z
    .custom<Condition>(
      (value) => value === null || isScalar(value) || (Array.isArray(value) && value.every(isScalar)),
      'must be a value, a comparison such as ">= 10", or a list',
    )
    .meta({ type: ['string', 'number', 'boolean', 'null', 'array'], items: { type: ['string', 'number', 'boolean'] } })
export const conditions = () => z.record(z.string(), condition(), 'must be fields with their conditions')

const id = () => z.union([text(), z.number()], 'must be an id, or ${name}').optional()
const as = () => identifier().optional().describe('The name that ${…} knows the object by from here on.')

/** What the API takes, with amounts as people write them; a cash-out's `external_id` is made up where it is absent. */
const body = (schema: z.ZodObject) => {
  const { amount, external_id, split, ...shape } = schema.shape
  return z
    .strictObject({
      ...shape,
      ...(amount === undefined ? {} : { amount: looseAmount() }),
      ...(external_id === undefined ? {} : { external_id: text().optional() }),
      ...(split === undefined ? {} : { split: z.array(z.looseObject({ username: text() })).optional() }),
    })
    .optional()
}

export const creatable = {
  cashin: requests.cashin,
  cashout: requests.cashout,
  wallet: requests.wallet,
  transfer: requests.transfer,
  conversion: requests.conversion,
} as const
export type Creatable = keyof typeof creatable
export const creatableKinds = Object.keys(creatable) as Creatable[]

const create = z.strictObject({
  cashin: body(requests.cashin),
  cashout: body(requests.cashout),
  wallet: body(requests.wallet),
  transfer: body(requests.transfer),
  conversion: body(requests.conversion),
  as: as(),
  account: text().optional().describe('Whose; the account of the run where absent.'),
})

const statuses = [...new Set(transitions.map((row) => row.to))] as unknown as Names

const money = () => condition().optional()
const balance = z.strictObject({
  account: text().optional().describe('The account of the run where absent.'),
  currency: choice(currencyNames as Names),
  available: money(),
  blocked: money(),
  pending: money(),
  changed: z
    .strictObject({ available: money(), blocked: money(), pending: money() })
    .optional()
    .describe('By how much it changed since the run began.'),
})

const expect = z.strictObject({
  event: choice(eventNames as unknown as Names).optional(),
  delivered: bool().optional().describe('The receiver must have acknowledged it.'),
  attempts: condition().optional().describe('How often it was sent.'),
  where: conditions().optional().describe('What the payload of the event must say.'),
  status: choice(statuses).optional(),
  balance: balance.optional(),
  answer: z
    .union(
      [z.literal('lost'), z.strictObject({ status: condition().optional(), code: condition().optional() })],
      'must be `lost`, or status and code',
    )
    .optional()
    .describe('What the last create, or the caught call, was answered with.'),
  id: id().describe('The object that it is about; the run’s own where absent.'),
  object: choice(objectKinds).optional().describe('Which kind of the run’s objects it is about.'),
  within: span().optional().describe('How long it may take on the sandbox’s clock; 10s where absent.'),
})

const respond = z.strictObject({
  status: z
    .int('must be a whole number')
    .min(400, 'must be from 400 to 599')
    .max(599, 'must be from 400 to 599')
    .optional(),
  code: text(80).optional().describe('A code of the error table, or any other text.'),
  message: text(500).optional(),
  details: z.record(z.string(), z.unknown()).optional(),
})

const treatmentSchema = z.strictObject({
  duplicate: z.int('must be a whole number').min(2, 'must be from 2 to 20').max(20, 'must be from 2 to 20').optional(),
  delay: span().optional(),
  reorder: bool().optional(),
  tamper: choice(['signature', 'body', 'timestamp']).optional(),
  before_response: bool().optional(),
})

/** How events are delivered; `delay` in milliseconds. */
export type Treatment = z.output<typeof treatmentSchema>

type ActionSteps = { [Name in ActionName]: z.ZodObject }
const actionSteps = Object.fromEntries(
  actionNames.map((name) => [name, (actionTable[name].params as z.ZodObject).extend({ id: id(), as: as() })]),
) as unknown as ActionSteps

export const stepSchemas = {
  ...actionSteps,
  create,
  wait: span(),
  expect,
  respond,
  latency: span(),
  disconnect: choice(['before', 'after']),
  webhooks: treatmentSchema,
}

export type StepName = keyof typeof stepSchemas
export const stepNames = Object.keys(stepSchemas) as StepName[]

export const stepTitles: Record<StepName, string> = {
  ...(Object.fromEntries(actionNames.map((name) => [name, actionTable[name].title])) as Record<ActionName, string>),
  create: 'The scenario makes an object itself, through the same code as the API',
  wait: 'Time passes on the sandbox’s clock',
  expect: 'The run fails where this does not hold',
  respond: 'Answers the caught call with this error instead of doing it',
  latency: 'Delays the answer of the caught call, in real time',
  disconnect: 'Drops the connection before, or after, the work of the caught call was done',
  webhooks: 'How the events of the run’s objects are delivered',
}

/** The steps that act on the call which starts the scenario, or on the next `create`. */
export const callFaults: readonly StepName[] = ['respond', 'latency', 'disconnect']
