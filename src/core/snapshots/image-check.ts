/** A database is checked completely before it takes the place of anything: damaged, foreign and newer ones are refused with what is wrong. */
import { ApiError } from '../../protocol/platform/errors.js'
import { type Db, refuseNewerSchema, schemaOf, UnusableDatabase } from '../../store/db.js'
import { requireWholeRows } from '../../store/image-check.js'
import { auditLedger } from '../ledger/audit.js'

/** Throws `UnusableDatabase`. */
export function requireWhole(candidate: Db): void {
  const schema = schemaOf(candidate)
  if (schema === 0) throw new UnusableDatabase('there is no sandbox in it')
  refuseNewerSchema(schema)
  requireWholeRows(candidate)
  if (!auditLedger(candidate).balanced) throw new UnusableDatabase('its ledger does not balance')
}

/** 422 INVALID_VALUE `{snapshot, rule}` in the place of `UnusableDatabase`. */
export async function orRefuse<T>(snapshot: string, work: Promise<T>, what = `The snapshot ${snapshot}`): Promise<T> {
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
