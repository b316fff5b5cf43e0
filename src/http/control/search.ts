/** Search over all objects. */

import { isoUtc } from '../../base/iso.js'
import { formatMoney } from '../../core/ledger/ledger.js'
import { search } from '../../core/operations/search.js'
import type { SearchHit, searchRoutes } from '../../protocol/control/search.js'
import { controlDefaults } from '../../protocol/platform/limits.js'
import type { Handlers } from './routes.js'

export const searchHandlers: Handlers<typeof searchRoutes> = {
  search: ({ ws, query: { q, limit } }) =>
    ws.unit(({ db }) => ({
      data: search(db, q.trim(), limit ?? controlDefaults.found).map(
        ({ seq: _seq, amountMinor, atMs, ...hit }): SearchHit => ({
          ...hit,
          amount: amountMinor === null || hit.currency === null ? null : formatMoney(amountMinor, hit.currency),
          at: isoUtc(atMs),
        }),
      ),
      next: null,
    })),
}
