/** What an action may be given: its own parameters and the object that it is done to; and what comes of it. A wrong one is a type error. */
import type { ControlClient } from '../client/control.js'
import { UsageError } from '../client/errors.js'
import type { ActionParameters } from '../client/types/actions.js'
import type { ActionName, ActionResults, EventName, TriggerRequest } from '../client/types/control.js'

export type ActionInput<Name extends ActionName> = ActionParameters[Name] & {
  /** Its own id, or an `external_id` that only one object of that kind bears. */
  id?: string | number
  /** Makes a fitting object first, and brings it to where the action is allowed. */
  create?: boolean
  /** With `create`: what the object is made of, as in a call of the API. */
  fields?: Exclude<Extract<TriggerRequest, { action: Name }>['fields'], undefined>
}

/** What an action came to: `object` is of the kind that the action leaves behind, as it is now. */
export type Triggered<Name extends ActionName = ActionName> = {
  [One in Name]: {
    action: One
    object: ActionResults[One]
    events: { id: string; event: EventName }[]
    /** With `create`: what was done before, `cashin.create` first. */
    created?: { action: string; id: string }[]
  }
}[Name]

/** The parameters may be left out where none is required. An `id` that is there but undefined is an error: it would mean the newest object. */
export type Trigger = <Name extends ActionName>(
  action: Name,
  ...params: Record<never, never> extends ActionInput<Name> ? [params?: ActionInput<Name>] : [params: ActionInput<Name>]
) => Promise<Triggered<Name>>

export async function triggerOn<Name extends ActionName>(
  control: ControlClient,
  action: Name,
  params: ActionInput<Name> | undefined,
): Promise<Triggered<Name>> {
  if (params !== undefined && 'id' in params && params.id === undefined)
    throw new UsageError(`${action} was given an id that is undefined: leave it out to take the newest object`)
  // One body for each action, told apart by its name: which one, the compiler cannot follow.
  const body = { ...params, action } as unknown as TriggerRequest
  return (await control.call('POST /trigger', { body })) as Triggered<Name>
}
