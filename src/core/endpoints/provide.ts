/** Creates an object through the API's own code, moves it to a state that allows an action, and performs the action. */

import { type WayName, wayTo } from '../../protocol/actions/ways.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { newUuid } from '../../protocol/rails/uuid.js'
import { listAccounts } from '../auth/account.js'
import type { Account } from '../auth/caller.js'
import { subjectId } from '../operations/transactions.js'
import { checkParams, requireAction, type Triggered, trigger } from '../operations/trigger.js'
import type { Unit } from '../unit/unit.js'
import { createObject } from './make.js'
import { withDefaultFields } from './usual.js'
import type { Fields } from './validate.js'

/** The steps before the action: `cashin.create`, then actions. */
export interface CreationStep {
  action: WayName
  id: string
}

export interface TriggeredOnNew extends Triggered {
  created: CreationStep[]
}

/**
 * `fields` describe the object as in an API call; defaults depend on the currency and make `params` possible. `owner`
 * is the first account by default.
 * Throws what the API or an action on the way rejects; everything is then rolled back.
 */
export function triggerOnNew(
  unit: Unit,
  action: string,
  fields: Fields,
  params: Fields,
  owner?: Account,
): TriggeredOnNew {
  const name = requireAction(action)
  const { create, actions } = wayTo(name)
  const account = owner ?? listAccounts(unit.db)[0]
  if (account === undefined) throw new ApiError('NOT_FOUND', { object: 'account' })
  const whole = withDefaultFields(unit, account, create, fields, { name, params: checkParams(name, params) })
  const ref = createObject(unit, account, create, whole, () => newUuid(unit.ids.draw('external-id')))
  const created: CreationStep[] = [{ action: `${create}.create`, id: ref.id }]
  let { id } = ref
  for (const step of actions) {
    id = subjectId(trigger(unit, step, id, {}).subject)
    created.push({ action: step, id })
  }
  return { ...trigger(unit, name, id, params), created }
}
