/** What a parameter of a scenario may be. */
import * as z from 'zod'

export type ParamValue = string | number | boolean

const maxParamLength = 1000

/** Checked by hand rather than as a union: a wrong one costs little, however many there are. */
export const paramValue = () =>
  z
    .custom<ParamValue>(
      (value) => isScalar(value) && (typeof value !== 'string' || value.length <= maxParamLength),
      `must be a text of at most ${maxParamLength} characters, a number, true or false`,
    )
    .meta({ type: ['string', 'number', 'boolean'], maxLength: maxParamLength })

export const isScalar = (value: unknown): value is ParamValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
