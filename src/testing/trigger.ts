/** What an action may be given: its own parameters and the object that it is done to. A wrong one is a type error. */
import type { ActionName, ActionParameters } from '../client/types/actions.js'
import type { Triggered } from './answers.js'

export type { ActionName }

export type ActionInput<Name extends ActionName> = ActionParameters[Name] & {
  /** Its own id, or an `external_id` that only one object of that kind bears. */
  id?: string | number | undefined
}

/** The parameters may be left out where none is required. */
export type Trigger = <Name extends ActionName>(
  action: Name,
  ...params: Record<never, never> extends ActionInput<Name> ? [params?: ActionInput<Name>] : [params: ActionInput<Name>]
) => Promise<Triggered>
