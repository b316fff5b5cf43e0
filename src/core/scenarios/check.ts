/** Validates a parsed scenario against the schema and for consistency. Reports every mistake with its path and a fix. */

import type * as z from 'zod'
import { rowAt } from '../../base/keys.js'
import { nearest } from '../../base/text.js'
import { fieldAt, isJsonObject } from '../../base/unknown.js'
import { nearestName } from '../../protocol/actions/nearest-name.js'
import { fieldsAt } from '../../protocol/platform/fields.js'
import { maxOutcomes, maxSteps, type Scenario, scenarioFile } from '../../protocol/scenario/file.js'
import { isAction, stepNames } from '../../protocol/scenario/steps.js'
import { paramValue } from '../../protocol/scenario/values.js'
import { type Mistake, type Path, shorten } from './mistakes.js'
import { hasReference, hasTooMany, maxReferences, replaceReferences } from './references.js'
import { checkConsistency } from './self-checks.js'

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
  return Object.fromEntries(
    Object.entries(step).map(([key, value]) => [key, value === null && isAction(key) ? {} : value]),
  )
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
