/** What a schema cannot say about a scenario: one key a step, known names behind `${…}`, fields that the request has, faults where they can act. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves

import { nearest } from '../../base/nearest.js'
import { type Endpoint, endpointNames, endpoints } from '../../protocol/api/endpoints.js'
import { isActionStep } from '../../protocol/scenario/file.js'
import { callFaults, creatableKinds, type StepName, stepNames } from '../../protocol/scenario/steps.js'
import { hasReference, referencesIn } from './references.js'

export type Path = readonly (string | number)[]

export interface Mistake {
  path: Path
  /** The key itself is wrong, not its value. */
  key?: string
  message: string
}

type Fields = Record<string, unknown>
const isObject = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Names that every run knows, beside its params and what `as` names. */
const reservedNames = ['subject', 'run'] as const

/** `filled` is the scenario with its params put in. */
export function selfChecks(whole: unknown, filled: unknown): Mistake[] {
  if (!isObject(whole) || !isObject(filled)) return [{ path: [], message: 'must be a map with name and steps' }]
  const mistakes: Mistake[] = []
  if (whole.steps === undefined && whole.outcomes === undefined)
    mistakes.push({ path: [], message: 'steps is missing (or outcomes: a table of magic values)' })
  if (whole.steps !== undefined && whole.outcomes !== undefined)
    mistakes.push({ path: ['outcomes'], message: 'a scenario has either steps or outcomes' })
  if (whole.outcomes !== undefined && whole.on !== undefined)
    mistakes.push({ path: ['on'], message: 'each outcome has an on: of its own' })
  mistakes.push(...whereChecks(filled.on, ['on']))
  const params = isObject(whole.params) ? Object.keys(whole.params) : []
  for (const name of params.filter((one) => (reservedNames as readonly string[]).includes(one)))
    mistakes.push({ path: ['params', name], message: `${name} is a name that every run has already` })
  mistakes.push(...stepChecks(whole.steps, filled.steps, params, ['steps']))
  if (Array.isArray(whole.outcomes) && Array.isArray(filled.outcomes))
    for (const [index, outcome] of whole.outcomes.entries()) {
      const path = ['outcomes', index]
      const filledOutcome = filled.outcomes[index] as unknown
      if (!isObject(outcome) || !isObject(filledOutcome)) continue
      mistakes.push(...whereChecks(filledOutcome.on, [...path, 'on']))
      mistakes.push(...stepChecks(outcome.steps, filledOutcome.steps, params, [...path, 'steps']))
    }
  return mistakes
}

/** The endpoints that `on.operation` names. */
function endpointsOf(operation: string): Endpoint[] {
  const rows = endpointNames.map((name): Endpoint => endpoints[name])
  return rows.filter((row) => row.operation === operation || `${row.method} ${row.path}` === operation)
}

function whereChecks(on: unknown, path: Path): Mistake[] {
  if (!isObject(on) || !isObject(on.where) || typeof on.operation !== 'string') return []
  const rows = endpointsOf(on.operation)
  if (rows.length === 0) return []
  const known = [...new Set(rows.flatMap((row) => Object.keys(row.request.shape)))]
  return Object.keys(on.where)
    .filter((field) => !known.includes(field.split('.')[0] ?? ''))
    .map((field) => {
      const guess = nearest(field, known)
      const hint = guess === null ? `it has ${known.join(', ')}` : `did you mean ${guess}?`
      return {
        path: [...path, 'where', field],
        key: field,
        message: `a request of ${on.operation} has no field ${field}; ${hint}`,
      }
    })
}

