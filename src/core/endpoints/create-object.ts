/** Creates an object as the API does, but without a call: for scenarios, for triggers that need one, and for sample data. */
import { JsonNumber } from '../../base/json.js'
import { type Creatable, creatable } from '../../protocol/scenario/calls.js'
import type { ObjectRef } from '../../store/run-state.js'
import { credentialForEvents } from '../auth/account.js'
import type { Account } from '../auth/caller.js'
import type { Unit } from '../unit/unit.js'
import { type Fields, objectRefOf, prepareCall } from './validate.js'

/** Creates the object. Uses `externalId` if it is required and `fields` has none. Throws the errors of the endpoint. */
export function createObject(
  unit: Unit,
  account: Account,
  kind: Creatable,
  fields: Fields,
  externalId: () => string,
): ObjectRef {
  const credential = credentialForEvents(unit.db, account.seq, null) ?? null
  // The conversion of an object is an object.
  const body = withJsonNumbers(fields) as Fields
  if (needsExternalId(kind) && body.external_id === undefined) body.external_id = externalId()
  return objectRefOf(kind, prepareCall(unit, { account, credential }, kind, body)())
}

function needsExternalId(kind: Creatable): boolean {
  // Only some of the schemas have the field.
  const { external_id: field } = creatable[kind].shape as Record<string, { isOptional?: () => boolean } | undefined>
  return field !== undefined && field.isOptional?.() === false
}

const decimal = /^\d+(\.\d+)?$/

/** Converts values as if they were parsed from JSON: numbers, and amounts given as text, become `JsonNumber`. */
function withJsonNumbers(value: unknown, key = ''): unknown {
  if (typeof value === 'number') return new JsonNumber(String(value))
  if (typeof value === 'string')
    return /^(amount|percentage)$/.test(key) && decimal.test(value) ? new JsonNumber(value) : value
  if (Array.isArray(value)) return value.map((item) => withJsonNumbers(item))
  if (value === null || typeof value !== 'object' || value instanceof JsonNumber) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withJsonNumbers(item, name)]))
}
