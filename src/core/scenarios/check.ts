/**
 * Checks a parsed scenario: against the schema, and what a schema cannot express, such as names in `${…}` and faults
 * that have an effect. Finds every mistake, with its path and a fix; the first ones are reported.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import type * as z from 'zod'
import { mapRows, rowAt } from '../../base/keys.js'
import { nearest } from '../../base/text.js'
import { type Fields, fieldAt, fieldsIn, isJsonObject } from '../../base/unknown.js'
import { nearestName } from '../../protocol/actions/nearest-name.js'
import { type Endpoint, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { fieldsAt } from '../../protocol/platform/fields.js'
import { maxOutcomes, maxSteps, type Scenario, scenarioFile } from '../../protocol/scenario/file.js'
import {
  aboutEvents,
  expectations,
  isAction,
  isFault,
  type StepName,
  stepNames,
} from '../../protocol/scenario/steps.js'
import { creatableKinds, paramValue } from '../../protocol/scenario/values.js'
import { hasReference, hasTooMany, maxReferences, referencesIn, replaceReferences } from './references.js'

type CheckedScenario = { scenario: Scenario; mistakes: null } | { scenario: null; mistakes: Mistake[] }

/** `parsed` is the file as parsed from YAML or JSON. Never throws. */
export function checkScenario(parsed: unknown): CheckedScenario {
  const whole = normalize(parsed)
  if (hasTooMany(whole))
    return { scenario: null, mistakes: [{ path: [], say: () => `has more than ${maxReferences} references \${…}` }] }
  const params = isJsonObject(whole) && isJsonObject(whole.params) ? whole.params : {}
  const filled = replaceReferences(whole, (name) => {
    const value = rowAt(params, name)
    return paramValue().safeParse(value).success ? value : undefined
  })
  const result = scenarioFile().safeParse(filled, { error: unworded })
  const mistakes = (result.error?.issues ?? [])
    .filter((issue) => !isResolvedLater(issue, filled))
    .flatMap((issue) => explain(issue, filled))
    .concat(checkConsistency(whole, filled))
  if (mistakes.length > 0) return { scenario: null, mistakes }
  // Validated above; it still contains its references, for which the schema has no type.
  return { scenario: whole as Scenario, mistakes: null }
}

/** Values of references inside a step are validated when the run fills them in; the steps themselves are validated now. */
const isResolvedLater = (issue: z.core.$ZodIssue, filled: unknown): boolean =>
  issue.path.indexOf('steps') + 2 < issue.path.length &&
  issue.path.includes('steps') &&
  issue.code !== 'too_big' &&
  hasReference(lookUp(filled, pathOf(issue)))

/** Keeps one item over the limit: enough to report it, without checking the others. */
const withinLimit = (list: readonly unknown[], most: number) => list.slice(0, most + 1)

/** Gives `- cashin.pay` and `- cashin.pay:` an empty object as parameters. */
function normalize(parsed: unknown): unknown {
  if (!isJsonObject(parsed)) return parsed
  const steps = (list: unknown) => (Array.isArray(list) ? withinLimit(list, maxSteps).map(normalizeStep) : list)
  return {
    ...parsed,
    ...('steps' in parsed ? { steps: steps(parsed.steps) } : {}),
    ...(Array.isArray(parsed.outcomes)
      ? {
          outcomes: withinLimit(parsed.outcomes, maxOutcomes).map((one) =>
            isJsonObject(one) && 'steps' in one ? { ...one, steps: steps(one.steps) } : one,
          ),
        }
      : {}),
  }
}

function normalizeStep(step: unknown): unknown {
  if (typeof step === 'string') return { [step]: {} }
  if (!isJsonObject(step)) return step
  return mapRows(step, (value, key) => (value === null && isAction(key) ? {} : value))
}

const lookUp = (value: unknown, path: Path): unknown => path.reduce(fieldAt, value)

/** YAML and JSON keys are never symbols. */
const pathOf = (issue: z.core.$ZodIssue): Path => issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))

/** Returns a mistake for each unknown key. Messages are created only when they are read. */
function explain(issue: z.core.$ZodIssue, whole: unknown): Mistake[] {
  const path = pathOf(issue)
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key))
  if (issue.code === 'invalid_union') return [explainUnion(issue, whole)]
  const value = lookUp(whole, path)
  if (value === undefined && path.length > 0) return [missing(path)]
  if (issue.code === 'invalid_value' && typeof value === 'string')
    return [{ path, say: () => wrongChoice(value, issue) }]
  if (issue.code === 'invalid_key') return [{ path, say: () => issue.issues[0]?.message ?? 'is not a valid name' }]
  return [{ path, say: () => (issue.message === '' ? wordingOf(issue) : issue.message) }]
}

