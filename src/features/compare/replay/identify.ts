/** Finds the object of a webhook whose identifying field is missing or has another type, so that only that field differs. */
import { statusesFor } from '../../../inside/platform.js'
import { type Fields, fieldsIn } from '../../../inside/values.js'
import { runningDispute, selectTransactions, subjectId } from '../../../inside/workspace.js'
import { causes } from './causes.js'
import { isAmount, type Outside, subjectField } from './outside.js'
import type { RecordedEvent } from './recorded-events.js'

/** The same webhook with the id that its other fields show. */
export function identified(hook: RecordedEvent, outside: Outside): RecordedEvent {
  const { event, body, data } = hook
  if (event === null || causes[event] === undefined) return hook
  outside.adopt(data)
  const name = subjectField(event)
  if (typeof fieldsIn(body?.data)[name] === 'string') return hook
  const id =
    name === 'infraction_id'
      ? disputeOf(data, outside)
      : name.startsWith('original_')
        ? originalOf(hook, outside)
        : body?.transaction_id
  return typeof id === 'string' ? { ...hook, data: { ...data, [name]: id } } : hook
}

function disputeOf(data: Fields, { find, pairs, scratch }: Outside): string | undefined {
  const charge = find(String(data.transaction_id))
  const dispute = charge === undefined ? undefined : runningDispute(scratch.ws.db, subjectId(charge))
  return dispute === undefined ? undefined : pairs.inPlatform(dispute.id)
}

/** The only reversible transaction with the `external_id`, or else with the amount. */
function originalOf({ event, data }: RecordedEvent, { pairs, scratch }: Outside): string | undefined {
  const action = event === null ? undefined : causes[event]?.action
  if (action === undefined) return undefined
  const { external_id: externalId, amount = data.amount_returned_to } = data
  const type = action.slice(0, action.indexOf('.'))
  const [found, another] = selectTransactions(scratch.ws.db, undefined, 1000).filter(
    (one) =>
      one.type === type &&
      statusesFor(action).some((status) => status === one.status) &&
      (typeof externalId === 'string' ? one.externalId === externalId : isAmount(amount, one)),
  )
  return found === undefined || another !== undefined ? undefined : pairs.inPlatform(found.id)
}
