/** Checks a database completely before it replaces another: damaged, foreign and newer ones are rejected with the reason. */
import { ApiError } from '../../protocol/platform/errors.js'
import { type Db, requireSameSchema, schemaOf, UnusableDatabase } from '../../store/db.js'
import { requireValidRows } from '../../store/image-check.js'
import { auditLedger } from '../ledger/audit.js'

/** Throws `UnusableDatabase`. */
export function requireValidDatabase(candidate: Db): void {
  const schema = schemaOf(candidate)
  if (schema === 0) throw new UnusableDatabase('it contains no sandbox state')
  requireSameSchema(schema)
  requireValidRows(candidate)
  if (!auditLedger(candidate).balanced) throw new UnusableDatabase('its ledger does not balance')
}

/** Throws 422 INVALID_VALUE `{snapshot, rule}` instead of `UnusableDatabase`. */
export async function orInvalidValue<T>(
  snapshot: string,
  work: Promise<T>,
  what = `The snapshot ${snapshot}`,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error
    throw new ApiError(
      'INVALID_VALUE',
      { field: 'snapshot', snapshot, rule: error.message },
      { message: `${what} cannot be used: ${error.message}. Nothing has changed.` },
    )
  }
}
