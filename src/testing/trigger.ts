/** The types of `trigger`: each action with its own parameters and result, so that a wrong parameter is a type error. */
import type { ControlClient } from '../client/control.js'
import { SandboxError } from '../client/errors.js'
import type { ActionParameters } from '../client/types/actions.js'
import type { ActionName, ActionResults, EventName, TriggerRequest } from '../client/types/control.js'

export type ActionInput<Name extends ActionName> = (
  | ActionParameters[Name]
  | (Partial<ActionParameters[Name]> & { create: true })
) & {
  /** Its own id, or an `external_id` that only one object of that kind has. */
  id?: string | number
  /** Creates a suitable object first, in a state that allows the action. */
  create?: boolean
  /** With `create`: the fields of the object, as in a call of the API. */
  fields?: Exclude<Extract<TriggerRequest, { action: Name }>['fields'], undefined>
}

/** The result of an action: `object` is the changed object in its new state. */
export type Triggered<Name extends ActionName = ActionName> = {
  [One in Name]: {
    action: One
    object: ActionResults[One]
    events: { id: string; event: EventName }[]
    /** With `create`: the actions done before, `cashin.create` first. */
    created?: { action: string; id: string }[]
  }
}[Name]

/**
 * Parameters may be omitted if none is required. An `id` that is present but undefined is an error: it would silently
 * mean the newest object.
 */
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
    throw new SandboxError(
      422,
      'INVALID_VALUE',
      `${action} was given an id that is undefined. Leave it out to use the newest object.`,
      { field: 'id', rule: 'must be an id: a non-empty string' },
      null,
      'validation',
    )
  // The compiler cannot relate each body to its action.
  const body = { ...params, action } as unknown as TriggerRequest
  return (await control.call('POST /trigger', { body })) as Triggered<Name>
}
