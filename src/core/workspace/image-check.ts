/** An image is looked through completely before it takes the place of anything: damaged, foreign and newer ones are refused with what is wrong. */
import { ApiError } from '../../protocol/api/errors.js'
import { type Db, migrate, schemaVersion, UnusableDatabase } from '../../store/db.js'
import { requireWholeRows } from '../../store/image-check.js'
import { auditLedger } from '../ledger/ledger.js'

/** 422 INVALID_VALUE `{snapshot, rule}`; nothing has changed then. */
export function requireWholeImage(db: Db, name: string, image: Uint8Array): void {
  try {
    db.inspect(image, (candidate) => {
      if (schemaVersion(candidate) === 0) throw new UnusableDatabase('there is no sandbox in it')
      migrate(candidate)
      requireWholeRows(candidate)
      if (!auditLedger(candidate).balanced) throw new UnusableDatabase('its ledger does not balance')
    })
  } catch (error) {
    if (error instanceof UnusableDatabase) throw unusable(name, error.message)
    throw error
  }
}

export const unusable = (snapshot: string, rule: string) =>
  new ApiError(
    'INVALID_VALUE',
    { field: 'name', snapshot, rule },
    { message: `The snapshot ${snapshot} cannot be used: ${rule}. Nothing has changed.` },
  )
