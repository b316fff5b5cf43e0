/** Reads lists of the control API, all pages. */
import type { ControlClient, RouteInput } from '../client/control.js'
import type { ControlRoute, ControlRoutes } from '../client/types/control.js'

interface Page<Row> {
  data: Row[]
  next: string | null
}

/** The routes with pages, except the inbox, which has a name in its path. */
type ListRoute = {
  [Route in ControlRoute]: ControlRoutes[Route] extends { params: unknown }
    ? never
    : ControlRoutes[Route] extends { query: { after?: string | undefined }; answer: Page<unknown> }
      ? Route
      : never
}[ControlRoute]
export type Filter<Route extends ListRoute> = Omit<ControlRoutes[Route]['query'], 'limit' | 'after'>
type RowOf<Route extends ListRoute> = ControlRoutes[Route]['answer'] extends Page<infer Row> ? Row : never

/** Every row, newest first. */
export async function readAll<Route extends ListRoute>(
  control: ControlClient,
  route: Route,
  filter: Filter<Route>,
): Promise<RowOf<Route>[]> {
  const rows: RowOf<Route>[] = []
  for (let after: string | null | undefined; after !== null; ) {
    // The compiler cannot express what all lists have in common.
    const input = { query: { ...filter, limit: 500, after } } as unknown as RouteInput<'GET /runs'>
    const page = (await control.call(route as 'GET /runs', input)) as unknown as Page<RowOf<Route>>
    rows.push(...page.data)
    after = page.next
  }
  return rows
}
