/** Reads lists of the control API for views: filters from the address, one page at a time. */
import type { RouteAnswer, RouteInput } from '../../client/control.js'
import type { ControlRoutes } from '../../client/types/control.js'
import type { Query as QueryOf } from '../api.js'
import type { Filter } from '../parts/filters.js'
import { type Query, type ReadRoute, useQuery } from './query.js'
import type { Route as Address } from './route.js'

export type ListRoute = {
  [Route in ReadRoute]: ControlRoutes[Route] extends { query: { after?: string | undefined } } ? Route : never
}[ReadRoute]

type Fields<Route extends ListRoute> = Required<Omit<NonNullable<QueryOf<Route>>, 'after' | 'limit'>>

/** A filter of the route; `choices` are valid values. */
export type ListFilter<Route extends ListRoute> = {
  [Name in keyof Fields<Route> & string]: Omit<Filter, 'choices'> & {
    name: Name
    choices?: readonly Extract<Fields<Route>[Name], string>[]
  }
}[keyof Fields<Route> & string]

/** Rows on a page. */
export const pageRows = 25

/** A row of the route's answer. */
export type RowOf<Source extends ListRoute> = RouteAnswer<Source> extends { data: readonly (infer Row)[] } ? Row : never

/** Reads the page that the address names. If its values are invalid, the view shows the API's error. */
export function useList<Source extends ListRoute, Row = RowOf<Source>>(
  source: Source,
  address: Address,
  filters: readonly ListFilter<Source>[],
  watch: readonly string[],
  more: Partial<Fields<Source>> & { params?: unknown } = {},
): Query<{ data: readonly Row[]; next: string | null }> {
  const { params, ...fixed } = more
  const names = [...filters.map(({ name }) => name), 'after']
  const given = names.flatMap((name) => {
    const value = address.query.get(name)
    return value === null || value === '' ? [] : [[name, value]]
  })
  const query = { ...fixed, ...Object.fromEntries(given), limit: pageRows }
  const input: unknown = params === undefined ? { query } : { query, params }
  // The address can contain anything, and TypeScript cannot resolve the answer of a generic route.
  const page: unknown = useQuery(source, input as RouteInput<Source>, watch)
  return page as Query<{ data: readonly Row[]; next: string | null }>
}
