/** What a call that is not complete needs: nulls are removed, and the first missing field is found. */

import { JsonNumber } from '../../base/json.js'
import { isJsonObject } from '../../base/unknown.js'

/** The facts about a schema that every call needs, computed once: to read them from zod each time took 5 % of a charge. */
export type SchemaPlan =
  | {
      kind: 'object'
      fields: ReadonlyMap<string, Field>
      required: readonly string[]
      /** The fields that are objects or lists. */
      nested: readonly (readonly [name: string, plan: SchemaPlan])[]
    }
  | { kind: 'array'; element: SchemaPlan | null }

export interface Field {
  isRequired: boolean
  /** Null if it is neither an object nor a list. */
  plan: SchemaPlan | null
}

/**
 * Prepares a value for the schema: removes nulls, and replaces a `JsonNumber` by a plain number where an object is
 * expected, because zod takes it for an object.
 */
export function withoutNulls(plan: SchemaPlan | null, value: unknown): unknown {
  if (plan === null || value === null || typeof value !== 'object') return value
  if (plan.kind === 'array') return Array.isArray(value) ? value.map((item) => withoutNulls(plan.element, item)) : value
  if (value instanceof JsonNumber) return Number(value.text)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value)
  const items = entries.map(([key, item]) => [key, withoutNulls(plan.fields.get(key)?.plan ?? null, item)] as const)
  // Hardly any call contains a null: most objects are returned unchanged.
  if (items.every(([, item], index) => item !== null && item === entries[index]?.[1])) return value
  return Object.fromEntries(items.filter(([, item]) => item !== null))
}

export interface MissingField {
  field: string
  /** Allowed values, if only some currencies require the field. */
  supported?: readonly string[]
}

/** Returns the first missing required field, outer fields first. */
export function findMissingField(
  plan: SchemaPlan | null,
  value: unknown,
  path: readonly (string | number)[],
): MissingField | undefined {
  if (plan === null) return undefined
  if (plan.kind === 'array') {
    if (!Array.isArray(value)) return undefined
    return findFirst(value.entries(), ([index, item]) => findMissingField(plan.element, item, [...path, index]))
  }
  if (!isJsonObject(value)) return undefined
  const name = plan.required.find((one) => value[one] === undefined)
  if (name !== undefined) return { field: [...path, name].join('.') }
  return findFirst(plan.nested, ([nestedName, ownPlan]) =>
    findMissingField(ownPlan, value[nestedName], [...path, nestedName]),
  )
}

function findFirst<T, Found>(items: Iterable<T>, look: (item: T) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = look(item)
    if (found !== undefined) return found
  }
  return undefined
}
