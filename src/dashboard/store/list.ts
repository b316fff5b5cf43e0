/** Lists of the control API as views show them: filters that live in the address, and a page at a time. */
import type { RouteAnswer, RouteInput } from '../../client/control.js'
import type { ControlRoutes } from '../../client/types/control.js'
import type { Query as QueryOf } from '../api.js'
import { type Query, type ReadRoute, useQuery } from './query.js'
import type { Route as Address } from './route.js'

export type ListRoute = {
  [Route in ReadRoute]: ControlRoutes[Route] extends { query: { after?: string | undefined } } ? Route : never
}[ReadRoute]

type Fields<Route extends ListRoute> = Required<Omit<NonNullable<QueryOf<Route>>, 'after' | 'limit'>>

/** One that the route takes; `choices` are values of it. */
export type Filter<Route extends ListRoute> = {
  [Name in keyof Fields<Route> & string]: {
    name: Name
    label: string
    choices?: readonly Extract<Fields<Route>[Name], string>[]
  }
}[keyof Fields<Route> & string]

/** Shown at a time. */
const pageRows = 25

/** The page of the list that the address asks for. What was typed there by hand is for the API to refuse, which the view then shows. */
export function useList<Route extends ListRoute>(
  route: Route,
  address: Address,
  filters: readonly Filter<Route>[],
  watch: readonly string[],
  more: Partial<Fields<Route>> & { params?: unknown } = {},
): Query<RouteAnswer<Route>> {
  const { params, ...fixed } = more
  const names = [...filters.map(({ name }) => name), 'after']
  const given = names.flatMap((name) => {
    const value = address.query.get(name)
    return value === null || value === '' ? [] : [[name, value]]
  })
  const query = { ...fixed, ...Object.fromEntries(given), limit: pageRows }
  const input: unknown = params === undefined ? { query } : { query, params }
  // The address can say anything.
  return useQuery(route, input as RouteInput<Route>, watch)
}
