/** Makes an object as a caller of the API would, without a call: for scenarios, for triggers that need one, for demonstrations. */
import { JsonNumber } from '../../base/json.js'
import { type Creatable, creatable } from '../../protocol/scenario/create.js'
import type { ObjectRef } from '../../store/run-state.js'
import { credentialForEvents } from '../auth/account.js'
import type { Account } from '../auth/caller.js'
import type { Unit } from '../unit/unit.js'
import { type Fields, prepareCall, refInAnswer } from './validate.js'

/** `externalId` where the operation requires one and `fields` has none. Throws what the endpoint would answer. */
export function makeObject(
  unit: Unit,
  account: Account,
  kind: Creatable,
  fields: Fields,
  externalId: () => string,
): ObjectRef {
  const credential = credentialForEvents(unit.db, account.seq, null) ?? null
  // What goes in as fields comes out as fields.
  const body = exact(fields) as Fields
  if (needsExternalId(kind) && body.external_id === undefined) body.external_id = externalId()
  return refInAnswer(kind, prepareCall(unit, { account, credential }, kind, body)())
}

function needsExternalId(kind: Creatable): boolean {
  // Only some of the shapes have it.
  const { external_id: field } = creatable[kind].shape as Record<string, { isOptional?: () => boolean } | undefined>
  return field !== undefined && field.isOptional?.() === false
}

const decimal = /^\d+(\.\d+)?$/

/** As JSON would bring it: numbers with their text, and so the amounts that people write as text. */
function exact(value: unknown, key = ''): unknown {
  if (typeof value === 'number') return new JsonNumber(String(value))
  if (typeof value === 'string')
    return /^(amount|percentage)$/.test(key) && decimal.test(value) ? new JsonNumber(value) : value
  if (Array.isArray(value)) return value.map((item) => exact(item))
  if (value === null || typeof value !== 'object' || value instanceof JsonNumber) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, exact(item, name)]))
}
