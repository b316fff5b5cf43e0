/**
 * Checks that a schema cannot express: one key per step, known names in `${…}`, existing request fields, faults where
 * they have an effect.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves

import { nearest } from '../../base/text.js'
import { type Fields, fieldsIn, isJsonObject } from '../../base/unknown.js'
import { type Endpoint, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { creatableKinds } from '../../protocol/scenario/calls.js'
import {
  aboutEvents,
  expectations,
  isAction,
  isFault,
  type StepName,
  stepNames,
} from '../../protocol/scenario/steps.js'
import { type Mistake, type Path, shorten } from './mistakes.js'
import { hasReference, referencesIn } from './references.js'

const mistake = (path: Path, message: string): Mistake => ({ path, say: () => message })

/** Names that every run has, besides its params and the names from `as`. */
const reservedNames: readonly string[] = ['subject', 'run']

/** `filled` is the scenario with its params filled in. */
export function checkConsistency(whole: unknown, filled: unknown): Mistake[] {
  if (!isJsonObject(whole) || !isJsonObject(filled)) return [mistake([], 'must be a map with name and steps')]
  const mistakes: Mistake[] = []
  if (whole.steps === undefined && whole.outcomes === undefined)
    mistakes.push(mistake([], 'steps or outcomes is required (outcomes is a table of magic values)'))
  if (whole.steps !== undefined && whole.outcomes !== undefined)
    mistakes.push(mistake(['outcomes'], 'a scenario must have either steps or outcomes, not both'))
  if (whole.outcomes !== undefined && whole.on !== undefined)
    mistakes.push(mistake(['on'], 'each outcome must have its own "on:"'))
  mistakes.push(...whereChecks(filled.on, ['on']))
  const params = isJsonObject(whole.params) ? Object.keys(whole.params) : []
  for (const name of params.filter((one) => reservedNames.includes(one)))
    mistakes.push(mistake(['params', name], `${name} is a reserved name; choose another`))
  mistakes.push(...stepChecks(whole.steps, filled.steps, params, ['steps']))
  if (Array.isArray(whole.outcomes) && Array.isArray(filled.outcomes))
    for (const [index, outcome] of whole.outcomes.entries()) {
      const path = ['outcomes', index]
      const filledOutcome: unknown = filled.outcomes[index]
      if (!isJsonObject(outcome) || !isJsonObject(filledOutcome)) continue
      mistakes.push(...whereChecks(filledOutcome.on, [...path, 'on']))
      mistakes.push(...stepChecks(outcome.steps, filledOutcome.steps, params, [...path, 'steps']))
    }
  return mistakes
}

/** Returns the endpoints that `on.operation` names. */
function endpointsOf(operation: string): Endpoint[] {
  const rows = endpointNames.map((name): Endpoint => endpoints[name])
  return rows.filter((row) => row.operation === operation || `${row.method} ${row.path}` === operation)
}

function whereChecks(on: unknown, path: Path): Mistake[] {
  if (!isJsonObject(on) || !isJsonObject(on.where) || typeof on.operation !== 'string') return []
  const rows = endpointsOf(on.operation)
  if (rows.length === 0) return []
  const known = [...new Set(rows.flatMap((row) => Object.keys(row.request.shape)))]
  return Object.keys(on.where)
    .filter((field) => !known.includes(field.split('.')[0] ?? ''))
    .map((field) => ({
      path: [...path, 'where', field],
      key: field,
      say() {
        const guess = nearest(field, known)
        const hint = guess === null ? `it has ${known.join(', ')}` : `did you mean ${guess}?`
        return `a request of ${on.operation} has no field ${shorten(field)}; ${hint}`
      },
    }))
}

function stepChecks(steps: unknown, filled: unknown, params: readonly string[], path: Path): Mistake[] {
  if (!Array.isArray(steps) || !Array.isArray(filled)) return []
  const mistakes: Mistake[] = []
  const names: Names = { ordered: [...params, ...reservedNames], known: new Set([...params, ...reservedNames]) }
  const isIdle = findIdleFaults(steps)
  for (const [index, step] of steps.entries()) {
    const at = [...path, index]
    if (!isJsonObject(step)) {
      mistakes.push(mistake(at, 'must be a step, such as `- wait: 2s`'))
      continue
    }
    const keys = Object.keys(step)
    if (keys.length !== 1) {
      mistakes.push({ path: at, say: () => wrongKeys(keys) })
      continue
    }
    const name = stepNames.find((one) => one === keys[0])
    if (name === undefined) continue
    mistakes.push(
      ...referenceChecks(step, names, at),
      ...shapeChecks(name, fieldsIn(filled[index])[name], [...at, name]),
    )
    if (isIdle(name, index)) mistakes.push({ path: [...at, name], say: () => `${name} ${whereFaultsAct}` })
    const alias = fieldsIn(step[name]).as
    if (typeof alias !== 'string' || names.known.has(alias)) continue
    names.known.add(alias)
    names.ordered.push(alias)
  }
  return mistakes
}

