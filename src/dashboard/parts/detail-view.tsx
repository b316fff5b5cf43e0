/** Views of one object: each is described by its route, head and columns, and rendered here. */
import type { Child, FC } from 'hono/jsx/dom'
import type { RouteAnswer, RouteInput } from '../../client/control.js'
import { type Query, type ReadRoute, useQuery } from '../store/query.js'
import type { Route } from '../store/route.js'
import { FailurePage, Head, Loaded } from './layout.js'

/** Routes that read one object. */
type ObjectRoute = Extract<ReadRoute, `${string}}`>
type Shown<Source extends ObjectRoute> = FC<{ row: RouteAnswer<Source>; route: Route }>

interface DetailSpec<Source extends ObjectRoute> {
  source: Source
  /** The kinds of change after which the object is read again. */
  watch: readonly string[]
  /** The title of the page, and the heading if there is no other. */
  title: (row: RouteAnswer<Source>) => string
  heading?: (row: RouteAnswer<Source>) => Child
  /** The link to the list of such objects. */
  /** Without a row, which could not be read, it leads to the list of all. */
  crumb: (row?: RouteAnswer<Source>) => { href: string; text: string }
  /** Buttons in the head. */
  actions?: Shown<Source>
  /** The bar of actions below the head. */
  bar?: Shown<Source>
  main: Shown<Source>
  side: Shown<Source>
  /** Below both columns. */
  foot?: Shown<Source>
}

export function detailView<Source extends ObjectRoute>(spec: DetailSpec<Source>): FC<{ route: Route; id: string }> {
  const { source, watch, title, heading, crumb, actions: Actions, bar: Bar, main: Main, side: Side, foot: Foot } = spec
  const parameter = /\{(\w+)\}$/.exec(source)?.[1] ?? 'id'
  return ({ route, id }) => {
    // A route that reads one object has exactly one parameter.
    const input = { params: { [parameter]: id } } as unknown as RouteInput<Source>
    const query: Query<RouteAnswer<Source>> = useQuery(source, input, watch)
    return (
      <Loaded of={query} failed={(error) => <FailurePage error={error} crumb={crumb()} />}>
        {(row) => (
          <>
            <Head title={title(row)} heading={heading?.(row)} crumb={crumb(row)}>
              {Actions === undefined ? null : <Actions row={row} route={route} />}
            </Head>
            {Bar === undefined ? null : <Bar row={row} route={route} />}
            <div class="columns">
              <div class="column wide">
                <Main row={row} route={route} />
              </div>
              <div class="column">
                <Side row={row} route={route} />
              </div>
            </div>
            {Foot === undefined ? null : <Foot row={row} route={route} />}
          </>
        )}
      </Loaded>
    )
  }
}
