/** Control routes of the actions: list them, perform one. */
import * as z from 'zod'
import { type ActionName, actionNames, actionTable, paramsOf } from '../actions/actions.js'
import { type CreationStepName, creationParams, creationStepNames } from '../actions/creation-steps.js'
import { amountErrors, limitErrors } from '../platform/endpoints/row.js'
import type { EventName } from '../platform/events.js'
import { objectKinds } from '../platform/transitions.js'
import { cashin, cashout, conversion, dispute } from './objects.js'
import { actionName, eventName, filterText, listOf, model, objectId, pageByNameQuery, route } from './route.js'

const schemas = { cashin, cashout, conversion, dispute } as const
type Schemas = typeof schemas
type ResultOf<Name extends ActionName> = z.output<ReturnType<Schemas[(typeof actionTable)[Name]['result']]>>

export type Triggered = {
  [Name in ActionName]: {
    action: Name
    object: ResultOf<Name>
    events: { id: string; event: EventName }[]
    created?: { action: CreationStepName; id: string }[]
  }
}[ActionName]

type Variants = [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]]

const triggerRequest = model('TriggerRequest', () => {
  const variants = actionNames.map((name) =>
    // Required parameters have defaults with `create`; without it, the action requires them when it runs.
    paramsOf(name)
      .partial()
      .extend({
        action: z.literal(name).meta({ allowedValuesKey: 'actions' }),
        id: objectId()
          .optional()
          .describe('Id or external_id of the object (default: the newest object that allows the action)'),
        account: filterText().describe(
          'Username of the account that owns the object; not with id (default: any account; with create: the first account)',
        ),
        ...creationParams(name),
      }),
  )
  // TypeScript loses that there is at least one variant.
  return z.discriminatedUnion('action', variants as unknown as Variants)
})

const triggered = model('Triggered', () => {
  const events = z.array(z.strictObject({ id: z.string(), event: eventName() }))
  const variants = actionNames.map((name) =>
    z.strictObject({
      action: z.literal(name),
      object: schemas[actionTable[name].result]().describe('The object after the action'),
      events,
      created: z
        .array(z.strictObject({ action: z.enum(creationStepNames), id: z.string() }))
        .optional()
        .describe('With create: the actions before, `cashin.create` first'),
    }),
  )
  // TypeScript loses which action has which result.
  return z.discriminatedUnion('action', variants as unknown as Variants) as unknown as z.ZodType<Triggered>
})

const action = () =>
  z.strictObject({
    name: actionName(),
    subject: z.enum(objectKinds),
    title: z.string(),
    params: z.record(z.string(), z.unknown()).describe('JSON Schema of its parameters'),
  })

/** With `create`, an object is created by the platform API's own code, with the same errors. */
const objectErrors = [
  ...amountErrors,
  ...limitErrors,
  'UNSUPPORTED_CHAIN',
  'INVALID_POSTBACK_URL',
  'INVALID_SPLIT_CONFIG',
  'INSUFFICIENT_BALANCE',
  'SELF_TRANSFER_BLOCKED',
  'CREDENTIAL_INACTIVE',
] as const

export const triggerRoutes = {
  listActions: route('GET /actions', {
    summary: 'Every action with its parameters',
    query: pageByNameQuery,
    answer: () => listOf(action()),
  }),
  trigger: route('POST /trigger', {
    errors: objectErrors,
    summary: 'Trigger an action',
    // The variant of each action validates its parameters, here and again when it runs.
    body: triggerRequest as unknown as () => z.ZodType<
      {
        action: ActionName
        id?: string | undefined
        account?: string | undefined
        create?: boolean | undefined
        fields?: Record<string, unknown> | undefined
      } & Record<string, unknown>
    >,
    answer: triggered,
    example: { action: 'cashin.pay' },
  }),
} as const
