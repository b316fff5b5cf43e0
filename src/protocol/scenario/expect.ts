/** What an `expect` step can check. */
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
      .describe('Balance of an account in a `currency`: `available`, `blocked`, `pending`, or how they have `changed`'),
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
