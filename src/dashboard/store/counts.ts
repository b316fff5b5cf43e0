/** How many objects are in each status, for filters and tiles: the numbers of the lists. */
import type { RouteAnswer } from '../../client/control.js'
import { type Query, useQuery } from './query.js'

export type Counts = RouteAnswer<'GET /counts'>['data']
export type CountedType = Counts[number]['type']

export const useCounts = (): Query<RouteAnswer<'GET /counts'>> =>
  useQuery('GET /counts', {}, ['transaction', 'dispute', 'webhook', 'workspace'])

/** `14`, `500+` if there are more, nothing if only that is known. A missing status stands for all. */
export function countText(counts: Counts | undefined, types: readonly CountedType[], status?: string): string {
  if (counts === undefined) return ''
  const rows = counts.filter((row) => types.includes(row.type) && (status ?? row.status) === row.status)
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  const more = rows.some((row) => row.more)
  return more && total === 0 ? '' : `${total}${more ? '+' : ''}`
}
