/** Holds a parsed scenario against the schema and against itself: every mistake with its path, and what would be right. */

import type * as z from 'zod'
import { nearest } from '../../base/nearest.js'
import { isFields, stepInto } from '../../base/unknown.js'
import { fieldsAt } from '../../protocol/platform/schema-walk.js'
import { maxOutcomes, maxSteps, type Scenario, scenarioFile } from '../../protocol/scenario/file.js'
import { paramValue } from '../../protocol/scenario/params.js'
import { isAction, stepNames } from '../../protocol/scenario/steps.js'
import { brief, type Mistake, type Path } from './mistakes.js'
import { hasReference, hasTooMany, maxReferences, withValues } from './references.js'
import { selfChecks } from './self-checks.js'

export type Checked = { scenario: Scenario; mistakes: null } | { scenario: null; mistakes: Mistake[] }

/** `parsed` is what YAML or JSON made of the file. Never throws. */
export function checkScenario(parsed: unknown): Checked {
  const whole = normalise(parsed)
  if (hasTooMany(whole))
    return { scenario: null, mistakes: [{ path: [], say: () => `holds more than ${maxReferences} references \${…}` }] }
  const params = isFields(whole) && isFields(whole.params) ? whole.params : {}
  const filled = withValues(whole, (name) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined
    return paramValue().safeParse(value).success ? value : undefined
  })
  const result = scenarioFile().safeParse(filled)
  const mistakes = (result.error?.issues ?? [])
    .filter((issue) => !mayComeTrue(issue, filled))
    .flatMap((issue) => explain(issue, filled))
    .concat(selfChecks(whole, filled))
  if (mistakes.length > 0) return { scenario: null, mistakes }
  // Held against the schema just now; with its references still in it, which a schema cannot type.
  return { scenario: whole as Scenario, mistakes: null }
}

/** What a run puts in the place of a reference inside a step is checked then; the steps themselves are known beforehand. */
const mayComeTrue = (issue: z.core.$ZodIssue, filled: unknown): boolean =>
  issue.path.indexOf('steps') + 2 < issue.path.length &&
  issue.path.includes('steps') &&
  issue.code !== 'too_big' &&
  hasReference(lookUp(filled, pathOf(issue)))

/** One more than there may be is enough to be refused for: the others need not be looked at. */
const firstOf = (list: readonly unknown[], most: number) => list.slice(0, most + 1)

/** `- cashin.pay` and `- cashin.pay:` both mean the action without parameters. */
function normalise(parsed: unknown): unknown {
  if (!isFields(parsed)) return parsed
  const steps = (list: unknown) => (Array.isArray(list) ? firstOf(list, maxSteps).map(normaliseStep) : list)
  return {
    ...parsed,
    ...('steps' in parsed ? { steps: steps(parsed.steps) } : {}),
    ...(Array.isArray(parsed.outcomes)
      ? {
          outcomes: firstOf(parsed.outcomes, maxOutcomes).map((one) =>
            isFields(one) && 'steps' in one ? { ...one, steps: steps(one.steps) } : one,
          ),
        }
      : {}),
  }
}

function normaliseStep(step: unknown): unknown {
  if (typeof step === 'string') return { [step]: {} }
  if (!isFields(step)) return step
  return Object.fromEntries(
    Object.entries(step).map(([key, value]) => [key, value === null && isAction(key) ? {} : value]),
  )
}

const lookUp = (value: unknown, path: Path): unknown => path.reduce(stepInto, value)

/** YAML and JSON have no other names. */
const pathOf = (issue: z.core.$ZodIssue): Path => issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))

/** One of them for each unknown key; what they say is worked out only when somebody reads it. */
function explain(issue: z.core.$ZodIssue, whole: unknown): Mistake[] {
  const path = pathOf(issue)
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key))
  if (issue.code === 'invalid_union') return [explainUnion(issue, whole)]
  const value = lookUp(whole, path)
  if (value === undefined && path.length > 0) return [missing(path)]
  if (issue.code === 'invalid_value' && typeof value === 'string')
    return [{ path, say: () => wrongChoice(value, issue) }]
  if (issue.code === 'invalid_key') return [{ path, say: () => issue.issues[0]?.message ?? 'is no name' }]
  return [{ path, say: () => (isZodWording(issue.message) ? wordingOf(issue) : issue.message) }]
}

/** A long list helps nobody who has mistyped one of its names. */
function wrongChoice(value: string, issue: Extract<z.core.$ZodIssue, { code: 'invalid_value' }>): string {
  const known = issue.values.map(String)
  const guess = nearest(value, known)
  if (guess === null) return `"${brief(value)}" is not known: it ${issue.message}`
  return `"${brief(value)}" is not known: did you mean ${guess}?${known.length <= 12 ? ` It ${issue.message}` : ''}`
}

const isZodWording = (message: string) => /^(Invalid|Too|Unrecognized)/.test(message)

function wordingOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type') return issue.message
  if (issue.expected !== 'object' && issue.expected !== 'record') return `must be a ${issue.expected}`
  const known = fieldsAt(scenarioFile(), issue.path)
  return `must be a map of fields${known.length === 0 ? '' : ` (${known.join(', ')})`}`
}

/** The branch that came nearest to fitting tells most. */
function explainUnion(issue: Extract<z.core.$ZodIssue, { code: 'invalid_union' }>, whole: unknown): Mistake {
  const path = pathOf(issue)
  const inner = issue.errors.flat().find((one) => one.path.length > 0 || one.code === 'unrecognized_keys')
  if (inner === undefined)
    return { path, say: () => (isZodWording(issue.message) ? 'has a value of the wrong kind' : issue.message) }
  const [mistake] = explain({ ...inner, path: [...path, ...inner.path] }, whole)
  return mistake ?? { path, say: () => issue.message }
}

function missing(path: Path): Mistake {
  const name = path.at(-1)
  return { path: path.slice(0, -1), say: () => `${brief(String(name))} is missing` }
}

const unknownKey = (path: Path, key: string): Mistake => ({
  path: [...path, key],
  key,
  say() {
    const isStep = path.at(-2) === 'steps' && typeof path.at(-1) === 'number'
    const known = isStep ? stepNames : fieldsAt(scenarioFile(), path)
    const what = isStep ? 'is no step' : 'is no field here'
    // `pay` without the kind of object that it is for.
    const longer = isStep ? known.filter((name) => name.endsWith(`.${key}`)) : []
    const guess = longer.length > 0 ? longer.join(' or ') : nearest(key, known)
    const hint = guess === null ? `known: ${known.join(', ')}` : `did you mean ${guess}?`
    return `"${brief(key)}" ${what}; ${hint}`
  },
})
