/** Does an action on an object that is made for it: created as the API does, and brought to where the action is allowed. */

import { type WayName, wayTo } from '../../protocol/actions/ways.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { newUuid } from '../../protocol/rails/uuid.js'
import { listAccounts } from '../auth/account.js'
import type { Account } from '../auth/caller.js'
import { subjectId } from '../operations/transactions.js'
import { checkParams, requireAction, type Triggered, trigger } from '../operations/trigger.js'
import type { Unit } from '../unit/unit.js'
import { makeObject } from './make.js'
import { withUsual } from './usual.js'
import type { Fields } from './validate.js'

/** What was done first: `cashin.create`, then actions. */
export interface Made {
  action: WayName
  id: string
}

export interface Provided extends Triggered {
  created: Made[]
}

/**
 * `fields` say what the object is made of, as in a call of the API; what they leave out is usual for the currency, and such that `params` are possible.
 * `owner` is the first account by default.
 * Throws what the API or an action on the way refuses; then nothing is left of it.
 */
export function triggerOnNew(unit: Unit, action: string, fields: Fields, params: Fields, owner?: Account): Provided {
  const name = requireAction(action)
  const { create, actions } = wayTo(name)
  const account = owner ?? listAccounts(unit.db)[0]
  if (account === undefined) throw new ApiError('NOT_FOUND', { object: 'account' })
  const whole = withUsual(unit, account, create, fields, { name, params: checkParams(name, params) })
  const ref = makeObject(unit, account, create, whole, () => newUuid(unit.ids.draw('external-id')))
  const created: Made[] = [{ action: `${create}.create`, id: ref.id }]
  let { id } = ref
  for (const step of actions) {
    id = subjectId(trigger(unit, step, id, {}).subject)
    created.push({ action: step, id })
  }
  return { ...trigger(unit, name, id, params), created }
}