function stepChecks(steps: unknown, filled: unknown, params: readonly string[], path: Path): Mistake[] {
  if (!Array.isArray(steps) || !Array.isArray(filled)) return []
  const mistakes: Mistake[] = []
  const names = [...params, ...reservedNames]
  for (const [index, step] of steps.entries()) {
    const at = [...path, index]
    if (!isObject(step)) {
      mistakes.push({ path: at, message: 'must be a step, such as `- wait: 2s`' })
      continue
    }
    const keys = Object.keys(step)
    if (keys.length !== 1) {
      const message =
        keys.length === 0
          ? 'is an empty step'
          : `has ${keys.length} keys (${keys.join(', ')}): a step has one; begin each with a hyphen of its own`
      mistakes.push({ path: at, message })
      continue
    }
    const name = keys[0] as StepName
    if (!stepNames.includes(name)) continue
    mistakes.push(
      ...referenceChecks(step, names, at),
      ...shapeChecks(name, (filled[index] as Fields)[name], [...at, name]),
    )
    mistakes.push(...placeChecks(name, index, steps, [...at, name]))
    const named = isObject(step[name]) ? (step[name] as Fields).as : undefined
    if (typeof named === 'string') names.push(named)
  }
  return mistakes
}

function referenceChecks(step: Fields, names: readonly string[], path: Path): Mistake[] {
  return referencesIn(step).flatMap((found) => {
    const name = found.name.split('.')[0] ?? ''
    if (names.includes(name)) return []
    const guess = nearest(name, names)
    const hint = guess === null ? 'neither a param nor named by `as` in an earlier step' : `did you mean \${${guess}}?`
    return [{ path: [...path, ...found.path], message: `\${${found.name}} is not known: ${hint}` }]
  })
}

const decimal = /^\d+(\.\d+)?$/

function shapeChecks(name: StepName, value: unknown, path: Path): Mistake[] {
  if (!isObject(value)) return []
  if (isActionStep(name) || name === 'create')
    return [...amountChecks(value, path), ...(name === 'create' ? createChecks(value, path) : [])]
  if (name === 'expect') return expectChecks(value, path)
  return name === 'respond' && value.status === undefined && value.code === undefined
    ? [{ path, message: 'needs a status or a code, such as `respond: { status: 502, code: PROVIDER_ERROR }`' }]
    : []
}

function amountChecks(value: Fields, path: Path): Mistake[] {
  return Object.entries(value).flatMap(([key, item]) => {
    if (isObject(item)) return amountChecks(item, [...path, key])
    if (key !== 'amount' || hasReference(item) || (typeof item !== 'string' && typeof item !== 'number')) return []
    return decimal.test(String(item))
      ? []
      : [{ path: [...path, key], message: `"${item}" must be a decimal number, such as 25.50` }]
  })
}

function createChecks(value: Fields, path: Path): Mistake[] {
  const kinds = creatableKinds.filter((kind) => value[kind] !== undefined)
  if (kinds.length === 1) return []
  return [
    {
      path,
      message: `names ${kinds.length === 0 ? 'nothing' : kinds.join(' and ')} to create: it must be one of ${creatableKinds.join(', ')}`,
    },
  ]
}

const expectations = ['event', 'status', 'balance', 'answer'] as const
const aboutEvents = ['delivered', 'attempts', 'where'] as const

function expectChecks(value: Fields, path: Path): Mistake[] {
  const given = expectations.filter((key) => value[key] !== undefined)
  if (given.length !== 1)
    return [
      {
        path,
        message: `must name exactly one of ${expectations.join(', ')}${given.length > 1 ? `, not ${given.join(' and ')}` : ''}`,
      },
    ]
  if (given[0] === 'event') return []
  return aboutEvents
    .filter((key) => value[key] !== undefined)
    .map((key) => ({ path: [...path, key], key, message: `${key} goes with event` }))
}

/** A fault acts on the call that starts the scenario, or on the next `create`; anywhere else it would never act. */
function placeChecks(name: StepName, index: number, steps: readonly unknown[], path: Path): Mistake[] {
  if (!callFaults.includes(name)) return []
  const keyOf = (step: unknown) => (isObject(step) ? (Object.keys(step)[0] ?? '') : '')
  const leads = steps.slice(0, index).every((step) => [...callFaults, 'webhooks', 'create'].includes(keyOf(step)))
  if (leads || steps.slice(index + 1).some((step) => keyOf(step) === 'create')) return []
  return [
    {
      path,
      message: `${name} acts on the call that starts the scenario, or on the next create: put it before every other step, or before a create`,
    },
  ]
}
