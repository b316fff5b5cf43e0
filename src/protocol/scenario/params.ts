/** Valid parameters of a scenario. */
import * as z from 'zod'

export type ParamValue = string | number | boolean

const maxParamLength = 1000

/** Checked without a zod union, so that many wrong values cost little. */
export const paramValue = () =>
  z
    .custom<ParamValue>(
      (value) => isScalar(value) && (typeof value !== 'string' || value.length <= maxParamLength),
      `must be a string of at most ${maxParamLength} characters, a number, true or false`,
    )
    .meta({ type: ['string', 'number', 'boolean'], maxLength: maxParamLength })

export const isScalar = (value: unknown): value is ParamValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
