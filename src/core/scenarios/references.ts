/**
 * Values in steps: references `${name}` and `${name.field}`, the validation of a step with them, and conditions on
 * fields. Numbers are compared exactly, never as floats.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import Big from 'big.js'
import { JsonNumber } from '../../base/json.js'
import { type FaultName, type StepName, type StepValue, schemaOf } from '../../protocol/scenario/steps.js'
import type { Condition } from '../../protocol/scenario/values.js'
import { type CallFaults, respondOf } from '../webhooks/faults.js'

/** Enough for 500 steps with four each; more would take long to fill in. */
export const maxReferences = 2000

interface Reference {
  /** Offsets: of `$`, and after `}`. */
  from: number
  to: number
  /** For example `charge` or `charge.amount`. */
  name: string
}

/** Finds references in a single pass, however long the text is. */
function scan(text: string): Reference[] {
  const found: Reference[] = []
  for (let from = text.indexOf('${'); from >= 0; ) {
    const close = text.indexOf('}', from + 2)
    if (close < 0) break
    found.push({ from, to: close + 1, name: text.slice(from + 2, close).trim() })
    from = text.indexOf('${', close + 1)
  }
  return found
}

interface FoundReference {
  /** For example `charge` or `charge.amount`. */
  name: string
  path: readonly (string | number)[]
}

/** Returns every reference inside a value, with the path to the text that contains it. */
export function referencesIn(value: unknown): FoundReference[] {
  const found: FoundReference[] = []
  const path: (string | number)[] = []
  const visit = (node: unknown): void => {
    if (typeof node === 'string') for (const { name } of scan(node)) found.push({ name, path: [...path] })
    if (node === null || typeof node !== 'object') return
    for (const [key, item] of Object.entries(node)) {
      path.push(Array.isArray(node) ? Number(key) : key)
      visit(item)
      path.pop()
    }
  }
  visit(value)
  return found
}

/** Returns whether there are more than `maxReferences`; stops counting there. */
export function hasTooMany(value: unknown): boolean {
  let referencesLeft = maxReferences
  const visit = (node: unknown): void => {
    if (typeof node === 'string')
      for (let from = node.indexOf('${'); from >= 0 && referencesLeft >= 0; from = node.indexOf('${', from + 2))
        referencesLeft--
    else if (node !== null && typeof node === 'object') for (const item of Object.values(node)) visit(item)
  }
  visit(value)
  return referencesLeft < 0
}

export const hasReference = (value: unknown): boolean => typeof value === 'string' && scan(value).length > 0

/**
 * Returns a copy with every reference replaced. Text that is a single reference takes the value's type. A reference
 * stays if the function returns undefined for it.
 */
export function replaceReferences(value: unknown, lookUp: (name: string) => unknown): unknown {
  if (typeof value === 'string') return textWithValues(value, lookUp)
  if (Array.isArray(value)) return value.map((item) => replaceReferences(item, lookUp))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceReferences(item, lookUp)]))
}

function textWithValues(text: string, lookUp: (name: string) => unknown): unknown {
  const references = scan(text)
  const [first] = references
  if (first === undefined) return text
  if (first.from === 0 && first.to === text.length) return lookUp(first.name) ?? text
  const pieces: string[] = []
  let at = 0
  for (const { from, to, name } of references) {
    pieces.push(text.slice(at, from), String(lookUp(name) ?? text.slice(from, to)))
    at = to
  }
  return pieces.join('') + text.slice(at)
}

/** Validated again, because a param can contain any value. */
export function parseStepValue<Name extends StepName>(name: Name, value: unknown): StepValue<Name> {
  const result = schemaOf(name).safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new Error(`${[name, ...(issue?.path ?? [])].join('.')} ${issue?.message ?? 'is invalid'}`)
}

type Faults = Partial<Omit<CallFaults, 'deliveryFaults'>>
type FaultSetter<Name extends FaultName> = (faults: Faults, value: StepValue<Name>, scenario: string) => void

const setters: { readonly [Name in FaultName]: FaultSetter<Name> } = {
  respond: (faults, value, scenario) => {
    faults.respond = respondOf(value, scenario)
  },
  latency: (faults, value) => {
    faults.latencyMs = value
  },
  disconnect: (faults, value) => {
    faults.disconnect = value
  },
}

export function setFault<Name extends FaultName>(
  faults: Faults,
  name: Name,
  value: StepValue<Name>,
  scenario: string,
): void {
  const set: FaultSetter<Name> = setters[name]
  set(faults, value, scenario)
}

/** Longer operators first, so that `>=` is not read as `>`. */
const operators = ['>=', '<=', '!=', '>', '<', '='] as const
const decimal = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/

/** Returns whether every condition is true for the field at its dotted path. */
export function satisfiesAll(
  fields: unknown,
  where: Readonly<Record<string, Condition | undefined>> | undefined,
): boolean {
  return Object.entries(where ?? {}).every(
    ([path, condition]) => condition === undefined || satisfies(valueAt(fields, path), condition),
  )
}

/** Returns whether a value satisfies a condition. The condition null requires that the field is missing or null. */
export function satisfies(value: unknown, condition: Condition): boolean {
  if (Array.isArray(condition)) return condition.some((one) => satisfies(value, one))
  if (condition === null) return value === null || value === undefined
  if (typeof condition !== 'string') return same(value, condition as number | boolean)
  const { operator, operand } = readComparison(condition)
  if (operator === null) return same(value, condition)
  if (operator === '=') return same(value, operand)
  if (operator === '!=') return !same(value, operand)
  const order = compare(textOf(value), operand)
  if (order === null) return false
  return operator === '>=' ? order >= 0 : operator === '<=' ? order <= 0 : operator === '>' ? order > 0 : order < 0
}

function readComparison(condition: string) {
  const text = condition.trim()
  const operator = operators.find((one) => text.startsWith(one)) ?? null
  const operand = operator === null ? '' : text.slice(operator.length).trim()
  return { operator: operand === '' ? null : operator, operand }
}

/** Returns a nested field, for example `payer.name`; undefined if it is missing. */
export function valueAt(fields: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => {
    if (at === null || typeof at !== 'object' || at instanceof JsonNumber) return undefined
    return Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined
  }, fields)
}

function same(value: unknown, operand: string | number | boolean): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean' || typeof operand === 'boolean') return String(value) === String(operand)
  const text = textOf(value)
  if (text === String(operand)) return true
  // An identifier such as 0012 is not the number 12: compares as numbers only if one side is a JSON number or the value has a decimal point.
  const numeric =
    typeof operand === 'number' || value instanceof JsonNumber || typeof value === 'number' || text.includes('.')
  return numeric && compare(text, String(operand)) === 0
}

function textOf(value: unknown): string {
  if (value instanceof JsonNumber) return value.text
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
}

/** Compares numbers by size; returns null for other text. */
function compare(left: string, right: string): number | null {
  return decimal.test(left) && decimal.test(right) ? new Big(left).cmp(new Big(right)) : null
}

export function describeCondition(condition: Condition): string {
  if (Array.isArray(condition)) return `one of ${condition.join(', ')}`
  return condition === null ? 'absent' : String(condition)
}
