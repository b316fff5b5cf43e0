/** Conditions on fields: equal, compared, or one of a list. Numbers are compared exactly, never as floats. */
import Big from 'big.js'
import { JsonNumber } from '../../base/json.js'
import type { Condition } from '../../protocol/scenario/values.js'

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

/** Describes the condition for people. */
export function describeCondition(condition: Condition): string {
  if (Array.isArray(condition)) return `one of ${condition.join(', ')}`
  return condition === null ? 'absent' : String(condition)
}
