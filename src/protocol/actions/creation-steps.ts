/** Finds the fewest steps that create an object in a state that allows an action, from the table of transitions. */

import { currencies } from '../platform/currencies.js'
import { bool } from '../platform/fields.js'
import { type ObjectKind, type TransitionRow, transitions } from '../platform/transitions.js'
import { bodyOf, type Creatable, creatableKinds } from '../scenario/values.js'
import { type ActionName, actionNames, actionTable, hasUsualAmount } from './actions.js'

/** A `create` call, then actions on the new object. */
interface CreationSteps {
  create: Creatable
  actions: readonly ActionName[]
}

/** Names of all possible steps: creating an object of each kind, and every action. */
export const creationStepNames = [...creatableKinds.map((kind) => `${kind}.create` as const), ...actionNames]
export type CreationStepName = (typeof creationStepNames)[number]

const rows: readonly TransitionRow[] = transitions

/** The name of a transition, without the kind of object. */
const stepOf = (name: ActionName) => name.slice(name.indexOf('.') + 1)

/** Returns the states of its subject in which the action is allowed. */
export function statusesFor(name: ActionName): string[] {
  const row: { subject: ObjectKind; subjectStatus?: string } = actionTable[name]
  if (row.subjectStatus !== undefined) return [row.subjectStatus]
  const from = rows.filter((one) => one.object === row.subject && one.on === stepOf(name)).map((one) => one.from)
  return from.filter((status) => status !== null)
}

interface ReachableState {
  kind: ObjectKind
  status: string
  steps: CreationSteps
}

const isAllowed = (name: ActionName, { kind, status }: ReachableState) =>
  actionTable[name].subject === kind && statusesFor(name).includes(status)

/** Returns the state after the action; undefined if it leads to none. */
function after(name: ActionName, place: ReachableState): ReachableState | undefined {
  const kind = actionTable[name].result
  const from = kind === place.kind ? place.status : null
  const row = rows.find((one) => one.object === kind && one.on === stepOf(name) && one.from === from)
  const steps = { create: place.steps.create, actions: [...place.steps.actions, name] }
  return row === undefined ? undefined : { kind, status: row.to, steps }
}

const creations = (): ReachableState[] =>
  creatableKinds.flatMap((kind) =>
    rows
      .filter((row) => row.object === kind && row.from === null && row.on === 'create')
      .map((row) => ({ kind, status: row.to, steps: { create: kind, actions: [] } })),
  )

/** Returns the steps that must come before the action. Searches breadth first, so that the first result is the shortest. */
export function stepsBefore(name: ActionName): CreationSteps {
  const places = creations()
  const seen = new Set(places.map(({ kind, status }) => `${kind} ${status}`))
  for (const place of places) {
    if (isAllowed(name, place)) return place.steps
    for (const name of actionNames) {
      const next = isAllowed(name, place) ? after(name, place) : undefined
      if (next === undefined || seen.has(`${next.kind} ${next.status}`)) continue
      seen.add(`${next.kind} ${next.status}`)
      places.push(next)
    }
  }
  throw new Error(`no object can reach a state that allows ${name}`)
}

/** The parameters that create an object for the action, in scenarios and in the control API. */
export const creationParams = (name: ActionName) => ({
  create: bool()
    .optional()
    .describe(
      `Creates a suitable object first, through the same code as the API, in a state that allows the action${hasUsualAmount(name) ? `; the default amount is then ${currencies.BRL.usualAmount} BRL` : ''}`,
    ),
  fields: bodyOf(stepsBefore(name).create)
    .partial()
    .optional()
    .describe('With `create`: fields of the object (default: typical values for the currency)'),
})
