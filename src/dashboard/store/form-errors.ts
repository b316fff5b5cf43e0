/** Which field of a form an error of the API is about. */
import type { ErrorCode } from '../../protocol/platform/errors.js'
import type { Failure } from '../api.js'
import type { Field } from './dialog.js'

/** Fields of errors whose details name none. */
const fieldOfCode: Partial<Record<ErrorCode, string>> = {
  BELOW_MIN_LIMIT: 'amount',
  EXCEEDS_MAX_LIMIT: 'amount',
  LIMIT_EXCEEDED: 'amount',
  INSUFFICIENT_BALANCE: 'amount',
  DUPLICATE_EXTERNAL_ID: 'external_id',
  SELF_TRANSFER_BLOCKED: 'username',
}

/** The name of the field in the form; undefined if the error is not about one of them. */
export function fieldOfError(error: Failure | null, fields: readonly Field[]): string | undefined {
  if (error === null) return undefined
  const named = String(error.details.field ?? fieldOfCode[error.code as ErrorCode])
  return fields.find(({ name }) => named === name || named.startsWith(`${name}[`) || named.startsWith(`${name}.`))?.name
}
