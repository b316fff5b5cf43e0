/** Creates an object through the API's own code, moves it to a state that allows an action, and performs the action. */

import { type CreationStepName, stepsBefore } from '../../protocol/actions/creation-steps.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { newUuid } from '../../protocol/rails/pix-key.js'
import { listAccounts } from '../auth/account.js'
import type { Account } from '../auth/caller.js'
import { subjectId } from '../operations/transactions.js'
import { checkParams, requireAction, type TriggerResult, trigger } from '../operations/trigger.js'
import type { Unit } from '../unit/unit.js'
import { createObject } from './create-object.js'
import { withDefaultFields, withDefaultParams } from './default-fields.js'
import type { Fields } from './validate.js'

/** One step before the action, such as `cashin.create` or `cashin.pay`. */
interface CreationStep {
  action: CreationStepName
  id: string
}

interface TriggerOnNewResult extends TriggerResult {
  created: CreationStep[]
}

/**
 * `fields` describe the object as in an API call; omitted fields get defaults. The currency is chosen so that `params` are
 * valid. `owner` is the first account by default.
 * Throws the error of the API call or of a step; the caller then rolls back all changes.
 */
export function triggerOnNewObject(
  unit: Unit,
  action: string,
  fields: Fields,
  givenParams: Fields,
  owner?: Account,
): TriggerOnNewResult {
  const name = requireAction(action)
  const params = withDefaultParams(name, fields, givenParams)
  const { create: kind, actions } = stepsBefore(name)
  const account = owner ?? listAccounts(unit.db)[0]
  if (account === undefined) throw new ApiError('NOT_FOUND', { object: 'account' })
  const completeFields = withDefaultFields(unit, account, kind, fields, { name, params: checkParams(name, params) })
  const ref = createObject(unit, account, kind, completeFields, () => newUuid(unit.ids.draw('external-id')))
  const created: CreationStep[] = [{ action: `${kind}.create`, id: ref.id }]
  let { id } = ref
  for (const step of actions) {
    id = subjectId(trigger(unit, step, id, {}).subject)
    created.push({ action: step, id })
  }
  return { ...trigger(unit, name, id, params), created }
}
