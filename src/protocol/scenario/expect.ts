/** What the step `expect` can look at. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import * as z from 'zod'
import { currencyNames } from '../platform/currencies.js'
import { eventNames } from '../platform/events.js'
import { bool, choice, text } from '../platform/fields.js'
import { objectKinds, transitions } from '../platform/transitions.js'
import { condition, conditions, id, span } from './fields.js'

const statuses = [...new Set(transitions.map((row) => row.to))]
const money = () => condition().optional()

const balance = () =>
  z.strictObject({
    account: text().optional().describe('That of the run where absent'),
    currency: choice(currencyNames),
    available: money(),
    blocked: money(),
    pending: money(),
    changed: z
      .strictObject({ available: money(), blocked: money(), pending: money() })
      .optional()
      .describe('By how much each has changed since the run began'),
  })

const answer = () =>
  z.union(
    [z.literal('lost'), z.strictObject({ status: condition().optional(), code: condition().optional() })],
    'must be `lost`, or status and code',
  )

/** Of these a step names exactly one. */
export const expectations = ['event', 'status', 'balance', 'answer'] as const
/** These go with an event. */
export const aboutEvents = ['delivered', 'attempts', 'where'] as const

export const expectSchema = () =>
  z.strictObject({
    event: choice(eventNames).optional().describe('One of the run’s objects has brought this event about'),
    status: choice(statuses).optional().describe('The object that the last step was about has this status'),
    balance: balance()
      .optional()
      .describe('What an account has of a `currency`: `available`, `blocked`, `pending`, or how they have `changed`'),
    answer: answer()
      .optional()
      .describe('What the last `create`, or the caught call, was answered with: `status` and `code`, or `lost`'),
    delivered: bool().optional().describe('Of an event: its receiver has acknowledged it'),
    attempts: condition().optional().describe('Of an event: how often it was sent'),
    where: conditions().optional().describe('Of an event: what the `data` of its payload must say'),
    id: id('The object that is meant, by its id or `${name}`'),
    object: choice(objectKinds).optional().describe('Which kind of the run’s objects is meant'),
    within: span().optional().describe('How long it may take on the sandbox’s clock; `10s` where absent'),
  })
