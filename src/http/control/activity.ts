/** Activity per hour or per day. */
import { dayMs, hourMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import { activityUntil, type Span } from '../../core/ledger/activity.js'
import { formatMoney } from '../../core/ledger/ledger.js'
import { type activityRoutes, usualSpans } from '../../protocol/control/activity.js'
import type { Handlers } from './routes.js'

const lengths = { hour: hourMs, day: dayMs }

function spanFields({ atMs, sums }: Span) {
  const amounts = (measure: 'in' | 'out') =>
    Object.fromEntries(
      sums.flatMap((sum) =>
        sum.measure !== measure || sum.currency === ''
          ? []
          : [[sum.currency, formatMoney(BigInt(sum.minor), sum.currency)]],
      ),
    )
  const count = (measure: 'delivered' | 'failed') => sums.find((sum) => sum.measure === measure)?.count ?? 0
  return {
    at: isoUtc(atMs),
    in: amounts('in'),
    out: amounts('out'),
    delivered: count('delivered'),
    failed: count('failed'),
  }
}

export const activityHandlers: Handlers<typeof activityRoutes> = {
  readActivity: ({ ws, query: { by = 'day', spans = usualSpans } }) =>
    ws.unit(({ db, atMs }) => ({ by, data: activityUntil(db, atMs, lengths[by], spans).map(spanFields) })),
}
