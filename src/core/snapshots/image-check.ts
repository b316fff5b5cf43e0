/** An image is looked through completely before it takes the place of anything: damaged, foreign and newer ones are refused with what is wrong. */
import { ApiError } from '../../protocol/api/errors.js'
import { type Db, migrate, schemaVersion, UnusableDatabase } from '../../store/db.js'
import { requireWholeRows } from '../../store/image-check.js'
import { auditLedger } from '../ledger/ledger.js'

/** Throws `UnusableDatabase`; nothing has changed then. */
export function requireWholeImage(db: Db, image: Uint8Array): void {
  db.inspect(image, (candidate) => {
    if (schemaVersion(candidate) === 0) throw new UnusableDatabase('there is no sandbox in it')
    migrate(candidate)
    requireWholeRows(candidate)
    if (!auditLedger(candidate).balanced) throw new UnusableDatabase('its ledger does not balance')
  })
}

/** 422 INVALID_VALUE `{snapshot, rule}` in the place of `UnusableDatabase`. */
export function orRefuse<T>(snapshot: string, work: () => T, what = `The snapshot ${snapshot}`): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error
    throw new ApiError(
      'INVALID_VALUE',
      { field: 'snapshot', snapshot, rule: error.message },
      { message: `${what} cannot be used: ${error.message}. Nothing has changed.` },
    )
  }
}
