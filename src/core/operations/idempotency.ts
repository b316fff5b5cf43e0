/** One `external_id`, one transaction: the same call again gets the original, any other is refused (decision 13). */
import { sha256Hex } from '../../base/crypto.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { TransactionType } from '../../protocol/platform/transitions.js'
import type { Unit } from '../unit/unit.js'
import { findByExternalId, type TransactionOf } from './transactions.js'

/** The operation and its payload, amounts in minor units as text, so that `10` and `10.0` are the same. */
export function fingerprint(operation: string, payload: Record<string, unknown>): string {
  return sha256Hex(operation + JSON.stringify(payload))
}

/** The original where this call repeats it, undefined where the id is new; 409 DUPLICATE_EXTERNAL_ID `{transaction_id}` where it is somebody else's. */
export function findOriginal<Type extends TransactionType>(
  unit: Unit,
  type: Type,
  accountSeq: number,
  externalId: string | null,
  print: string,
): TransactionOf<Type> | undefined {
  if (externalId === null) return undefined
  const original = findByExternalId(unit.db, accountSeq, externalId)
  if (original === undefined) return undefined
  if (original.type !== type || original.fingerprint !== print)
    throw new ApiError('DUPLICATE_EXTERNAL_ID', { transaction_id: original.id })
  // Its type was compared just now: a comparison narrows no type that is only a parameter.
  return original as TransactionOf<Type>
}
