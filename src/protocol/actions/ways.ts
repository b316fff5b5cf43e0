/** Finds the shortest way to an object that allows an action, in the state table. */
import { type ObjectKind, type TransitionRow, transitions } from '../platform/transitions.js'
import { type Creatable, creatableKinds } from '../scenario/create.js'
import { type ActionName, actionNames, actionTable } from './actions.js'

/** A `create` call, then actions on the new object. */
export interface Way {
  create: Creatable
  actions: readonly ActionName[]
}

/** The names of the steps of a way: creating an object, then actions. */
export const wayNames = [...creatableKinds.map((kind) => `${kind}.create` as const), ...actionNames]
export type WayName = (typeof wayNames)[number]

const rows: readonly TransitionRow[] = transitions

/** The name of a transition, without the kind of object. */
const stepOf = (name: ActionName) => name.slice(name.indexOf('.') + 1)

/** The states in which the subject of an action can be. */
export function statusesFor(name: ActionName): string[] {
  const row: { subject: ObjectKind; subjectStatus?: string } = actionTable[name]
  if (row.subjectStatus !== undefined) return [row.subjectStatus]
  const from = rows.filter((one) => one.object === row.subject && one.on === stepOf(name)).map((one) => one.from)
  return from.filter((status) => status !== null)
}

interface Place {
  kind: ObjectKind
  status: string
  way: Way
}

const isAllowed = (name: ActionName, { kind, status }: Place) =>
  actionTable[name].subject === kind && statusesFor(name).includes(status)

/** Where an action leads to. */
function after(name: ActionName, place: Place): Place | undefined {
  const kind = actionTable[name].result
  const from = kind === place.kind ? place.status : null
  const row = rows.find((one) => one.object === kind && one.on === stepOf(name) && one.from === from)
  const way = { create: place.way.create, actions: [...place.way.actions, name] }
  return row === undefined ? undefined : { kind, status: row.to, way }
}

const creations = (): Place[] =>
  creatableKinds.flatMap((kind) =>
    rows
      .filter((row) => row.object === kind && row.from === null && row.on === 'create')
      .map((row) => ({ kind, status: row.to, way: { create: kind, actions: [] } })),
  )

/** Searches breadth first, so that the first way found is the shortest. */
export function wayTo(wanted: ActionName): Way {
  const places = creations()
  const seen = new Set(places.map(({ kind, status }) => `${kind} ${status}`))
  for (const place of places) {
    if (isAllowed(wanted, place)) return place.way
    for (const name of actionNames) {
      const next = isAllowed(name, place) ? after(name, place) : undefined
      if (next === undefined || seen.has(`${next.kind} ${next.status}`)) continue
      seen.add(`${next.kind} ${next.status}`)
      places.push(next)
    }
  }
  throw new Error(`no object can reach a state that allows ${wanted}`)
}