/** After a typing error, the whole list is only shown if it is short. */
function wrongChoice(value: string, issue: Extract<z.core.$ZodIssue, { code: 'invalid_value' }>): string {
  const known = issue.values.map(String)
  const guess = nearestName(value, known)
  if (guess === null) return `"${shorten(value)}" is not known: it ${issue.message}`
  return `"${shorten(value)}" is not known: did you mean ${guess}?${known.length <= 12 ? ` It ${issue.message}` : ''}`
}

/** Sets no message for a wrong type, unless the schema has its own. The message depends on the field and is added later. */
const unworded = ({ code }: { code: string }) => (code === 'invalid_type' || code === 'invalid_union' ? '' : undefined)

function wordingOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type') return issue.message
  if (issue.expected !== 'object' && issue.expected !== 'record') return `must be a ${issue.expected}`
  const known = fieldsAt(scenarioFile(), issue.path)
  return `must be a map of fields${known.length === 0 ? '' : ` (${known.join(', ')})`}`
}

/** Explains the union's branch that matched furthest. */
function explainUnion(issue: Extract<z.core.$ZodIssue, { code: 'invalid_union' }>, whole: unknown): Mistake {
  const path = pathOf(issue)
  const inner = issue.errors.flat().find((one) => one.path.length > 0 || one.code === 'unrecognized_keys')
  if (inner === undefined)
    return { path, say: () => (issue.message === '' ? 'has a value of the wrong kind' : issue.message) }
  const [mistake] = explain({ ...inner, path: [...path, ...inner.path] }, whole)
  return mistake ?? { path, say: () => issue.message }
}

function missing(path: Path): Mistake {
  const name = path.at(-1)
  return { path: path.slice(0, -1), say: () => `${shorten(String(name))} is missing` }
}

const unknownKey = (path: Path, key: string): Mistake => ({
  path: [...path, key],
  key,
  say() {
    const isStep = path.at(-2) === 'steps' && typeof path.at(-1) === 'number'
    const known = isStep ? stepNames : fieldsAt(scenarioFile(), path)
    const what = isStep ? 'is not a step' : 'is not a field here'
    // For example `pay`, without the kind of object.
    const longer = isStep ? known.filter((name) => name.endsWith(`.${key}`)) : []
    const guess = longer.length > 0 ? longer.join(' or ') : nearest(key, known)
    const hint = guess === null ? `known: ${known.join(', ')}` : `did you mean ${guess}?`
    return `"${shorten(key)}" ${what}; ${hint}`
  },
})

const mistake = (path: Path, message: string): Mistake => ({ path, say: () => message })

/** Names that every run has, besides its params and the names from `as`. */
const reservedNames: readonly string[] = ['subject', 'run']

/** `filled` is the scenario with its params filled in. */
function checkConsistency(whole: unknown, filled: unknown): Mistake[] {
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
  const known = [...new Set(rows.flatMap((row) => Object.keys(row.request().shape)))]
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

export type Path = readonly (string | number)[]

export interface Mistake {
  path: Path
  /** The mistake is in the key, not in its value. */
  key?: string
  /** Called only for reported mistakes: a file can have thousands. */
  say: () => string
}

/** Lines and columns count from 1; null if the position is unknown. */
export interface LocatedMistake {
  line: number | null
  column: number | null
  path: string
  message: string
}

/** Upper bound on the mistakes reported for a file. */
const maxReported = 20

export interface ReportedMistakes {
  mistakes: LocatedMistake[]
  /** The number of mistakes not reported. */
  more: number
}

interface Place {
  line: number
  column: number
}

/** Returns the first mistakes in the order of the text, without duplicates. */
export function reportMistakes<M extends Mistake>(
  mistakes: readonly M[],
  placeOf: (mistake: M) => Place,
): ReportedMistakes {
  const located = mistakes.map((mistake) => ({ mistake, place: placeOf(mistake) }))
  located.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
  const byText = new Map<string, LocatedMistake>()
  let count = 0
  for (const { mistake, place } of located) {
    if (byText.size === maxReported) break
    count++
    const one = { ...place, path: pathText(mistake.path), message: mistake.say() }
    byText.set(`${one.path}: ${one.message}`, one)
  }
  return { mistakes: [...byText.values()], more: located.length - count }
}

/** Formats a path as `steps[1].cashout.fail.error_code`. */
function pathText(path: Path): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text === '' ? shorten(key) : `${text}.${shorten(key)}`,
    '',
  )
}

/** Shortens a part of the user's file for a message. */
export const shorten = (text: string): string => (text.length <= 80 ? text : `${text.slice(0, 79)}…`)