const wrongKeys = (keys: readonly string[]) =>
  keys.length === 0
    ? 'is an empty step'
    : `has ${keys.length} keys (${keys.slice(0, 5).map(shorten).join(', ')}${keys.length > 5 ? ', …' : ''}): a step must have one; start each step with its own hyphen`

/** Names that `${…}` can use in a step; each `as` adds one. */
interface Names {
  ordered: string[]
  known: Set<string>
}

function referenceChecks(step: Fields, { ordered, known }: Names, path: Path): Mistake[] {
  const count = ordered.length
  return referencesIn(step).flatMap((found) => {
    const name = found.name.split('.', 1)[0] ?? ''
    if (known.has(name)) return []
    const say = () => {
      const guess = nearest(name, ordered.slice(0, count))
      const hint =
        guess === null ? 'neither a param nor named by `as` in an earlier step' : `did you mean \${${guess}}?`
      return `\${${shorten(found.name)}} is not known: ${hint}`
    }
    return [{ path: [...path, ...found.path], say }]
  })
}

const decimal = /^\d+(\.\d+)?$/

function shapeChecks(name: StepName, value: unknown, path: Path): Mistake[] {
  if (!isJsonObject(value)) return []
  if (isAction(name)) return [...amountChecks(value, path), ...onNewChecks(value, path)]
  if (name === 'create') return [...amountChecks(value, path), ...createChecks(value, path)]
  if (name === 'expect') return expectChecks(value, path)
  return name === 'respond' && value.status === undefined && value.code === undefined
    ? [mistake(path, 'requires a status or a code, such as `respond: { status: 502, code: PROVIDER_ERROR }`')]
    : []
}

function amountChecks(value: Fields, path: Path): Mistake[] {
  return Object.entries(value).flatMap(([key, item]) => {
    if (isJsonObject(item)) return amountChecks(item, [...path, key])
    if (key !== 'amount' || hasReference(item) || (typeof item !== 'string' && typeof item !== 'number')) return []
    return decimal.test(String(item))
      ? []
      : [mistake([...path, key], `"${shorten(String(item))}" must be a decimal number, such as 25.50`)]
  })
}

function onNewChecks(value: Fields, path: Path): Mistake[] {
  if (value.create === true)
    return value.id === undefined
      ? []
      : [mistake([...path, 'id'], 'cannot be combined with create: true, which creates a new object')]
  return value.fields === undefined ? [] : [mistake([...path, 'fields'], 'requires create: true')]
}

function createChecks(value: Fields, path: Path): Mistake[] {
  const kinds = creatableKinds.filter((kind) => value[kind] !== undefined)
  if (kinds.length === 1) return []
  const several = kinds.length > 1 ? `, not ${kinds.join(' and ')}` : ''
  return [mistake(path, `must name exactly one of ${creatableKinds.join(', ')}${several}`)]
}

function expectChecks(value: Fields, path: Path): Mistake[] {
  const keys = expectations.filter((key) => value[key] !== undefined)
  const several = keys.length > 1 ? `, not ${keys.join(' and ')}` : ''
  if (keys.length !== 1) return [mistake(path, `must name exactly one of ${expectations.join(', ')}${several}`)]
  if (keys[0] === 'event') return []
  return aboutEvents
    .filter((key) => value[key] !== undefined)
    .map((key) => ({ path: [...path, key], key, say: () => `${key} requires event` }))
}

const whereFaultsAct =
  'acts on the call that starts the scenario, or on the next create: put it before every other step, or before a create'

/** Returns whether a fault has no effect: it is neither at the start nor before a `create`. */
function findIdleFaults(steps: readonly unknown[]): (name: StepName, index: number) => boolean {
  const keys = steps.map((step) => (isJsonObject(step) ? (Object.keys(step)[0] ?? '') : ''))
  const firstOther = keys.findIndex((key) => !isFault(key) && key !== 'webhooks' && key !== 'create')
  const lastCreate = keys.lastIndexOf('create')
  return (name, index) => isFault(name) && firstOther !== -1 && index > firstOther && index > lastCreate
}
